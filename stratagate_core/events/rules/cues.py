"""Words that tell what kind of event a sentence reports, in English and Chinese."""

import re


def _cue(english: str, chinese: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{english})\b|{chinese}", re.IGNORECASE)


#: event type by the first cue that fits
_TYPES = (
    ("cancellation", _cue(r"cancel(?:s|l?ed|l?ing)?|called off|dropped the", "取消|作废")),
    ("migration", _cue(r"migrat(?:e|es|ed|ing|ion)", "迁移")),
    (
        "change",
        _cue(
            r"changed?|switch(?:ed|es|ing)?|moved? (?:it|the|to|from)|replaced?|renamed?|instead|"
            r"postponed?|rescheduled?|delayed?|pushed back|no longer",
            "改成|改到|改为|换成|换到|推迟|延期|提前|变更|不再",
        ),
    ),
    ("decision", _cue(r"decided?|decision|chose|chosen|settled on|agreed", "决定|选定|决策|商定")),
    ("release", _cue(r"releas(?:e|ed|ing)|launch(?:ed|ing)?|shipped|went live", "发布|上线")),
    (
        "task_completed",
        _cue(r"finished|completed?|done with|fixed|passed", "完成|做完|修好|通过了"),
    ),
    (
        "incident",
        _cue(
            r"broke|broken|outage|crash(?:ed|es)?|incident|failed|leak(?:ed)?",
            "故障|崩溃|坏了|事故",
        ),
    ),
    ("meeting", _cue(r"met (?:with)?|meeting|met up|call with", "会议|开会|见面|见了")),
    (
        "collaboration",
        _cue(r"together with|teamed up|collaborat(?:e|ed|ing|ion)", "协作|合作|一起做"),
    ),
    ("plan", _cue(r"plan(?:s|ned|ning)? to|going to|will", "打算|计划|准备|将要")),
)
_CHANGES = frozenset({"cancellation", "change", "migration"})

_SAFETY = _cue(
    r"allerg(?:y|ic|ies)|epilep\w+|diabet\w+|insulin|medication|asthma|emergency contact",
    "过敏|癫痫|糖尿病|胰岛素|哮喘|服药|紧急联系人",
)
_IDENTITY = _cue(
    r"my name is|call me|i(?:'m| am) (?:an? )?(?:\w+ )?(?:engineer|teacher|doctor|nurse|student|"
    r"designer|developer|writer|lawyer|manager|mother|father|mom|dad|artist|musician|chef|nurse)|"
    r"i(?:'m| am) \d+ years old|i was born|i (?:live|grew up) in|i come from",
    "我叫|我的名字|我是一?[名个位]|我住在|我来自|我出生",
)
_PREFERENCE = _cue(
    r"(?:i|we)(?:'d)? (?:\w+ )?(?:like|love|prefer|enjoy|hate|dislike)|can't stand|favou?rites?|"
    r"from now on|always use|never use|please always|by default",
    "喜欢|偏好|更爱|讨厌|不喜欢|最爱|以后都|今后|默认|一律",
)
_OURS = _cue(
    r"we|our|ours|us|the (?:project|team|app|release|server|database|repo|repository|build|site|"
    r"website|customer|client|launch)",
    "我们|咱们|项目|团队|服务器|数据库|版本|上线|客户",
)
_MINE = _cue(r"i|i'm|i've|i'd|i'll|my|mine|me|myself", "我(?!们)")
_REQUEST = re.compile(
    r"\s*(?:please|can you|could you|would you|help me|show me|tell me|give me|write|explain|"
    r"translate|summari[sz]e|remind me)\b|\s*(?:请|帮我|给我|告诉我|麻烦)",
    re.IGNORECASE,
)
_LASTING = _cue(
    r"from now on|always|by default|in future|every time", "以后|今后|默认|每次|一律|总是"
)


def event_type_of(sentence: str) -> str:
    """The kind of event a sentence reports, `other` without a cue."""
    return next((kind for kind, cue in _TYPES if cue.search(sentence)), "other")


def is_change(sentence: str) -> bool:
    """Whether the sentence says that something no longer is as it was."""
    return event_type_of(sentence) in _CHANGES


def criticality_of(sentence: str) -> str:
    """How much a sentence matters for good."""
    if _SAFETY.search(sentence):
        return "safety"
    if _IDENTITY.search(sentence):
        return "identity"
    return "preference" if _PREFERENCE.search(sentence) else "routine"


def scope_of(sentence: str, *, by_person: bool) -> str:
    """Whom a sentence is about: the speaker, the common work, or this conversation."""
    if is_request(sentence):
        return "user" if is_lasting(sentence) else "session"
    if by_person and _MINE.search(sentence):
        return "user"
    return "project" if _OURS.search(sentence) or not by_person else "user"


def is_request(sentence: str) -> bool:
    """Whether the sentence asks the assistant to do something."""
    return _REQUEST.match(sentence) is not None


def is_lasting(sentence: str) -> bool:
    """Whether the sentence speaks of how things shall be from now on."""
    return _LASTING.search(sentence) is not None
