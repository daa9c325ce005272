"""Where a date without its year, or a weekday without its week, lies from the moment of speaking.

What stands right beside the date is asked first: a deadline or what something is set for lies
ahead, `since` lies behind. Next comes what the date belongs to: a thing that was booked or called
off has its day to come, whenever that was done. Only then do the verbs of the sentence decide.
"""

import re
from typing import Literal

from stratagate_core.text.modality import looks_ahead, looks_back

#: future and past are what the verbs say; ahead: what is set for a day, which may just have gone
#: by; unclear: the day of the act or of its object; open: nothing is said
Lean = Literal["past", "future", "ahead", "open", "unclear"]


def _any(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(patterns), re.IGNORECASE)


#: what something is set for, or moved to, is still to come, although the verb is of the past
_SET = _any(
    r"\b(?:mov(?:e|ed|ing)|postpon(?:e|ed|ing)|reschedul(?:e|ed|ing)|push(?:ed|ing)?|"
    r"delay(?:ed|ing)?|shift(?:ed|ing)?|chang(?:e|ed|ing)|extend(?:ed|ing)?|"
    r"br(?:ings?|inging|ought) (?:it )?forward)\b[\w ]{0,50} (?:from|to|until|till) (?:the )?$",
    r"(?<!was )(?<!were )\b(?:planned|scheduled|set|fixed|booked|arranged|reserved)\b[\w ]{0,50}"
    r" for (?:the )?$",
    r"\b(?:is|are) (?:on |at )?(?:the )?$",
    r"(?:改|推迟|延期|延长?|提前|挪|调整|定|安排)(?:到|至|为|在|于)?了?\s?$",
)
_SINCE = _any(r"\bsince (?:the )?(?:early |mid |late )?$", r"自从?\s?$")
_SINCE_AFTER = re.compile(r"\s?以来")
_UNTIL = _any(
    r"(?<!of )\b(?:by|until|till|before|no later than|up to) (?:the )?"
    r"(?:end of |early |mid |late )?$",
    r"(?<![月日号天年一二三四五六末\d])(?:直到|[到至])\s?$",
)
_UNTIL_AFTER = re.compile(r"\s?(?:之前|以前|前(?!往|后|台|端|线))")
#: the beginning of a stretch, whose end is no deadline
_FROM = _any(r"\bfrom\b[\w ]{0,30}$", r"从[^，。]{0,12}$")
_FOR = _any(r"\bfor (?:the )?$", r"[为给]\s?$")
_MUST_AFTER = re.compile(r"\s?[就也还都]?(?:要(?!是|不是|求|么)|得(?!到)|必须|需要|用)")

#: a date that belongs to the thing named beside it
_OF = _any(r"\bof (?:the )?$")
_ARTICLE = _any(r"\b(?:the|our|my|your|his|her|their|a|an|this|that) $")
_NOUN_AFTER = re.compile(r" (?!and\b|or\b|at\b|in\b|we\b|i\b|he\b|she\b|they\b|it\b)[a-z]", re.I)
_OWNER_AFTER = re.compile(r"['’]s [a-z]|\s?[^，。！？\s]{0,4}的", re.IGNORECASE)

