"""How a sentence speaks: asked, planned, supposed, called off, denied, or merely polite.

Small word rules for English and Chinese, each about one sentence. They decide what a reader
without a model may take for a fact, so in doubt they say that it is none.
"""

import re


def _any(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(patterns), re.IGNORECASE)


_AUXILIARY = "is|are|was|were|do|does|did|can|could|will|would|should|have|has|had"
_PRONOUN = "you|we|they|he|she|it|i|there|this|that|your|anyone|any"
_OPENING = r"^[\W_]{0,9}(?:(?:so|and|but|well|hey|oh|wow|ok|okay|by the way)\b[,.!]?\s+){0,2}"
_ASKED = _any(
    _OPENING + rf"(?:what|who|whose|when|where|why|which|how)(?:'s|'re|\s+(?:{_AUXILIARY}))\b",
    _OPENING + r"how\s+(?:about|come|long|many|much|often|old)\b",
    _OPENING + r"what\s+(?:about|kind|sort|time|made|if)\b",
    _OPENING + rf"(?:{_AUXILIARY})(?:n't)?\s+(?:{_PRONOUN})\b",
    r"是不是|有没有|能不能|会不会|要不要|可不可以|好不好|对不对",
)
#: words that turn a question inside a sentence into a statement
_UNASKED = _any(r"不知道|不确定|不清楚|看看|无论|不管")
#: what may follow the mark of a question: quotes, brackets, emoji, further marks
_AFTER_MARK = re.compile(r"[^\w?？]")
_AHEAD = _any(
    r"(?<!\bthe )(?<!\bher )(?<!\bhis )(?<!\bmy )(?<!\bfree )(?<!\bgood )(?-i:\bwill\b)",
    r"^Will\s+(?:you|we|they|he|she|it|i)\b",
    r"['’]ll\b|\bwon['’]t\b|\bshall\b|\bgonna\b|\babout to\b|\bupcoming\b",
    r"(?:['’](?:m|re|s)|\b(?:am|are|is|be|not))\s+(?:\w+\s+)?going\s+to\b",
    r"\bplan(?:s|ning)?\s+(?:to|on|for)\b|\b(?:intend|aim|hope|hoping|expect)\w*\s+to\b",
    r"\blook(?:ing)?\s+forward\s+to\b|\bcan['’]?t\s+wait\b|\blet['’]?s\b|\bsee\s+you\b",
    r"\bdue\b|\bdeadline\b|\bscheduled\b",
    r"打算|计划|准备|预计|将要|将会|即将|将于|将在|要去|会去|会在|快要|马上要|想去|截止",
    r"[我你他她们]将|[我你他她们](?:也|还|都|就)?要(?!是|不是|求|么)",
)
_BACK = _any(
    r"\b(?:was|were|had|did|been|went|took|made|got|saw|met|came|bought|found|gave|told|said|"
    r"began|started|left|lost|won|ran|wrote|ate|felt|thought|became|held|kept|read|drove|flew|"
    r"\w{3,}ed)\b|\bdidn['’]t\b",
    r"了|(?<![超不])过(?![敏程度于分期来去])|已经|曾",
)
_FUTURE_DATE = _any(
    r"\btomorrow\b|\btonight\b|\bnext\s+(?:week|weekend|month|year|spring|summer|fall|autumn|"
    r"winter|(?:mon|tues|wednes|thurs|fri|satur|sun)day)\b",
    r"明天|明晚|明早|后天|下周|下星期|下礼拜|下个?月|明年|后年|未来",
)
_HYPOTHETICAL = _any(
    r"\b(?:if|unless|would|could|might|wish|suppose|supposing|imagine|maybe|perhaps)\b",
    r"\b(?:would|could|might)n['’]t\b|\b\w+['’]d\s+(?:love|like|prefer|rather|be)\b",
    r"如果|要是|假如|假设|倘若|假使|万一|的话|要不是|也许|或许|说不定|但愿|可能",
)
_CANCELLATION = _any(
    r"\bcancel(?:s|l?ed|l?ing|lation)?\b|\bcall(?:ed|ing|s)?\s+(?:it\s+|them\s+)?off\b",
    r"\bdecided\s+not\s+to\b|\bdecided\s+against\b|\bchanged\s+(?:my|our|his|her|their)\s+minds?\b",
    r"\bno\s+longer\s+(?:going|planning|happening|attending|doing)\b|\bscrapped\b",
    r"\bnot\s+going\s+(?:to\s+)?(?:anymore|any\s+more|after\s+all)\b",
    r"取消|作罢|泡汤|改变主意|改主意|不[去办做搞开参买来]\w{0,2}了|不打算|决定不",
)
_NEGATED = _any(
    r"\b(?:not|never|none|nothing|nobody|neither|nor|without|cannot)\b|n['’]t\b|\bno\s+longer\b",
    r"不(?![错过仅但同久好断如论管少只])(?<!对不)(?<!差不)|没(?!错|关系|事|问题)|从未|并非|尚未|(?<![特区分])别(?!人|的)",
)
_COURTESY = _any(
    r"^[\W_]{0,9}(?:hi|hey|hello|yo|good\s+(?:morning|afternoon|evening|night|luck|job|to\s+hear)|"
    r"thanks|thank\s+you|thx|wow|whoa|yay|congrats|congratulations|great|awesome|amazing|nice|"
    r"cool|sweet|wonderful|fantastic|perfect|lovely|impressive|incredible|well\s+done|way\s+to\s+go|"
    r"bye|goodbye|see\s+(?:you|ya)|take\s+care|no\s+(?:problem|worries)|sure|cheers|welcome|"
    r"absolutely|definitely|exactly|totally|of\s+course|sounds\s+(?:\w+\s+)?(?:good|great|fun|like)|"
    r"you['’]?re\s+(?:so\s+|very\s+)?(?:welcome|right|amazing|awesome|the\s+best)|keep\s+(?:it\s+)?up|"
    r"(?:that|it|this)(?:['’]?s|\s+is|\s+sounds|\s+looks|\s+must)\s+(?:\w+\s+)?(?:\w+\s+)?(?:good|great|"
    r"awesome|amazing|nice|cool|wonderful|fantastic|fun|lovely|tough|incredible|impressive|be|"
    r"inspiring|interesting|beautiful|sweet)|"
    r"(?:i['’]?m\s+)?(?:so\s+|really\s+)?(?:glad|happy|proud|excited|sorry)\s+(?:to\s+hear|for\s+you|"
    r"of\s+you|you|that\s+you)|love\s+(?:that|it|your))\b",
    r"^[\W_]{0,9}(?:你好|您好|大家好|嗨|哈喽|早上好|下午好|晚上好|早安|晚安|谢谢|多谢|感谢|太[棒好]了|真[棒好不]|"
    r"好棒|厉害|恭喜|祝贺|加油|不错|辛苦了|再见|拜拜|没关系|不客气|没问题|哇|好的|太厉害|听起来)",
)
_FIRST_PERSON = _any(r"\b(?:I|me|my|mine|myself|we|us|our|ours|ourselves)\b|[我咱俺]")
_SECOND_PERSON = _any(r"\b(?:you|your|yours|yourself|yourselves)\b|[你您]")


