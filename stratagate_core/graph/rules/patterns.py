"""Sentences that state a fact beyond doubt, in English and Chinese.

Each pattern names a subject, a key and a value. The subject is the speaker (`I`, 我) or somebody
the sentence names; names of others count only where the verb fits nobody but a person, or where
they are known to be one.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from stratagate_core.graph.rules.chinese import (
    CHINESE,
    HAN_CALLED,
    HAN_COMMUTE,
    HAN_PET,
    HAN_PROJECT,
    HAN_SWITCHED,
)
from stratagate_core.graph.rules.english import (
    CALLED,
    COMMUTE,
    ENGLISH,
    KINDS,
    MANY_KIN,
    NAMED_PROJECT,
    PET,
    PORTED,
    PROJECT,
    RELATIVE,
    SWITCHED,
    TOOL,
    USES,
)
from stratagate_core.graph.rules.pattern import Rule
from stratagate_core.graph.rules.statements import name_key
from stratagate_core.graph.rules.unclear import (
    FRAMED,
    HAN_KIND,
    NO_NAME,
    NO_PLACE,
    NOBODY,
    OR_ANOTHER,
    YEAR,
)
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


def read_sentence(sentence: str, speaker: str, known: Mapping[str, str]) -> Iterator[Told]:
    """What a sentence tells; `known` holds the types of known nodes by name."""
    if FRAMED.search(sentence):
        return
    yield from read_names(sentence, speaker)
    yield from _switches(sentence, speaker)
    yield from _ported(sentence, known)
    if is_negated(sentence):
        return
    for rule in (*ENGLISH, *CHINESE):
        for found in rule.pattern.finditer(sentence):
            who = _subject(found["who"], speaker, known, personal=rule.personal)
            value = _clean(found["value"])
            if who is None or not value or _is_unclear(rule, sentence, found, known):
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


def _is_unclear(rule: Rule, sentence: str, found: re.Match[str], known: Mapping[str, str]) -> bool:
    """The value is no name of what it should name, or another one stands beside it."""
    value = _clean(found["value"])
    if rule.mode == "state" and OR_ANOTHER.match(sentence[found.end("value") :]):
        return True
    if not rule.target_type:
        return False
    if normal(value) in NO_PLACE or normal(value).startswith("team ") or HAN_KIND.search(value):
        return True
    return known.get(name_key(value), rule.target_type) != rule.target_type


def read_names(sentence: str, speaker: str) -> Iterator[Told]:
    """What the speaker is called."""
    for pattern in (*CALLED, HAN_CALLED):
        found = pattern.search(sentence)
        if found is None or FRAMED.search(sentence) or not _is_name(found["value"]):
            continue
        if name_key(found["value"]) != name_key(speaker):
            yield Told(subject=speaker, alias=_clean(found["value"]))


def _is_name(value: str) -> bool:
    """Whether these words can be what somebody is called."""
    words = [normal(word) for word in value.split()]
    if normal(value) in NOBODY or any(word in NO_NAME for word in words):
        return False
    return len(words) == 1 or not any(word.endswith(("ing", "ed")) for word in words)


def _switches(sentence: str, speaker: str) -> Iterator[Told]:
    for pattern in (*SWITCHED, HAN_SWITCHED):
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
    for pattern in (*PET, *HAN_PET):
        for found in pattern.finditer(sentence):
            who = _subject(found["who"], speaker, known, personal=True)
            if who is not None:
                kind = KINDS.get(found["kind"], found["kind"])
                yield Told(subject=who, key=kind, value=_clean(found["value"]), mode="set")
    for found in RELATIVE.finditer(sentence):
        kind = found["kind"]
        mode = "set" if kind in MANY_KIN else "state"
        yield Told(
            subject=speaker,
            key=kind,
            value=_clean(found["value"]),
            mode=mode,
            relation=kind,
            target_type="person",
        )
    for pattern, key, ground in ((COMMUTE, "commute", "home"), (HAN_COMMUTE, "通勤", "住处")):
        if commute := pattern.search(sentence):
            yield Told(subject=speaker, key=key, value=commute["value"], depends_on=(ground,))
    for pattern, key in ((PROJECT[0], "state"), (HAN_PROJECT, "状态")):
        for found in pattern.finditer(sentence) if not YEAR.search(sentence) else ():
            name = found["who"] or found["other"]
            yield Told(subject=name, subject_type="project", key=key, value=found["value"])


def _uses(sentence: str, speaker: str, known: Mapping[str, str]) -> Iterator[Told]:
    """Tools in use, of people and of things that are known to be worked on."""
    for found in NAMED_PROJECT.finditer(sentence):
        yield Told(subject=found["who"], subject_type="project")
    for found in USES.finditer(sentence):
        kind = known.get(name_key(found["who"]), "person")
        who = found["who"] if kind == "project" else None
        who = who or _subject(found["who"], speaker, known, personal=False)
        for value in (found["value"], found["more"]) if who is not None else ():
            if value:
                yield _tool(str(who), kind, _clean(value))


def _ported(sentence: str, known: Mapping[str, str]) -> Iterator[Told]:
    """A project that left one tool for another; both must look like tools."""
    for found in PORTED.finditer(sentence):
        new = known.get(name_key(found["who"])) is None
        tools = [_clean(found[name]) for name in ("old", "value")]
        if known.get(name_key(found["who"])) == "project" or (
            new and all(TOOL.match(tool) for tool in tools)
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
    if re.search(r"['’]", bare) or normal(bare) in NOBODY or normal(bare.split()[0]) in NOBODY:
        return None
    return bare if personal or known.get(name_key(bare)) == "person" else None


def _clean(value: str) -> str:
    return value.strip(" .,;!'’-，。")


def normal(text: str) -> str:
    """Text for comparing single words."""
    return text.casefold()
