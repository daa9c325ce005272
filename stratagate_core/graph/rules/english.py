"""Patterns of English sentences that state a fact beyond doubt."""

import re

from stratagate_core.graph.rules.pattern import Rule

_CAPITAL = r"[A-ZÀ-ÖØ-Þ][\w'’&.-]*\w|[A-Z]"
#: a first name, never one that owns something
_FIRST = r"[A-ZÀ-ÖØ-Þ][\w-]*\w"
_NAME = rf"(?:{_CAPITAL})(?: (?:{_CAPITAL}|de|of|van|von)(?= |\b)){{0,3}}"
#: who speaks, or a name at the beginning of the sentence or of its part
_WHO = rf"(?:(?<![\w'’])(?P<who>I|(?:the )?[Uu]ser|{_NAME}))"
_ADVERB = r"(?: (?:now|currently|just|recently|also|still|finally|really|already|both))?"
_HAVE = r"(?:['’]ve| have| has)?"
_AM = r"(?:['’]m| am| is)"
_THING = r"(?P<value>[A-Za-z0-9][\w+#./-]*(?: [A-Z0-9][\w+#./-]*){0,2})"
#: a liking: a few words that point at nothing outside the sentence
_POINTING = (
    r"(?!(?:it|this|that|these|those|you|your|he|his|she|her|they|their|him|them|we|us|how|what|"
    r"when|where|which|who|why|the|to|about|my|our|all|every|any|so|as|is|are|was|being|having|"
    r"getting|seeing|hearing|knowing|finding|spending|one|some|both|really|just|i|me)\b)"
)
_WORD = r"\w+(?:[-'’]\w+)*"
_LIKED = (
    rf"(?P<value>{_POINTING}{_WORD}(?: (?!(?:and|but|because|when|since|so|than|over|as|more|most|"
    r"very|too|for|in|on|at|with|from|to|it|that|this|which|who|I|we|you|if|while|after|before|up|"
    r"a lot|best|my|our|your|his|her|their|lately|together|these|is|are|by|about|of|the|them|us|"
    rf"makes|even)\b){_WORD}){{0,2}})"
    r"(?=$|[.,;!)…]| (?:and|but|because|more|too|when|so)\b|(?<!ing) (?:for|in|on|at|with|over)\b)"
)
_JOBS = (
    r"(?:engineer|teacher|doctor|nurse|student|designer|developer|programmer|writer|lawyer|artist|"
    r"musician|chef|architect|scientist|researcher|accountant|photographer|journalist|therapist|"
    r"counselor|dentist|pilot|farmer|carpenter|electrician|veterinarian|vet|professor)"
)
_KIN = (
    r"wife|husband|partner|mother|father|mom|mum|dad|boss|manager|girlfriend|boyfriend|fiancée?|"
    r"sister|brother|son|daughter|roommate|flatmate"
)
MANY_KIN = frozenset({"sister", "brother", "son", "daughter", "roommate", "flatmate"})


def _english(text: str) -> re.Pattern[str]:
    return re.compile(text)


_PLACE = rf"(?P<value>{_NAME})"
_END = r"(?=$|[.,;!)…]| (?:and|but|now|since|with|for|as|because|last|this|in|on|where|when|to)\b)"