#: doing that is about something still to come
_ARRANGED = _any(
    r"\b(?:cancel|postpon|mov(?:e|ing)|shift|delay|extend|book|order|buy|bought|reserv|regist|"
    r"sign(?:ed|ing)? up|invit|confirm|announc|propos|suggest|prepar|plan|schedul|reschedul|"
    r"arrang|organi[sz]|hir|rent|bak|cook|"
    r"mak(?:e|ing)|made|pack|need|want|ask|request|call(?:ed|ing|s)? (?:\w+ ){0,3}off)",
    r"\b(?:get|got) (?:\w+ ){0,3}(?:tickets?|seats?|tables?|rooms?)\b",
    r"取消|推迟|延期|改期|订|预定|约[了好]|买|报名|安排|准备|邀请|确认",
)
_CALLED_OFF = _any(
    r"\b(?:cancel(?:s|l?ed|l?ing)?|scrap(?:s|ped|ping)?|call(?:s|ed|ing)? (?:\w+ ){0,3}off)\b"
)
_CALLED_OFF_BEFORE = _any(r"取消了?[^，。、的]{0,8}$")
#: `is cancelled`, `has been postponed` tell of how things stand, not of a day gone by
_STATE = re.compile(
    r"(?:\b(?:is|are|am|be|being|been|gets?)|['’](?:s|re|m))(?: not| now| all| still)? \w{2,}ed\b",
    re.IGNORECASE,
)
_TICKET = _any(
    r"\b(?:tickets?|seats?|tables?|rooms?|flights?|appointments?|reservations?) (?:for|to|at|with) "
    r"(?:[\w'’-]+ ){1,5}(?:on )?$"
)
#: who is bound to do something: what follows is still to be done
_BOUND = (
    r"(?:promis|agree|decid|offer|volunteer|pledg|vow|commit|arrang|plan|intend|hop|aim|expect|ask|"
    r"remind|invit|refus|guarantee)\w*|undert[oa]\w+|told|tell|swore|wants?|needs?|have|has|due|"
    r"ready|supposed"
)
_TO_DO = re.compile(
    rf"\b(?:{_BOUND})\b(?: [\w'’-]+){{0,4}}? (?:not )?to (?!the\b|an?\b)\w+(?P<rest>[^,;]*)$",
    re.IGNORECASE,
)
_OWED = _any(
    r"\b(?:promis|guarantee|commit|extend|request|expect|order|agree)\w*|\b(?:ow|need|want|ask)"
    r"(?:e?s|ed|ing)?\b",
    r"答应|承诺|保证|同意|说好|约[好定]|决定|计划|打算",
)
_TOLD_OF_LATER = _any(
    r"\b(?:said|says|told|promised|announced|wrote|thought|confirmed|mentioned|hoped|decided|agreed)"
    r"\b.*(?:\bwould|['’]d)\b (?!have\b)"
)
_SWORN = _any(r"(?:答应|承诺|保证|同意|说好|约[好定]|决定|计划|打算)好?了?[^，。]{0,12}$")
_NOT_GOING = _any(
    r"\bdecided (?:not to|against)\b|\bno longer (?:going|planning|happening|attending|doing)\b",
    r"不[去办搞开参买来]\w{0,2}了|不打算",
)


def lean(before: str, after: str) -> Lean:
    """Where a date lies, by the words of its sentence before and behind it."""
    if _SET.search(before):
        return "future"
    if _SINCE.search(before) or _SINCE_AFTER.match(after):
        return "past"
    if (is_end := _by_preposition(before, after)) is not None:
        return is_end
    return _by_object(before, after) or _by_verbs(before, after)


def _by_preposition(before: str, after: str) -> Lean | None:
    """What `by`, `until`, `before` and `for` say, None where none of them stands."""
    ends = _UNTIL.search(before)
    if (ends and not _FROM.search(before[: ends.start()])) or _UNTIL_AFTER.match(after):
        verbs = _by_verbs(before, after)
        return "ahead" if verbs != "past" or _OWED.search(before) else "past"
    if _FOR.search(before):
        verbs = _by_verbs(before, after)
        arranged = _ARRANGED.search(f"{before} {after}") or _OWED.search(before)
        return "ahead" if verbs != "past" or arranged else "past"
    return "future" if _MUST_AFTER.match(after) else None


def _by_object(before: str, after: str) -> Lean | None:
    """What a date of a thing says that was arranged or called off, None of any other date."""
    words = f"{before} {after}"
    if _is_of_a_thing(before, after) and _ARRANGED.search(words):
        return "ahead"
    if _TICKET.search(before) or _CALLED_OFF_BEFORE.search(before) or _NOT_GOING.search(words):
        return "ahead"
    begins = not re.sub(r"^\W*(?:on|in|at)?\W*", "", before, flags=re.IGNORECASE)
    if begins or not _CALLED_OFF.search(words):
        return None
    return "unclear" if _CALLED_OFF.search(_STATE.sub(" ", words)) else "ahead"


def _is_of_a_thing(before: str, after: str) -> bool:
    of = _OF.search(before) or _OWNER_AFTER.match(after)
    return bool(of or (_ARTICLE.search(before) and _NOUN_AFTER.match(after)))


def _by_verbs(before: str, after: str) -> Lean:
    to_do = _TO_DO.search(before)
    if to_do and not looks_back(to_do["rest"]):
        return "ahead"
    if _TOLD_OF_LATER.search(before) or _SWORN.search(before):
        return "ahead"
    words = _STATE.sub(" ", f"{before} {after}")
    ahead, back = looks_ahead(words), looks_back(words)
    if ahead == back:
        return "open"
    return "future" if ahead else "past"
