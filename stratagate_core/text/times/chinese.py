"""The Chinese grammar. The finder has turned traditional and full-width signs into plain ones."""

import re
from datetime import date, timedelta

from stratagate_core.text.times.calendar import (
    Interval,
    Unit,
    between,
    days,
    distance,
    month_start,
    nearest_date,
    nearest_month,
    nearest_weekday,
    one_day,
    one_month,
    one_year,
    season,
    unit_at,
    weekday_of,
    weekend,
)
from stratagate_core.text.times.expression import Basis
from stratagate_core.text.times.grammar import Clause, rule

_DIGITS = {char: value for value, char in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}
_DAYS = {
    "大前天": -3, "前天": -2, "前晚": -2, "昨": -1, "今": 0, "明": 1, "后天": 2, "后晚": 2,
    "大后天": 3,
}  # fmt: skip
_YEARS = {"大前年": -3, "前年": -2, "去年": -1, "今年": 0, "本年": 0, "明年": 1, "后年": 2}
_STEPS = {"上上": -2, "上": -1, "这": 0, "本": 0, "下": 1, "下下": 2}
_UNITS: dict[str, Unit] = {
    "分钟": "minute", "小时": "hour", "天": "day", "日": "day", "周": "week", "星期": "week",
    "礼拜": "week", "月": "month", "年": "year",
}  # fmt: skip
_SEASONS = {"春": "spring", "夏": "summer", "秋": "autumn", "冬": "winter"}
_HOLIDAYS = {
    "元旦": (1, 1), "情人节": (2, 14), "劳动节": (5, 1), "国庆": (10, 1), "圣诞": (12, 25),
    "万圣节": (10, 31), "平安夜": (12, 24),
}  # fmt: skip

_NUM = r"\d{1,2}|[一二两三四五六七八九十]{1,3}"
_NO_NUM = r"(?<![\d.一二两三四五六七八九十百多第每])"
_WEEK = r"(?:周|星期|礼拜)"
#: 下周一起去 is "next week, together": a numeral only where no word or measure swallows it
_WEEKDAY = (
    r"(?P<weekday>一(?![起样直定些下共般边致])|[二三四五六]"
    r"|[日天](?![本天常])|末)(?![个次位名条项场点月])"
)
_PART = r"(?:的?(?:凌晨|清晨|早晨|早上|上午|中午|下午|傍晚|晚上|夜里|半夜|夜|早|晨|晚))?"
_YEAR_WORD = r"大前年|(?<![以之从目])前年|(?<!过)去年|(?<![如当而])今年|本年|明年|(?<![以之])后年"


def number(word: str) -> int:
    """The value of a numeral up to 999: figures, 十二, 二十, 一百二十."""
    if word.isdigit():
        return int(word)
    if word == "半":
        raise ValueError(word)
    total, current = 0, 0
    for char in word:
        if char in "十百":
            total += (current or 1) * (10 if char == "十" else 100)
            current = 0
        elif current:
            raise ValueError(word)
        else:
            current = _DIGITS[char]
    return total + current


def _year_number(word: str) -> int:
    return int(word) if word.isdigit() else int("".join(str(_DIGITS[char]) for char in word))


def _near_day(match: re.Match[str], clause: Clause) -> Interval:
    word = match["word"]
    step = _DAYS.get(word, _DAYS.get(word[0], 0))
    return one_day(clause.today + timedelta(days=step))


def _which_week(match: re.Match[str], clause: Clause) -> Interval:
    weeks, weekday = _STEPS[match["which"]], match["weekday"]
    if weekday is None:
        return unit_at(clause.today, weeks, "week")
    return _day_of_week(clause.today, weeks, weekday)


def _day_of_week(today: date, weeks: int, weekday: str) -> Interval:
    if weekday == "末":
        return weekend(today + timedelta(days=7 * weeks))
    return one_day(weekday_of(today, "一二三四五六日".index(weekday.replace("天", "日")), weeks))


def _weekday(match: re.Match[str], clause: Clause) -> Interval:
    weekday, ahead = match["weekday"], clause.tense in ("future", "ahead")
    if weekday == "末":
        return weekend(clause.today - timedelta(days=0 if ahead else 7))
    position = "一二三四五六日".index(weekday.replace("天", "日"))
    return one_day(nearest_weekday(clause.today, position, ahead=ahead))


def _which_month(match: re.Match[str], clause: Clause) -> Interval:
    today = clause.today
    first = month_start(today.year, today.month + _STEPS[match["which"]])
    if match["day"]:
        return one_day(first.replace(day=number(match["day"])))
    return one_month(first.year, first.month)


def _which_year(match: re.Match[str], clause: Clause) -> Interval:
    year = clause.today.year + _YEARS[match["year"]]
    if match["season"]:
        return season(_SEASONS[match["season"]], year)
    if match["holiday"]:
        return one_day(date(year, *_HOLIDAYS[match["holiday"]]))
    return _in_year(match, year, "relative")


def _full_date(match: re.Match[str], _clause: Clause) -> Interval:
    year = _year_number(match["year"])
    if match["season"]:
        return season(_SEASONS[match["season"]], year, "explicit")
    return _in_year(match, year, "explicit")


def _in_year(match: re.Match[str], year: int, basis: Basis) -> Interval:
    if match["month"] is None:
        return one_year(year, basis)
    month = number(match["month"])
    if not 1 <= month <= 12:
        raise ValueError(month)
    if match["day"] is None:
        return one_month(year, month, basis)
    return one_day(date(year, month, number(match["day"])), basis)


