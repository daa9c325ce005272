"""The rules of the evidence gate (06)."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stratagate_core.errors import InvalidArgument
from stratagate_core.gate.rules import assess, check_use, strict_json

REFS = tuple(f"event:e{number}" for number in range(9))
GIVEN = st.lists(st.one_of(st.sampled_from([*REFS, " event:e1 ", "", "x"]), st.none()), max_size=14)
RAW = st.fixed_dictionaries(
    {},
    optional={
        "verdict": st.sampled_from(["sufficient", "partial", "wrong", "?", None, 3]),
        "next_strategy": st.sampled_from(["answer", "search_raw", "?", None, []]),
        "evidence_refs": st.one_of(GIVEN, st.just("event:e1"), st.none()),
        "fit": st.one_of(st.text(max_size=300), st.integers()),
        "missing": st.one_of(st.text(max_size=300), st.none()),
    },
)


def judged(**raw: Any) -> tuple[str, str]:
    """Verdict and strategy of a normalised assessment."""
    assessment = assess(raw, REFS)
    return assessment.verdict, assessment.next_strategy


def test_V_01_verdicts() -> None:
    """Sufficient needs an own ref and the strategy answer; unknown values are partial."""
    foreign, own = ["event:other"], [REFS[0]]
    answer = {"next_strategy": "answer"}
    assert judged(verdict="sufficient", evidence_refs=foreign, **answer) == (
        "partial",
        "search_events",
    )
    assert judged(verdict="sufficient", evidence_refs=own, **answer) == ("sufficient", "answer")
    assert judged(verdict="wrong", evidence_refs=own, **answer) == ("wrong", "search_events")
    assert judged(verdict="?", next_strategy="?") == ("partial", "search_events")
    accepted = assess(
        {"verdict": "sufficient", "evidence_refs": own, "missing": "date", **answer}, REFS
    )
    assert accepted.missing == ""


def test_V_01_the_ninth_ref() -> None:
    """Eight refs are accepted, the ninth is over the limit."""
    assessment = assess({"evidence_refs": list(REFS)}, REFS)
    assert REFS[:8] == assessment.evidence_refs
    assert [(8, REFS[8], "limit_exceeded")] == [
        (each.input_index, each.ref, each.reason) for each in assessment.rejected_evidence_refs
    ]


def test_V_02_foreign_and_repeated_refs() -> None:
    """A repeated ref is a duplicate, accepted before or not."""
    assessment = assess({"evidence_refs": [REFS[0], "foreign", "foreign", "fake"]}, REFS)
    assert assessment.evidence_refs == (REFS[0],)
    assert [each.reason for each in assessment.rejected_evidence_refs] == [
        "not_in_batch",
        "duplicate",
        "not_in_batch",
    ]


def test_rejected_refs_are_texts() -> None:
    """A ref that is no text is shown as compact JSON, a text unchanged."""
    rejected = assess({"evidence_refs": [3, None, "", {"a": [1]}, " x "]}, REFS)
    assert [each.ref for each in rejected.rejected_evidence_refs] == [
        "3",
        "null",
        "",
        '{"a":[1]}',
        " x ",
    ]


def test_notes_are_cut_and_the_default_follows_the_language() -> None:
    """Fit and missing are one line of 160; a blank missing gets a stock sentence."""
    assessment = assess({"fit": "a \n" * 200, "missing": " "}, REFS, language="zh")
    assert len(assessment.fit) == 160
    assert "证据" in assessment.missing


@given(RAW)
def test_an_assessment_holds_together(raw: dict[str, Any]) -> None:
    """Sufficient, answer and an empty missing come together, always with evidence of the batch."""
    assessment = assess(raw, REFS)
    stands = assessment.verdict == "sufficient"
    assert stands == (assessment.next_strategy == "answer") == (assessment.missing == "")
    assert not stands or assessment.evidence_refs
    assert set(assessment.evidence_refs) <= set(REFS)
    assert len(set(assessment.evidence_refs)) == len(assessment.evidence_refs) <= 8


def test_V_10_every_bad_ref_is_named() -> None:
    """All issues come at once with their index; a ref given twice counts once and is listed."""
    check = check_use(["a", "b", " a", "", "zzz", 7], ("a", "b"), ("a",))
    assert check.duplicates == ("a",)
    issues = [(each.input_index, each.ref, each.reason) for each in check.issues]
    assert issues == [
        (1, "b", "not_adopted"),
        (3, "", "invalid_ref"),
        (4, "zzz", "not_in_batch"),
        (5, "7", "invalid_ref"),
    ]


def test_V_09_nothing_is_adopted_without_a_sufficient_assessment() -> None:
    """Without one every ref is refused; an empty list needs none."""
    assert [each.reason for each in check_use(["a"], ("a",), None).issues] == ["not_adopted"]
    assert check_use([], ("a",), None) == ((), (), ())
    assert check_use(["a", "a "], ("a", "b"), ("a", "b")) == (("a",), ("a",), ())


@pytest.mark.parametrize(
    "value",
    [float("nan"), float("inf"), {1: "a"}, {"a": {None: 1}}, [object()], b"x", "\ud800", {1, 2}],
)
def test_V_17_not_losslessly_json(value: object) -> None:
    """What JSON cannot carry without loss is refused."""
    with pytest.raises(InvalidArgument, match="losslessly"):
        strict_json({"results": [value]})


def test_V_17_endless_nesting_is_refused() -> None:
    """A value that holds itself is an error, not a crash."""
    endless: list[Any] = []
    endless.append(endless)
    with pytest.raises(InvalidArgument, match="nested"):
        strict_json(endless)


@given(
    st.recursive(
        st.one_of(
            st.none(),
            st.booleans(),
            st.integers(),
            st.floats(allow_nan=False).filter(lambda number: abs(number) != float("inf")),
            st.text(alphabet=st.characters(exclude_categories=["Cs"])),
        ),
        lambda inner: st.one_of(
            st.lists(inner, max_size=3),
            st.dictionaries(st.text(alphabet="abc"), inner, max_size=3),
        ),
        max_leaves=6,
    )
)
def test_json_passes_unchanged(value: Any) -> None:
    """A JSON value is returned equal, survives writing, and tuples become lists."""
    assert value == strict_json(value) == json.loads(json.dumps(strict_json(value)))
    assert [value] == strict_json((value,))
