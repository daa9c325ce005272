"""What makes a sentence or a name too doubtful to state anything."""

import re

_NOBODY_WORDS = """
it this that he she they we you there here what who when where why how yes no and but so my our
your his her their everyone everybody someone nobody people these those also
"""
#: words that open a sentence with a capital and name nobody
NOBODY = frozenset(_NOBODY_WORDS.split())
_DATE_WORDS = """
monday tuesday wednesday thursday friday saturday sunday january february march april may june july
august september october november december
"""
_STATE_WORDS = "of very so too kind not sure sorry home here there done ready glad happy sad"
_OFFICE_WORDS = "home work marketing sales engineering support finance design product legal hr"
#: capitals that are no names in "I'm ..."
NO_NAME = frozenset(_DATE_WORDS.split()) | frozenset(
    [
        "of",
        "very",
        "so",
        "too",
        "kind",
        "not",
        "sure",
        "sorry",
        "home",
        "here",
        "there",
        "done",
        "ready",
        "glad",
        "happy",
        "sad",
    ]
)
#: what stands where names of places and employers do and is none: days, months, departments
NO_PLACE = frozenset(_DATE_WORDS.split()) | frozenset(
    [
        "home",
        "work",
        "marketing",
        "sales",
        "engineering",
        "support",
        "finance",
        "design",
        "product",
        "legal",
        "hr",
    ]
)
#: places and workplaces that are kinds, not names
HAN_KIND = re.compile(
    r"(?:家|酒店|宾馆|宿舍|学校|大学里|公司|医院|银行|工厂|餐厅|饭店|超市|店|政府|附近|这里|那里|"
    r"里面|外面|楼上|楼下|农村|乡下|城里|郊区)$"
)
#: what somebody else says, dreams, tales, jokes, and changes that were undone
FRAMED = re.compile(
    r"\b(?:says?|said|saying|asks?|asked|tells?|told|whether|claims?|claimed|thinks?|thought|"
    r"believes?|believed|dream\w*|pretend\w*|imagin\w*|kidding|joking|supposedly|allegedly|"
    r"back (?:again )?to|rolled back|reverted|undid|(?:in|of) (?:a|the|my|this|his|her) "
    r"(?:novel|story|book|film|movie|game|song|play|tale))\b"
    r"|说|告诉|问|梦见|梦到|梦里|假装|小说|故事里|电影里|游戏里|开玩笑|据说|听说|又换回|改回",
    re.IGNORECASE,
)
#: one value of two: which one holds cannot be told
OR_ANOTHER = re.compile(
    r"^(?: or | and (?:also )?(?:in |at |to |then )*)(?=[A-Z])|^ and then\b|^或|^和"
)
#: a year that is told belongs to a tale of the past
YEAR = re.compile(r"\b(?:in|since|until|back in) (?:1[0-9]{3}|20[0-9]{2})\b")
