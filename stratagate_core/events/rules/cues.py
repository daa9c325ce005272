"""What the words of a sentence say about the event in it: kind, scope, importance, state.

Word rules for English and Chinese, for a reader without a model. In doubt they choose the lower
importance and the weaker claim.
"""

import re

from stratagate_core.model.event import Criticality, Happening, Scope
from stratagate_core.text import modality


def _any(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(patterns), re.IGNORECASE)


_SAFETY = _any(
    r"\ballerg(?:y|ies|ic)\b|\banaphyla\w+|\bepipen\b|\bintolerant\b|\bcoeliac\b|\bceliac\b",
    r"\b(?:asthma\w*|diabet(?:es|ic)|epilep\w+|seizures?|pacemaker|ha?emophilia|insulin)\b",
    r"\b(?:take|takes|taking|on|prescribed) (?:\w+ ){0,3}(?:medications?|medicine|blood thinners?|"
    r"antidepressants?|antibiotics)\b|\bemergency contact\b",
    r"过敏|哮喘|糖尿病|癫痫|高血压|心脏病|血友病|不耐受|[在要]吃药|服用|服药|胰岛素|紧急联系人",
)
_TRADES = (
    r"engineer|teacher|doctor|nurse|student|designer|developer|programmer|writer|lawyer|manager|"
    r"mother|father|mom|mum|dad|parent|artist|musician|chef|scientist|researcher|counsel(?:l)?or|"
    r"accountant|architect|photographer|translator|vegan|vegetarian|woman|man"
)
_IDENTITY = _any(
    r"\bmy (?:full |first |last |middle )?name(?:['’]s| is)\b|\bcall me\b|\bi was born\b",
    r"\bi(?:['’]m| am) (?:originally )?from\b|\bi (?:come from|live in|grew up in|identify as)\b",
    rf"\bmy pronouns\b|\bi(?:['’]m| am) (?:an? )?(?:[\w-]+ ){{0,3}}(?:{_TRADES})\b",
    r"\bi(?:['’]m| am) \d+ years old\b|\bi work as\b",
    r"我叫|我的名字|叫我|我(?:的)?生日|我\S{0,8}出生|我来自|我住在?|我今年\S{1,4}岁",
    r"我是(?:一?[名个位])\S|我是\S{0,8}(?:师|人|员|生|医生|经理|学者)(?:\W|$)",
)
_PREFERENCE = _any(
    r"\bi(?:['’]ve)? (?:(?:really|also|still|just|always|do|absolutely|personally|much|now|mostly|"
    r"usually|generally) ){0,2}(?:like|love|enjoy|prefer|hate|dislike|loathe|adore|avoid)\b",
    r"\bi (?:can['’]?t|cannot) stand\b|\bi (?:do not|don['’]t|never) (?:like|eat|drink|use)\b",
    r"\bfavou?rites?\b|\bi(?:['’]m| am) (?:a (?:big |huge )?fan of|fond of)\b",
    r"\b(?:always|never) use\b|\bby default\b|\bfrom now on\b",
    r"喜欢|偏好|讨厌|最爱|热爱|偏爱|更爱|习惯用|爱[吃喝听玩]|不[吃喝]|以后都|从现在起|默认|一律|总是用",
)
_LASTING = _any(
    r"\bfrom now on\b|\bby default\b|\balways\b|\bnever\b|\bin (?:the )?future\b|\bevery time\b",
    r"\bgoing forward\b|从现在起|从今以后|以后|今后|默认|总是|每次|一律|永远|始终|不要再",
)
_REQUEST = _any(
    r"^[\W_]*(?:(?:ok|okay|so|then|now|and|also|hey|hi|well)\b[,.!]?\s+)*(?:please|pls|kindly|"
    r"let me|help me|show me|tell me|give me|send me|write|fix|add|remove|delete|change|update|"
    r"rewrite|translate|summari[sz]e|explain|list|create|generate|draft|check|align|rename|"
    r"convert|format|run|remind me|keep (?:it|this|the|your)|make (?:it|this|the|a|me|sure))\b",
    r"\b(?:could|can|would|will) you\b|\bi(?:['’]d| would)? (?:need|want|like) you to\b",
    r"^[\W_]*(?:请|麻烦|帮我|帮忙|给我|替我|告诉我|翻译|总结|解释|列出|生成|修改一?下|检查一?下|看看|试试)",
    r"你能|你可以|能不能|可不可以|请你|希望你|需要你",
)
#: says so even of what is asked as a question
_FROM_NOW = _any(
    r"\bfrom now on\b|\bby default\b|\bgoing forward\b|\bin (?:the )?future\b",
    r"从现在起|从今以后|以后|今后|默认|每次",
)
_REMEMBER = _any(
    r"^[\W_]*(?:(?:please|also|and|ok|okay|so)\b[,.!]?\s+)*(?:remember|note|keep in mind|"
    r"bear in mind|don['’]t forget)\b(?:\s+that\b|\s*[:,]|\s+(?:my|i|we|our)\b)",
    r"\b(?:can|could|would|will) you (?:please )?(?:remember|note|keep in mind)\b"
    r"(?:\s+that\b|\s*[:,]|\s+my\b)",
    r"^[\W_]*(?:请|麻烦|帮我|你|要|一定)*(?:记住|记下|记一下|别忘了|牢记)",
)
#: what leads over to a text that is not the speaker's own
_HANDS_OVER = _any(r"\bhere(?:['’]s| is| are)\b|\b(?:as follows|below)\b|以下|下面|如下|这是")
_PROJECT = _any(
    r"\b(?:project|repo|repository|codebase|branch|build|pipeline|deploy\w*|database|schema|api|"
    r"server|backend|frontend|endpoint|library|framework|module|service|ci|release|website|site|"
    r"version|v\d+|sprint|ticket|bug|docker\w*|kubernetes|npm|pnpm|yarn|postgres\w*|sqlite|app|"
    r"python|typescript|staging|production|launch|milestone|prototype|customer|client|team)\b",
    r"项目|仓库|代码|分支|构建|流水线|部署|数据库|接口|服务器?|后端|前端|依赖|框架|模块|发布|上线|版本|"
    r"迭代|需求|测试|缺陷|里程碑|原型|客户|团队",
)
_TEAM = _any(r"\b(?:we|us|our|ours)\b|我们|咱们")
_USER = _any(r"\b(?:i|me|my|mine|myself)\b|我(?!们)|俺")
_ONGOING = _any(
    r"\b(?:currently|these days|at the moment|right now|nowadays)\b",
    r"\b(?:have|has|['’]ve|['’]s) been (?:\w+ )?\w+ing\b|\b(?:am|is|are|['’]m|['’]re) "
    r"(?!thinking|considering|wondering|nothing|something|anything)\w{2,}ing\b",
    r"目前|正在|一直|还在|最近在|至今",
)
#: what an assistant may report of its own work
_FINDING = _any(
    r"\broot cause\b|\b(?:was|were) (?:\w+ )?caused by\b|\bturn(?:s|ed) out\b|\bnot supported\b",
    r"\b(?:i|we)(?:['’]ve| have)? (?:\w+ )?(?:confirmed|verified|reproduced|measured|fixed)\b",
    r"\b(?:fails?|failed|breaks?) (?:when|if|because|on)\b|\bonly works (?:when|if|with|on)\b",
    r"原因是|根因|不支持|上限[是为]|会失败|(?:已|我)(?:确认|验证|复现|修复)",
)
#: the first that fits names the kind
_KINDS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("migration", _any(r"\bmigrat(?:e|es|ed|ing|ion)\b|迁移")),
    (
        "change",
        _any(
            r"\bchanged?\b|\bchanging\b|\bswitch(?:ed|es|ing)\b|\bswitch to\b|\brenamed?\b",
            r"\bmov(?:ed?|es|ing) (?:\S+ ){0,4}(?:to|from)\b|\breplac(?:ed|es|ing)\b|\binstead\b",
            r"\b(?:postponed?|rescheduled?|pushed back|brought forward|no longer)\b",
            r"\bnot (?:\w+ ){0,2}any ?more\b|n['’]t (?:\w+ ){0,3}any ?more\b|\bused to\b.*\bnow\b",
            r"改[成到为用期]|换[成到了用]|以前.*现在|更换|变更|不再|推迟|延期|提前到|搬到|替换",
        ),
    ),
    ("decision", _any(r"\b(?:decid(?:ed?|ing)|decision|chose|chosen|settled on)\b|决定|选定|决策")),
    ("release", _any(r"\b(?:releas|launch)(?:ed|ing|es?)\b|\bshipped\b|\bwent live\b|发布|上线")),
    (
        "incident",
        _any(
            r"\b(?:outage|incident|crash(?:ed|es)?|broke(?:n| down)?|went down)\b",
            r"故障|事故|崩溃|坏了",
        ),
    ),
    (
        "task_completed",
        _any(
            r"\b(?:finish|complet|resolv|fix|implement)(?:ed|es)\b|完成|做完|写完|修好|修复了|通过了"
        ),
    ),
    ("meeting", _any(r"\bmeetings?\b|\bmet (?:with|up)\b|会议|开会|见面|见了")),
    ("collaboration", _any(r"\b(?:collaborat\w+|teamed up|partnered)\b|合作|协作|一起做")),
)
_CHANGES = frozenset({"cancellation", "change", "migration"})