ENGLISH = (
    Rule(
        _english(rf"{_WHO}{_ADVERB}(?: lives?|{_AM} living)(?: now| again)? in {_PLACE}"),
        "home",
        relation="located in",
        target_type="place",
    ),
    Rule(
        _english(
            rf"{_WHO}{_HAVE}{_ADVERB} (?:moved|relocated)(?: back| over)?(?: from {_NAME})? to "
            rf"{_PLACE}"
        ),
        "home",
        relation="located in",
        target_type="place",
        personal=False,
    ),
    Rule(
        _english(
            rf"{_WHO}{_ADVERB}(?: works?|{_AM}(?: now)? working)(?: full[- ]time| part[- ]time)? "
            rf"(?:at|for) (?:the )?{_PLACE}"
        ),
        "employer",
        relation="belongs to",
        target_type="organization",
    ),
    Rule(
        _english(rf"(?<![\w'’])(?P<who>I) [^.;,!?]{{1,60}}? and work (?:at|for) (?:the )?{_PLACE}"),
        "employer",
        relation="belongs to",
        target_type="organization",
    ),
    Rule(
        _english(
            rf"{_WHO}{_HAVE}{_ADVERB} (?:started|began) (?:working|a (?:new )?job) at {_PLACE}"
        ),
        "employer",
        relation="belongs to",
        target_type="organization",
    ),
    Rule(
        _english(rf"{_WHO}{_ADVERB} (?:likes?|loves?|enjoys?|prefers?) {_LIKED}"),
        "likes",
        mode="set",
        personal=False,
    ),
    Rule(
        _english(
            rf"{_WHO}{_AM}{_ADVERB}(?: \w+ly)? allergic to "
            rf"(?P<value>[\w-]+(?: (?!and|or|but)[\w-]+)?){_END}"
        ),
        "allergic to",
        mode="set",
    ),
    Rule(
        _english(rf"{_WHO}{_AM}{_ADVERB} an? (?P<value>(?:[\w-]+ ){{0,2}}{_JOBS})\b(?!['’]s)"),
        "occupation",
    ),
)
_OLD = r"(?P<old>[A-Za-z0-9][\w+#./-]*(?: [A-Z0-9][\w+#./-]*){0,2})"
USES = _english(
    rf"(?<![\w'’])(?P<who>I|[Ww]e|{_NAME}){_ADVERB} (?:uses?|runs? on) "
    rf"(?!(?:to|it|the|a|an|my|our|your|this|that)\b){_THING}"
    rf"(?: and (?P<more>[A-Z][\w+#./-]*))?{_END}"
)
SWITCHED = (
    _english(
        rf"(?<![\w'’])(?P<who>I|[Ww]e|{_NAME}){_HAVE}{_ADVERB} (?:switched|migrated) from "
        rf"{_OLD} to {_THING}{_END}"
    ),
    _english(
        rf"(?<![\w'’])(?P<who>I|[Ww]e|{_NAME}){_HAVE}{_ADVERB} replaced {_OLD} (?:with|by) "
        rf"{_THING}{_END}"
    ),
)
#: somebody changes what something runs on
PORTED = _english(
    rf"(?<![\w'’])(?:I|[Ww]e|{_NAME}){_HAVE}{_ADVERB} (?:moved|switched|migrated|ported) "
    rf"(?P<who>{_NAME}) from {_OLD} to {_THING}{_END}"
)
#: what a name of a tool looks like, and hardly any other name: PostgreSQL, Python3, C++
TOOL = _english(r"\w[a-z]*[A-Z]|\w*\d|\w*[+#]|\w+\.\w")
#: something that has a name and is worked on
NAMED_PROJECT = _english(
    r"\b(?:app|application|project|website|site|program|service|game|bot|system|product) "
    rf"(?:called|named) (?P<who>{_NAME})"
)
_PETS = "dog|puppy|cat|kitten|parrot|rabbit|hamster|horse"
PET = (
    _english(
        rf"{_WHO}{_HAVE}(?: has| have| got| adopted)? an? (?:[\w-]+ ){{0,2}}(?P<kind>{_PETS})"
        rf"(?:,? (?:named|called)) {_PLACE}"
    ),
    _english(
        rf"(?<![\w'’])(?P<who>[Mm]y|{_NAME}['’]s) (?P<kind>{_PETS})"
        rf"(?:['’]s name is| is named| is called) {_PLACE}"
    ),
)
KINDS = {"puppy": "dog", "kitten": "cat"}
RELATIVE = _english(
    rf"(?<![\w'’])[Mm]y (?:older |younger |little |big )?(?P<kind>{_KIN})"
    rf"(?:['’]s name is| is named| is called|,)? (?P<value>{_FIRST})(?=$|[,.;!]| )"
)
CALLED = (
    _english(rf"(?<![\w'’])(?:[Mm]y name is|[Pp]lease call me|[Cc]all me) (?P<value>{_NAME})"),
    # an introduction: two names or more that are no origin and no job, and nothing beside them
    _english(
        r"^(?:I['’]m|I am|This is) (?!(?:North|South|East|West|New|Native|African|Asian|Latin)\b)"
        rf"(?P<value>(?:{_CAPITAL})(?: (?!(?i:{_JOBS}|lead|{_KIN})\b)(?:{_CAPITAL})){{1,3}})[.!]?$"
    ),
)
COMMUTE = _english(
    r"(?<![\w'’])(?:[Mm]y|The) commute (?:takes|is)(?: only| about| now)? "
    r"(?P<value>\d+(?:\.\d+)? (?:minutes?|hours?))"
)
PROJECT = (
    _english(
        rf"(?:[Pp]roject (?P<who>{_CAPITAL})|[Tt]he (?P<other>{_CAPITAL}) project)"
        r"(?: is| was| has been)(?: now)? (?P<value>done|finished|completed?|on hold|paused|"
        r"cancell?ed|launched|released|live|delayed|postponed|blocked|in (?:beta|review|testing|"
        r"production))\b"
    ),
)
