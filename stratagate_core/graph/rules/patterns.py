"""Sentences that state a fact beyond doubt, in English and Chinese.

Each pattern names a subject, a key and a value. The subject is the speaker (`I`, 我) or somebody
the sentence names; names of others count only where the verb fits nobody but a person, or where
they are known to be one.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from stratagate_core.graph.rules.statements import name_key
from stratagate_core.text.modality import is_negated


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """One thing that a sentence tells about a subject."""

    subject: str
    #: blank: only that there is such a node
    key: str = ""
    value: str = ""
    mode: str = "state"
    subject_type: str = "person"
    relation: str = ""
    target_type: str = ""
    #: it was so and no longer is
    ended: bool = False
    alias: str = ""
    #: keys of the subject that it rests on
    depends_on: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Rule:
    """A pattern with the groups `who` and `value`, and what it tells."""

    pattern: re.Pattern[str]
    key: str
    mode: str = "state"
    relation: str = ""
    target_type: str = ""
    #: whether the verb fits nobody but a person, so that any name may be the subject
    personal: bool = True


# --- English ----------------------------------------------------------------------------------

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
_MANY_KIN = frozenset({"sister", "brother", "son", "daughter", "roommate", "flatmate"})


def _english(text: str) -> re.Pattern[str]:
    return re.compile(text)


_PLACE = rf"(?P<value>{_NAME})"
_END = r"(?=$|[.,;!)…]| (?:and|but|now|since|with|for|as|because|last|this|in|on|where|when|to)\b)"

_ENGLISH = (
    _Rule(
        _english(rf"{_WHO}{_ADVERB}(?: lives?|{_AM} living)(?: now| again)? in {_PLACE}"),
        "home",
        relation="located in",
        target_type="place",
    ),
    _Rule(
        _english(
            rf"{_WHO}{_HAVE}{_ADVERB} (?:moved|relocated)(?: back| over)?(?: from {_NAME})? to "
            rf"{_PLACE}"
        ),
        "home",
        relation="located in",
        target_type="place",
        personal=False,
    ),
    _Rule(
        _english(
            rf"{_WHO}{_ADVERB}(?: works?|{_AM}(?: now)? working)(?: full[- ]time| part[- ]time)? "
            rf"(?:at|for) (?:the )?{_PLACE}"
        ),
        "employer",
        relation="belongs to",
        target_type="organization",
    ),
    _Rule(
        _english(rf"(?<![\w'’])(?P<who>I) [^.;,!?]{{1,60}}? and work (?:at|for) (?:the )?{_PLACE}"),
        "employer",
        relation="belongs to",
        target_type="organization",
    ),
    _Rule(
        _english(
            rf"{_WHO}{_HAVE}{_ADVERB} (?:started|began) (?:working|a (?:new )?job) at {_PLACE}"
        ),
        "employer",
        relation="belongs to",
        target_type="organization",
    ),
    _Rule(
        _english(rf"{_WHO}{_ADVERB} (?:likes?|loves?|enjoys?|prefers?) {_LIKED}"),
        "likes",
        mode="set",
        personal=False,
    ),
    _Rule(
        _english(
            rf"{_WHO}{_AM}{_ADVERB}(?: \w+ly)? allergic to "
            rf"(?P<value>[\w-]+(?: (?!and|or|but)[\w-]+)?){_END}"
        ),
        "allergic to",
        mode="set",
    ),
    _Rule(
        _english(rf"{_WHO}{_AM}{_ADVERB} an? (?P<value>(?:[\w-]+ ){{0,2}}{_JOBS})\b"),
        "occupation",
    ),
)
_OLD = r"(?P<old>[A-Za-z0-9][\w+#./-]*(?: [A-Z0-9][\w+#./-]*){0,2})"
_USES = _english(
    rf"(?<![\w'’])(?P<who>I|[Ww]e|{_NAME}){_ADVERB} (?:uses?|runs? on) "
    rf"(?!(?:to|it|the|a|an|my|our|your|this|that)\b){_THING}"
    rf"(?: and (?P<more>[A-Z][\w+#./-]*))?{_END}"
)
_SWITCHED = (
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
_PORTED = _english(
    rf"(?<![\w'’])(?:I|[Ww]e|{_NAME}){_HAVE}{_ADVERB} (?:moved|switched|migrated|ported) "
    rf"(?P<who>{_NAME}) from {_OLD} to {_THING}{_END}"
)
#: what a name of a tool looks like, and hardly any other name: PostgreSQL, Python3, C++
_TOOL = _english(r"\w[a-z]*[A-Z]|\w*\d|\w*[+#]|\w+\.\w")
#: something that has a name and is worked on
_NAMED_PROJECT = _english(
    r"\b(?:app|application|project|website|site|program|service|game|bot|system|product) "
    rf"(?:called|named) (?P<who>{_NAME})"
)
_PETS = "dog|puppy|cat|kitten|parrot|rabbit|hamster|horse"
_PET = (
    _english(
        rf"{_WHO}{_HAVE}(?: has| have| got| adopted)? an? (?:[\w-]+ ){{0,2}}(?P<kind>{_PETS})"
        rf"(?:,? (?:named|called)) {_PLACE}"
    ),
    _english(
        rf"(?<![\w'’])(?P<who>[Mm]y|{_NAME}['’]s) (?P<kind>{_PETS})"
        rf"(?:['’]s name is| is named| is called) {_PLACE}"
    ),
)
_KINDS = {"puppy": "dog", "kitten": "cat"}
_RELATIVE = _english(
    rf"(?<![\w'’])[Mm]y (?:older |younger |little |big )?(?P<kind>{_KIN})"
    rf"(?:['’]s name is| is named| is called|,)? (?P<value>{_FIRST})(?=$|[,.;!]| )"
)
_CALLED = (
    _english(rf"(?<![\w'’])(?:[Mm]y name is|[Pp]lease call me|[Cc]all me) (?P<value>{_NAME})"),
    # an introduction: two names or more that are no origin and no job, and nothing beside them
    _english(
        r"^(?:I['’]m|I am|This is) (?!(?:North|South|East|West|New|Native|African|Asian|Latin)\b)"
        rf"(?P<value>(?:{_CAPITAL})(?: (?!(?i:{_JOBS}|lead|{_KIN})\b)(?:{_CAPITAL})){{1,3}})[.!]?$"
    ),
)
_COMMUTE = _english(
    r"(?<![\w'’])(?:[Mm]y|The) commute (?:takes|is)(?: only| about| now)? "
    r"(?P<value>\d+(?:\.\d+)? (?:minutes?|hours?))"
)
_PROJECT = (
    _english(
        rf"(?:[Pp]roject (?P<who>{_CAPITAL})|[Tt]he (?P<other>{_CAPITAL}) project)"
        r"(?: is| was| has been)(?: now)? (?P<value>done|finished|completed?|on hold|paused|"
        r"cancell?ed|launched|released|live|delayed|postponed|blocked|in (?:beta|review|testing|"
        r"production))\b"
    ),
)

# --- Chinese ----------------------------------------------------------------------------------

_HAN = r"[\u4e00-\u9fffA-Za-z0-9·]"
_STOP = r"(?=[，。！；、,.!;]|$|了|的|这|，)"
_SOON = "现在|目前|已经|刚刚|刚|最近|一直|也|上个?月|上周|去年|今年|昨天"
_ME = rf"(?:^|(?<=[，。；！、,]))(?P<who>我|用户)(?:{_SOON})*"


def _chinese(text: str) -> re.Pattern[str]:
    return re.compile(_ME + text)


_HAN_PLACE = rf"(?P<value>(?!这|那|哪|一起|家|一个){_HAN}{{2,8}}?)"
_CHINESE = (
    _Rule(
        _chinese(rf"住在了?{_HAN_PLACE}{_STOP}"),
        "住处",
        relation="位于",
        target_type="place",
    ),
    _Rule(
        _chinese(rf"(?:从{_HAN}{{2,8}}?)?搬[到去]了?{_HAN_PLACE}{_STOP}"),
        "住处",
        relation="位于",
        target_type="place",
    ),
    _Rule(
        _chinese(
            r"在(?P<value>(?!家|这|那|外|公司|一家)[\u4e00-\u9fffA-Za-z0-9·]{2,10}?)(?:工作|上班)"
        ),
        "工作单位",
        relation="属于",
        target_type="organization",
    ),
    _Rule(
        _chinese(rf"(?:入职|跳槽到)了?(?P<value>(?!一家|新){_HAN}{{2,10}}?){_STOP}"),
        "工作单位",
        relation="属于",
        target_type="organization",
    ),
    _Rule(
        _chinese(
            r"(?:最|很|更|特别|非常|真的)?(?:喜欢|爱|偏爱|偏好)"
            rf"(?P<value>(?!你|您|他|她|它|这|那|上|我|的|自己|一个){_HAN}{{1,10}}?)(?=[，。！；,.!;]|$)"
        ),
        "喜欢",
        mode="set",
    ),
    _Rule(_chinese(rf"对(?P<value>{_HAN}{{1,8}}?)过敏"), "过敏", mode="set"),
    _Rule(
        _chinese(rf"(?:在用|使用|改用了?)(?P<value>[A-Za-z][\w+#./-]*){_STOP}"), "使用", mode="set"
    ),
)
_CLOSE = r"(?=[，。！；,.!;]|$)"
_HAN_CALLED = _chinese(
    rf"(?:叫|的名字叫|的名字是)(?P<value>(?!你|他|她|我|做|它){_HAN}{{2,6}}?){_CLOSE}"
)
_HAN_PET = (
    _chinese(
        r"(?:有|养了)(?:一)?[只条](?P<kind>狗|猫)[，,]?(?:它)?(?:名?叫|名字叫|名字是)"
        rf"(?P<value>{_HAN}{{1,6}}?){_CLOSE}"
    ),
    _chinese(
        r"(?:的|家的?)(?P<kind>狗|猫)(?:名?叫|的名字叫|的名字是)"
        rf"(?P<value>{_HAN}{{1,6}}?){_CLOSE}"
    ),
)
_HAN_SWITCHED = re.compile(
    r"(?:^|(?<=[，。；！,]))(?P<who>我们?)(?:已经|刚刚|刚|最近)*从(?P<old>[A-Za-z][\w+#./-]*)"
    r"(?:换成|换到|迁移到|切换到|改成|改用)了?(?P<value>[A-Za-z][\w+#./-]*)"
)
_HAN_COMMUTE = re.compile(
    r"(?:我的?)?通勤(?:时间)?(?:大约|大概)?(?:要|需要|是)?(?P<value>\d+ ?(?:分钟|个?小时))"
)
_HAN_PROJECT = re.compile(
    r"(?:项目(?P<who>[A-Za-z][\w-]*)|(?P<other>[A-Za-z][\w-]*) ?项目)(?:已经|已)"
    r"(?P<value>完成|上线|暂停|取消|发布|延期|搁置)"
)
_NOBODY_WORDS = """
it this that he she they we you there here what who when where why how yes no and but so my our
your his her their everyone everybody someone nobody people these those also
"""
#: words that open a sentence with a capital and name nobody
_NOBODY = frozenset(_NOBODY_WORDS.split())
_DATE_WORDS = """
monday tuesday wednesday thursday friday saturday sunday january february march april may june july
august september october november december
"""
#: names of days and months stand where names of places do
_NO_PLACE = frozenset(_DATE_WORDS.split())


def read_sentence(sentence: str, speaker: str, known: Mapping[str, str]) -> Iterator[Told]:
    """What a sentence tells; `known` holds the types of known nodes by name."""
    yield from read_names(sentence, speaker)
    yield from _switches(sentence, speaker)
    yield from _ported(sentence, known)
    if is_negated(sentence):
        return
    for rule in (*_ENGLISH, *_CHINESE):
        for found in rule.pattern.finditer(sentence):
            who = _subject(found["who"], speaker, known, personal=rule.personal)
            value = _clean(found["value"])
            if who is None or not value or (rule.target_type and normal(value) in _NO_PLACE):
                continue
            yield Told(
                subject=who,
                key=rule.key,
                value=value,
                mode=rule.mode,
                relation=rule.relation,
                target_type=rule.target_type,
            )
    yield from _others(sentence, speaker, known)


def read_names(sentence: str, speaker: str) -> Iterator[Told]:
    """What the speaker is called."""
    for pattern in (*_CALLED, _HAN_CALLED):
        found = pattern.search(sentence)
        if found is None or normal(found["value"]) in _NOBODY:
            continue
        if name_key(found["value"]) != name_key(speaker):
            yield Told(subject=speaker, alias=_clean(found["value"]))


def _switches(sentence: str, speaker: str) -> Iterator[Told]:
    for pattern in (*_SWITCHED, _HAN_SWITCHED):
        for found in pattern.finditer(sentence):
            who = _subject(found["who"], speaker, {}, personal=False)
            old, new = _clean(found["old"]), _clean(found["value"])
            if who is None or not old or not new:
                continue
            chinese = found["who"].startswith("我")
            key, relation = ("使用", "使用") if chinese else ("uses", "uses")
            shared = {"subject": who, "key": key, "mode": "set", "relation": relation}
            yield Told(**shared, value=old, ended=True, target_type="tool")  # type: ignore[arg-type]
            yield Told(**shared, value=new, target_type="tool")  # type: ignore[arg-type]


def _others(sentence: str, speaker: str, known: Mapping[str, str]) -> Iterator[Told]:
    yield from _uses(sentence, speaker, known)
    for pattern in (*_PET, *_HAN_PET):
        for found in pattern.finditer(sentence):
            who = _subject(found["who"], speaker, known, personal=True)
            if who is not None:
                kind = _KINDS.get(found["kind"], found["kind"])
                yield Told(subject=who, key=kind, value=_clean(found["value"]), mode="set")
    for found in _RELATIVE.finditer(sentence):
        kind = found["kind"]
        mode = "set" if kind in _MANY_KIN else "state"
        yield Told(
            subject=speaker,
            key=kind,
            value=_clean(found["value"]),
            mode=mode,
            relation=kind,
            target_type="person",
        )
    for pattern, key, ground in ((_COMMUTE, "commute", "home"), (_HAN_COMMUTE, "通勤", "住处")):
        if commute := pattern.search(sentence):
            yield Told(subject=speaker, key=key, value=commute["value"], depends_on=(ground,))
    for pattern, key in ((_PROJECT[0], "state"), (_HAN_PROJECT, "状态")):
        for found in pattern.finditer(sentence):
            name = found["who"] or found["other"]
            yield Told(subject=name, subject_type="project", key=key, value=found["value"])


def _uses(sentence: str, speaker: str, known: Mapping[str, str]) -> Iterator[Told]:
    """Tools in use, of people and of things that are known to be worked on."""
    for found in _NAMED_PROJECT.finditer(sentence):
        yield Told(subject=found["who"], subject_type="project")
    for found in _USES.finditer(sentence):
        kind = known.get(name_key(found["who"]), "person")
        who = found["who"] if kind == "project" else None
        who = who or _subject(found["who"], speaker, known, personal=False)
        for value in (found["value"], found["more"]) if who is not None else ():
            if value:
                yield _tool(str(who), kind, _clean(value))


def _ported(sentence: str, known: Mapping[str, str]) -> Iterator[Told]:
    """A project that left one tool for another; both must look like tools."""
    for found in _PORTED.finditer(sentence):
        new = known.get(name_key(found["who"])) is None
        tools = [_clean(found[name]) for name in ("old", "value")]
        if known.get(name_key(found["who"])) == "project" or (
            new and all(_TOOL.match(tool) for tool in tools)
        ):
            yield _tool(found["who"], "project", tools[0], ended=True)
            yield _tool(found["who"], "project", tools[1])


def _tool(who: str, kind: str, value: str, *, ended: bool = False) -> Told:
    return Told(
        subject=who,
        subject_type=kind,
        key="uses",
        value=value,
        mode="set",
        relation="uses",
        target_type="tool",
        ended=ended,
    )


def _subject(who: str, speaker: str, known: Mapping[str, str], *, personal: bool) -> str | None:
    """Whom a sentence is about; None if that cannot be told."""
    bare = re.sub(r"['’]s$", "", who)
    if bare in ("I", "we", "We", "My", "my", "我", "我们"):
        return speaker
    if normal(bare) in ("user", "the user", "用户"):
        return "User"
    if re.search(r"['’]", bare) or normal(bare) in _NOBODY or normal(bare.split()[0]) in _NOBODY:
        return None
    return bare if personal or known.get(name_key(bare)) == "person" else None


def _clean(value: str) -> str:
    return value.strip(" .,;!'’-，。")


def normal(text: str) -> str:
    """Text for comparing single words."""
    return text.casefold()