def criticality_of(sentence: str) -> Criticality:
    """How important it is that the sentence is not lost."""
    if _SAFETY.search(sentence):
        return "safety"
    if _IDENTITY.search(sentence) and not modality.is_negated(sentence):
        return "identity"
    return "preference" if _PREFERENCE.search(sentence) else "routine"


def scope_of(sentence: str, *, is_person: bool) -> Scope:
    """Whom the sentence concerns; `is_person`: it was said by someone with a name."""
    if is_person or _USER.search(sentence):
        return "user"
    if _TEAM.search(sentence) or _PROJECT.search(sentence):
        return "project"
    if is_request(sentence) and not is_lasting(sentence):
        return "session"
    lasts = is_lasting(sentence) or criticality_of(sentence) != "routine"
    return "user" if lasts else "project"


def is_request(sentence: str) -> bool:
    """Whether the sentence asks the listener to do something."""
    return _REQUEST.search(sentence) is not None


def is_lasting(sentence: str) -> bool:
    """Whether the sentence says how things shall be from now on."""
    return _LASTING.search(sentence) is not None


def is_to_be_kept(sentence: str) -> bool:
    """Whether the listener is told to keep something in mind, or how to act from now on."""
    if _REMEMBER.search(sentence):
        return True
    lasting = _FROM_NOW if modality.is_question(sentence) else _LASTING
    return is_request(sentence) and lasting.search(sentence) is not None


