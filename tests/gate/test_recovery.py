"""The recovery of the final answer, row by row of its table (06 §7)."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stratagate_core.errors import InvalidArgument
from stratagate_core.gate.recovery import (
    NEW_BATCH,
    NO_ANSWER,
    NO_PROGRESS,
    Action,
    Again,
    AskAnswer,
    Fail,
    Happening,
    NextRequest,
    Proceed,
    Received,
    RecoveryState,
    RequestSent,
    Stop,
    recover,
)

OPEN = RecoveryState()
CLOSING = RecoveryState(phase="closing", pending=("b1", "b2"), remaining_stops=2)
ANSWERING = RecoveryState(phase="answering")
WAITING = RecoveryState(phase="answering", attempts=1, request="r1")
CONFIRMED = RecoveryState(phase="answering", attempts=1, request="r1", confirmed=True)
WHOLE = Received(request="r1", texts=("", "The answer."), finish_reason="stop")


def closing(pending: str, stops: int) -> RecoveryState:
    """A closing state with these pending ids."""
    return RecoveryState(phase="closing", pending=tuple(pending.split()), remaining_stops=stops)


@pytest.mark.parametrize(
    ("state", "happening", "after", "action"),
    [
        (OPEN, Stop(unresolved=()), OPEN, Proceed),
        (OPEN, NextRequest(unresolved=("b1",)), OPEN, Proceed),
        (OPEN, RequestSent(request="r1"), OPEN, Proceed),
        (OPEN, WHOLE, OPEN, Proceed),
        (OPEN, Stop(unresolved=("b1", "b2")), CLOSING, Again),
        (CLOSING, Stop(unresolved=("b2",)), closing("b2", 1), Again),
        (CLOSING, Stop(unresolved=("b2", "b3")), closing("b2 b3", 1), Again),
        (CLOSING, NextRequest(unresolved=()), ANSWERING, AskAnswer),
        (CLOSING, NextRequest(unresolved=("b3",)), CLOSING, Proceed),
        (CLOSING, WHOLE, CLOSING, Proceed),
        (ANSWERING, NextRequest(unresolved=()), ANSWERING, AskAnswer),
        (ANSWERING, RequestSent(request="r1"), WAITING, Proceed),
        (WAITING, WHOLE, CONFIRMED, Proceed),
        (CONFIRMED, Stop(unresolved=()), OPEN, Proceed),
        (WAITING, Stop(unresolved=()), WAITING, Again),
    ],
)
def test_rows(
    state: RecoveryState, happening: Happening, after: RecoveryState, action: type[Action]
) -> None:
    """Each row of the table gives its next state and its action."""
    next_state, taken = recover(state, happening)
    assert (after, action) == (next_state, type(taken))


@pytest.mark.parametrize(
    ("state", "happening", "reason"),
    [
        (closing("b1", 0), Stop(unresolved=("b2",)), NO_PROGRESS),
        (CLOSING, Stop(unresolved=("b1", "b2")), NO_PROGRESS),
        (CLOSING, Stop(unresolved=("b1", "b2", "b3")), NO_PROGRESS),
        (RecoveryState(phase="answering", attempts=3), Stop(unresolved=()), NO_ANSWER),
        (CONFIRMED, Stop(unresolved=("b9",)), NEW_BATCH),
        (ANSWERING, NextRequest(unresolved=("b9",)), NEW_BATCH),
    ],
)
def test_failing_rows(state: RecoveryState, happening: Stop | NextRequest, reason: str) -> None:
    """A failure names its reason and the open batches, and nothing is asked after it."""
    failed, action = recover(state, happening)
    assert Fail(reason=reason, batch_ids=happening.unresolved) == action
    assert (failed, Proceed()) == recover(failed, Stop(unresolved=("b1",)))
    assert (failed, Proceed()) == recover(failed, NextRequest(unresolved=("b1",)))


@pytest.mark.parametrize(
    "reply",
    [
        Received(request="r1"),
        Received(request="r1", texts=("", " \n")),
        Received(request="r1", texts=("Half",), finish_reason="length"),
        Received(request="r1", texts=("No",), finish_reason="content_filter"),
        Received(request="r1", texts=("No",), finish_reason="error"),
        Received(request="r1", texts=("No",), finish_reason="tool_use"),
        Received(request="r1", texts=("No",), tool_calls=1),
        Received(request="r1", texts=("No",), complete=False),
    ],
)
def test_V_07_no_whole_answer_confirms_nothing(reply: Received) -> None:
    """Empty, blank, truncated or interrupted replies and tool calls do not count."""
    assert recover(WAITING, reply)[0] == WAITING


def test_V_07_three_bad_answers_fail() -> None:
    """After the third request without an answer the recovery gives up."""
    state = ANSWERING
    actions: list[type[Action]] = []
    for number in range(3):
        state, _ = recover(state, NextRequest(unresolved=()))
        state, _ = recover(state, RequestSent(request=f"r{number}"))
        state, _ = recover(state, Received(request=f"r{number}"))
        state, action = recover(state, Stop(unresolved=()))
        actions.append(type(action))
    assert [action.__name__ for action in actions] == ["Again", "Again", "Fail"]


def test_V_08_other_requests_confirm_nothing_and_a_new_one_voids() -> None:
    """A reply to another request is ignored; sending again voids a confirmation."""
    assert recover(WAITING, Received(request="r0", texts=("The answer.",)))[0] == WAITING
    assert not recover(CONFIRMED, RequestSent(request="r2"))[0].confirmed


@pytest.mark.parametrize(("language", "word"), [("en", "Close each"), ("zh", "逐一关闭")])
def test_instructions_name_the_batches_and_the_tool(language: str, word: str) -> None:
    """The instruction to close names every open batch and the tool, in the language asked for."""
    _, action = recover(
        OPEN,
        Stop(unresolved=("b1", "b2")),
        language=language,  # type: ignore[arg-type]
        record_use_tool="mem_record_use",
    )
    assert isinstance(action, Again)
    assert action.batch_ids == ("b1", "b2")
    for part in ("b1", "b2", "mem_record_use", word):
        assert part in action.instruction


def test_every_action_that_asks_says_something() -> None:
    """No request goes out again without an instruction."""
    asks = [
        recover(OPEN, Stop(unresolved=("b1",))),
        recover(closing("b1", 1), Stop(unresolved=())),
        recover(CLOSING, NextRequest(unresolved=())),
        recover(WAITING, Stop(unresolved=())),
    ]
    texts = [action.instruction for _, action in asks if isinstance(action, Again | AskAnswer)]
    assert len(set(texts)) == 4
    assert all(texts)


@given(
    st.lists(
        st.one_of(
            st.lists(st.sampled_from(["b1", "b2", "b3"]), unique=True).map(
                lambda ids: Stop(unresolved=tuple(ids))
            ),
            st.lists(st.sampled_from(["b1", "b2"]), unique=True).map(
                lambda ids: NextRequest(unresolved=tuple(ids))
            ),
            st.sampled_from(["r1", "r2"]).map(lambda request: RequestSent(request=request)),
            st.just(WHOLE),
        ),
        max_size=12,
    )
)
def test_a_state_survives_json_at_every_step(happenings: list[Happening]) -> None:
    """A state can be stored between any two steps."""
    state = OPEN
    for happening in happenings:
        state, _ = recover(state, happening)
        assert state == RecoveryState.from_json(json.loads(json.dumps(state.to_json())))


@pytest.mark.parametrize("raw", [{"phase": "dancing"}, {"who": 1}, {"pending": 3}])
def test_a_damaged_state_is_refused(raw: dict[str, object]) -> None:
    """What is no recovery state is a clear error."""
    with pytest.raises(InvalidArgument):
        RecoveryState.from_json(raw)
