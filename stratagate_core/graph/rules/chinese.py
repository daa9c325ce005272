"""Patterns of Chinese sentences that state a fact beyond doubt."""

import re

from stratagate_core.graph.rules.pattern import Rule

_HAN = r"[\u4e00-\u9fffA-Za-z0-9·]"
_STOP = r"(?=[，。！；、,.!;]|$|了|的|这|，)"
_SOON = "现在|目前|已经|刚刚|刚|最近|一直|也|上个?月|上周|去年|今年|昨天"
_ME = rf"(?:^|(?<=[，。；！、,]))(?P<who>我|用户)(?:{_SOON})*"


def _chinese(text: str) -> re.Pattern[str]:
    return re.compile(_ME + text)


_HAN_PLACE = rf"(?P<value>(?!这|那|哪|一起|家|一个){_HAN}{{2,8}}?)"
CHINESE = (
    Rule(
        _chinese(rf"住在了?{_HAN_PLACE}{_STOP}"),
        "住处",
        relation="位于",
        target_type="place",
    ),
    Rule(
        _chinese(rf"(?:从{_HAN}{{2,8}}?)?搬[到去]了?{_HAN_PLACE}{_STOP}"),
        "住处",
        relation="位于",
        target_type="place",
    ),
    Rule(
        _chinese(
            r"在(?P<value>(?!家|这|那|外|公司|一家)[\u4e00-\u9fffA-Za-z0-9·]{2,10}?)(?:工作|上班)"
        ),
        "工作单位",
        relation="属于",
        target_type="organization",
    ),
    Rule(
        _chinese(rf"(?:入职|跳槽到)了?(?P<value>(?!一家|新){_HAN}{{2,10}}?){_STOP}"),
        "工作单位",
        relation="属于",
        target_type="organization",
    ),
    Rule(
        _chinese(
            r"(?:最|很|更|特别|非常|真的)?(?:喜欢|爱|偏爱|偏好)"
            rf"(?P<value>(?!你|您|他|她|它|这|那|上|我|的|自己|一个){_HAN}{{1,10}}?)(?=[，。！；,.!;]|$)"
        ),
        "喜欢",
        mode="set",
    ),
    Rule(_chinese(rf"对(?P<value>{_HAN}{{1,8}}?)过敏"), "过敏", mode="set"),
    Rule(
        _chinese(rf"(?:在用|使用|改用了?)(?P<value>[A-Za-z][\w+#./-]*){_STOP}"), "使用", mode="set"
    ),
)
_CLOSE = r"(?=[，。！；,.!;]|$)"
HAN_CALLED = _chinese(
    rf"(?:叫|的名字叫|的名字是)(?P<value>(?!你|他|她|我|做|它|了|过){_HAN}{{2,6}}?){_CLOSE}"
)
HAN_PET = (
    _chinese(
        r"(?:有|养了)(?:一)?[只条](?P<kind>狗|猫)[，,]?(?:它)?(?:名?叫|名字叫|名字是)"
        rf"(?P<value>{_HAN}{{1,6}}?){_CLOSE}"
    ),
    _chinese(
        r"(?:的|家的?)(?P<kind>狗|猫)(?:名?叫|的名字叫|的名字是)"
        rf"(?P<value>{_HAN}{{1,6}}?){_CLOSE}"
    ),
)
HAN_SWITCHED = re.compile(
    r"(?:^|(?<=[，。；！,]))(?P<who>我们?)(?:已经|刚刚|刚|最近)*从(?P<old>[A-Za-z][\w+#./-]*)"
    r"(?:换成|换到|迁移到|切换到|改成|改用)了?(?P<value>[A-Za-z][\w+#./-]*)"
)
HAN_COMMUTE = re.compile(
    r"(?:我的?)?通勤(?:时间)?(?:大约|大概)?(?:要|需要|是)?(?P<value>\d+ ?(?:分钟|个?小时))"
)
HAN_PROJECT = re.compile(
    r"(?:项目(?P<who>[A-Za-z][\w-]*)|(?P<other>[A-Za-z][\w-]*) ?项目)(?:已经|已)"
    r"(?P<value>完成|上线|暂停|取消|发布|延期|搁置)"
)