def hands_over(sentence: str) -> bool:
    """Whether what follows is a text to work on, so not what the speaker says of themselves."""
    if ":" not in sentence and "：" not in sentence:
        return False
    ends = sentence.rstrip().endswith((":", "："))
    asked = is_request(sentence) and not is_to_be_kept(sentence)
    return asked or (ends and _HANDS_OVER.search(sentence) is not None)


def is_of_the_project(sentence: str) -> bool:
    """Whether the sentence speaks of common work: its parts, its tools, its dates."""
    return _PROJECT.search(sentence) is not None


def is_finding(sentence: str) -> bool:
    """A confirmed cause, a limit, a condition of failure or a result."""
    return _FINDING.search(sentence) is not None


def is_change(sentence: str) -> bool:
    """Whether the sentence says that something no longer is as it was."""
    return kind_of(sentence, "unknown") in _CHANGES or modality.is_cancellation(sentence)


def happening_of(sentence: str, *, direction: str | None) -> Happening:
    """Whether it happened; what lies ahead or is intended never counts as having happened.

    `direction` is where the time that the sentence names lies from the moment of speaking.
    """
    if modality.is_cancellation(sentence):
        return "cancelled"
    if direction == "future" or modality.is_plan(sentence):
        return "planned"
    if _ONGOING.search(sentence):
        return "ongoing"
    past = direction == "past" or modality.looks_back(sentence)
    return "occurred" if past and not modality.is_negated(sentence) else "unknown"


def kind_of(sentence: str, happening: Happening) -> str:
    """The event type that the words and the state name."""
    if happening == "cancelled":
        return "cancellation"
    named = next((kind for kind, cue in _KINDS if cue.search(sentence)), "other")
    if named in ("other", "release", "task_completed"):
        if happening == "planned":
            return "plan"
        return "other" if modality.is_negated(sentence) else named
    return named
