"""What code checks of the model's judgement: references and order, never sufficiency (06)."""

import json
import math
from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple, cast

from stratagate_core.errors import InvalidArgument
from stratagate_core.model.evidence import (
    STRATEGIES,
    VERDICTS,
    Assessment,
    Rejection,
    Strategy,
    Verdict,
)
from stratagate_core.text.clip import clip_line
from stratagate_core.text.language import Language

_MOST_REFS = 8
_LONGEST_NOTE = 160

_STILL_MISSING = {
    "en": "Direct evidence for the answer is still missing.",
    "zh": "仍缺少可直接支持回答的证据。",
}
_DETAILS = {
    "en": {
        "invalid_ref": "A reference is a text that is not blank.",
        "duplicate": "This reference was given before.",
        "not_in_batch": "This batch did not return this reference.",
        "limit_exceeded": f"At most {_MOST_REFS} references are accepted.",
        "not_adopted": "No sufficient assessment of this batch accepted this reference.",
    },
    "zh": {
        "invalid_ref": "引用必须是非空文本。",
        "duplicate": "该引用已经给出过。",
        "not_in_batch": "该批次没有返回此引用。",
        "limit_exceeded": f"最多接受 {_MOST_REFS} 个引用。",
        "not_adopted": "此引用未被该批次的充分评估接受。",
    },
}


class UseCheck(NamedTuple):
    """What a request to record use amounts to; with any issue nothing may be written."""

    refs: tuple[str, ...]
    duplicates: tuple[str, ...]
    issues: tuple[Rejection, ...]


def assess(
    raw: Mapping[str, Any], refs: Collection[str], *, language: Language = "en"
) -> Assessment:
    """The assessment `raw` as the model gave it, normalised against the refs of its batch.

    The batch ids and the status of the result are the caller's to fill in.
    """
    accepted, rejected = _sort_refs(raw.get("evidence_refs"), refs, language)
    verdict = _one_of(VERDICTS, raw.get("verdict"), "partial")
    strategy = _one_of(STRATEGIES, raw.get("next_strategy"), "search_events")
    missing = _note(raw.get("missing"))
    if verdict == "sufficient" and accepted and strategy == "answer":
        missing = ""
    else:
        verdict = "partial" if verdict == "sufficient" else verdict
        strategy = "search_events" if strategy == "answer" else strategy
        missing = missing or _STILL_MISSING[language]
    return Assessment(
        verdict=cast(Verdict, verdict),
        evidence_refs=accepted,
        fit=_note(raw.get("fit")),
        missing=missing,
        next_strategy=cast(Strategy, strategy),
        rejected_evidence_refs=rejected,
    )


def check_use(
    evidence_refs: Sequence[object],
    batch_refs: Collection[str],
    adopted: Collection[str] | None,
    *,
    language: Language = "en",
) -> UseCheck:
    """The refs whose use is to be recorded, those given again, and what is wrong with any.

    Args:
        evidence_refs: the refs as the model gave them.
        batch_refs: all refs of the batch.
        adopted: the refs a sufficient assessment accepted; None if there is no such assessment.
        language: the language of the details.

    """
    refs: dict[str, None] = {}
    duplicates: dict[str, None] = {}
    issues: list[Rejection] = []
    for index, given in enumerate(evidence_refs):
        ref = given.strip() if isinstance(given, str) else ""
        if ref in refs:
            duplicates[ref] = None
        elif reason := _use_issue(ref, batch_refs, adopted):
            issues.append(_reject(index, given, reason, language))
        if ref:
            refs[ref] = None
    return UseCheck(tuple(refs), tuple(duplicates), tuple(issues))


def strict_json(value: object) -> Any:
    """A copy of `value` in plain JSON types; tuples become lists.

    Raises:
        InvalidArgument: `value` cannot be written as JSON without loss.

    """
    try:
        return _json(value)
    except RecursionError as error:
        raise InvalidArgument("the value is nested too deeply for JSON") from error


def _sort_refs(
    raw: object, refs: Collection[str], language: Language
) -> tuple[tuple[str, ...], tuple[Rejection, ...]]:
    """The accepted and the rejected of the given refs, in order."""
    accepted: list[str] = []
    rejected: list[Rejection] = []
    seen: set[str] = set()
    for index, given in enumerate(raw if isinstance(raw, list | tuple) else ()):
        ref = given.strip() if isinstance(given, str) else ""
        reason = _ref_issue(ref, refs, seen, len(accepted))
        seen.add(ref)
        if reason:
            rejected.append(_reject(index, given, reason, language))
        else:
            accepted.append(ref)
    return tuple(accepted), tuple(rejected)


def _ref_issue(ref: str, refs: Collection[str], seen: set[str], accepted: int) -> str | None:
    if not ref:
        return "invalid_ref"
    if ref in seen:
        return "duplicate"
    if ref not in refs:
        return "not_in_batch"
    return "limit_exceeded" if accepted >= _MOST_REFS else None


def _use_issue(
    ref: str, batch_refs: Collection[str], adopted: Collection[str] | None
) -> str | None:
    if not ref:
        return "invalid_ref"
    if ref not in batch_refs:
        return "not_in_batch"
    return None if adopted is not None and ref in adopted else "not_adopted"


def _reject(index: int, given: object, reason: str, language: Language) -> Rejection:
    return Rejection(
        input_index=index,
        ref=given if isinstance(given, str) else _compact(given),
        reason=reason,
        detail=_DETAILS[language][reason],
    )


def _compact(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)


def _note(raw: object) -> str:
    return clip_line(raw, _LONGEST_NOTE) if isinstance(raw, str) else ""


def _one_of(allowed: tuple[str, ...], raw: object, neutral: str) -> str:
    return raw if isinstance(raw, str) and raw in allowed else neutral


def _json(value: object) -> Any:
    match value:
        case None | bool() | int():
            return value
        case float() if math.isfinite(value):
            return value
        case str() if _encodes(value):
            return value
        case list() | tuple():
            return [_json(item) for item in value]
        case Mapping():
            return {_json_key(key): _json(item) for key, item in value.items()}
    raise InvalidArgument(f"not losslessly JSON: {_describe(value)}")


def _json_key(key: object) -> str:
    if isinstance(key, str) and _encodes(key):
        return key
    raise InvalidArgument(f"not losslessly JSON: the key {_describe(key)}")


def _encodes(text: str) -> bool:
    """Whether `text` is free of lone surrogates, which no encoding of JSON can carry."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _describe(value: object) -> str:
    """`value` without its content: a text is only called so, a number is shown."""
    if isinstance(value, float):
        return f"{value}"
    return "a text with a lone surrogate" if isinstance(value, str) else type(value).__name__