def is_question(sentence: str) -> bool:
    """The sentence asks, with or without its mark."""
    words = sentence.strip()
    if _AFTER_MARK.sub("", words[-12:]).endswith(("?", "？", "吗", "么", "呢", "嘛")):
        return True
    if words.endswith((".", "。")):
        return False
    return _ASKED.search(words) is not None and _UNASKED.search(words) is None


def looks_ahead(sentence: str) -> bool:
    """The verbs speak of what is to come (`will`, `going to`, 打算); dates are not looked at."""
    return _AHEAD.search(sentence) is not None


def looks_back(sentence: str) -> bool:
    """The verbs tell of what was; dates are not looked at."""
    return _BACK.search(sentence) is not None


def is_plan(sentence: str) -> bool:
    """Something is intended, by its verbs or by a date word such as `next week`; not an outcome."""
    return looks_ahead(sentence) or _FUTURE_DATE.search(sentence) is not None


def is_hypothetical(sentence: str) -> bool:
    """The sentence supposes (`if`, `would`, 如果) instead of reporting."""
    return _HYPOTHETICAL.search(sentence) is not None


def is_cancellation(sentence: str) -> bool:
    """A plan is called off."""
    return _CANCELLATION.search(sentence) is not None


def is_negated(sentence: str) -> bool:
    """The sentence holds a word of denial; what it denies is not worked out."""
    return _NEGATED.search(sentence) is not None


def is_greeting_or_praise(sentence: str) -> bool:
    """The sentence opens with courtesy: a greeting, thanks, praise or agreement."""
    return _COURTESY.search(sentence) is not None


def is_first_person(sentence: str) -> bool:
    """The speaker speaks of themselves or their group."""
    return _FIRST_PERSON.search(sentence) is not None


def is_second_person(sentence: str) -> bool:
    """The sentence addresses the listener."""
    return _SECOND_PERSON.search(sentence) is not None