def _month_day(match: re.Match[str], clause: Clause) -> Interval:
    month = number(match["month"])
    first = nearest_date(clause.today, month, number(match["day"]), clause.tense)
    if match["until"] is None:
        return one_day(first, "explicit")
    last = first.replace(day=number(match["until"]))
    return days(first, last + timedelta(days=1), "range", "explicit")


def _month(match: re.Match[str], clause: Clause) -> Interval:
    return nearest_month(clause.today, number(match["month"]), clause.tense)


def _away(match: re.Match[str], clause: Clause) -> Interval | None:
    unit, sign = _UNITS[match["unit"]], -1 if match["side"] == "前" else 1
    word = match["count"]
    if word in ("几", "数"):
        return (
            None if unit in ("minute", "hour") else between(clause.today, 2 * sign, 5 * sign, unit)
        )
    if word == "半":
        return _half(unit, sign, clause)
    if len(word) == 2 and word[1] != "十" and word[0] in _DIGITS and word[1] in _DIGITS:
        low, high = sorted(_DIGITS[char] for char in word)
        return between(clause.today, low * sign, high * sign, unit) if high - low == 1 else None
    count = number(word) * sign
    if unit in ("minute", "hour"):
        return clause.moment(timedelta(minutes=count * (60 if unit == "hour" else 1)))
    return distance(clause.today, count, unit)


def _lately(match: re.Match[str], clause: Clause) -> Interval:
    """前两天 and 前几天: a short while ago."""
    low, high = (1, 2) if match["vague"] == "两" else (2, 5)
    return between(clause.today, -high, -low, _UNITS[match["unit"]])


def _half(unit: Unit, sign: int, clause: Clause) -> Interval | None:
    if unit == "year":
        return distance(clause.today, 6 * sign, "month")
    return distance(clause.today, 15 * sign, "day") if unit == "month" else None


def _stretch(match: re.Match[str], clause: Clause) -> Interval | None:
    unit = _UNITS[match["unit"]]
    count = 5 if match["count"] in ("几", "数") else number(match["count"])
    sign = -1 if match["side"][0] in "过最近这" else 1
    return between(clause.today, 0, sign * count, unit)


_COUNT = r"(?P<count>\d{1,3}|[一二两三四五六七八九十百]{1,5}|几|数|半)"
_UNIT = r"(?:(?P<unit>分钟|小时|天|日|周|星期|礼拜|月|年))"
_MONTH_DAY = rf"(?P<month>{_NUM})月(?:份|(?P<day>{_NUM})[日号](?!线|楼|院|店|门|机))?"
_SEASON = r"(?P<season>春|夏|秋|冬)(?:天|季|(?![\u4e00-\u9fff]))"

RULES = (
    rule(r"(?<![以之目从])前(?P<vague>[两几])个?(?P<unit>天|周|星期|礼拜|月|年)", _lately),
    rule(
        rf"(?P<word>大前天|(?<![以之从目大])前[天晚]|昨[天日晚夜]|(?<![如当而])今[天日晚早晨夜]|明[天日晚早]"
        rf"|大后天|(?<![以之大])后[天晚])(?!天){_PART}",
        _near_day,
    ),
    rule(rf"(?P<which>上上|下下|上|下|这|本)一?个?{_WEEK}(?:{_WEEKDAY}{_PART})?", _which_week),
    rule(
        rf"(?<![每上下这本个\d几一二两三四五六七八九十])(?:周|星期|礼拜){_WEEKDAY}{_PART}",
        _weekday,
    ),
    rule(
        rf"(?P<which>上上|下下|上|下|这|本)(?:个|一个)?月(?!亮|球|饼)(?:的?(?P<day>{_NUM})[日号])?",
        _which_month,
    ),
    rule(
        rf"(?P<year>{_YEAR_WORD})(?![轻龄纪代])的?(?:{_MONTH_DAY}{_PART}|{_SEASON}|"
        rf"(?P<holiday>{'|'.join(_HOLIDAYS)})节?)?",
        _which_year,
    ),
    rule(
        rf"(?<![\w.-])(?P<year>(?:1[5-9]|20)\d\d|(?<![零〇一二三四五六七八九])[一二][零〇九八七六五四三二一]"
        rf"[零〇一二三四五六七八九]{{2}})~年(?![前后级])~(?:{_MONTH_DAY}{_PART}|{_SEASON})?",
        _full_date,
    ),
    rule(
        rf"{_NO_NUM}(?P<month>{_NUM})月(?P<day>{_NUM})[日号](?!线|楼|院|店|门|机)"
        rf"(?:[到至-](?P<until>{_NUM})[日号])?{_PART}",
        _month_day,
    ),
    rule(rf"{_NO_NUM}(?<![个几数])(?P<month>{_NUM})月份?(?![一二三四五六七八九十\d])", _month),
    rule(rf"{_NO_NUM}(?<!个){_COUNT}~个?{_UNIT}(?:之|以)?(?P<side>前|后)(?!天|年)", _away),
    rule(
        rf"(?P<side>过去|最近|近|未来|接下来|今后|这(?=[两几]))的?这?{_COUNT}~个?{_UNIT}(?!前|后)",
        _stretch,
    ),
)

CLOCK_AFTER = (
    rf"~(?P<day_part>凌晨|清晨|早晨|早上|上午|中午|下午|傍晚|晚上)?~(?P<hour>{_NUM})(?:点钟?|时(?!候|间)|:)"
    rf"(?P<min>半|一刻|三刻|\d\d?分?|[一二三四五六七八九十]{{1,3}}分)?"
)
