"""The tools as an agent meets them: schemas, coercion, results, errors as values."""

import json
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from itertools import repeat
from typing import Any

import pytest

from stratagate_core import Event, Settings, StrataGate
from stratagate_core.gate.cards import event_card
from stratagate_core.testing import ManualClock, ScriptedModel
from stratagate_core.tools import PROTOCOL, ToolResult, call, protocol, tool_specs
from tests.conftest import NO_GRAPH

Opener = Callable[..., StrataGate]
NAMES = (
    "list_topics",
    "expand_topic",
    "search_events",
    "expand_event",
    "search_graph",
    "expand_graph_node",
    "search_raw",
    "get_blocks",
    "expand_block",
    "assess",
    "record_use",
    "remember",
)
SUMMARY = {
    "l0_title": "A block",
    "l1_summary": "They talked.",
    "l0_tags": [],
    "l2_keypoints": [],
    "should_extract": False,
}


@pytest.fixture
def memory(open_memory: Opener) -> StrataGate:
    """A memory with two sealed turns of thread ``a`` and one event that rests on the first."""
    memory = open_memory(
        settings={"block_turn_size": 1, "processing": "inline"},
        model=ScriptedModel(
            {"summarise_block": repeat(SUMMARY), "project_graph": repeat(NO_GRAPH)}
        ),
    )
    block_id = memory.add_turn(
        "The school speech was last week.", "Well done!", thread="a"
    ).sealed_block_id
    memory.add_turn("I had tea.", "Enjoy.", thread="a")
    source = memory.thread_messages("a")[0]
    card = {"title": "School speech", "summary": "Spoke at school.", "scope": "user"}
    cited = {"source_block_id": block_id, "source_message_ids": [source.id]}
    memory.ingest_events([card | cited | {"quotes": ["The school speech"]}])
    return memory


def use(
    memory: StrataGate,
    tool: str,
    arguments: Mapping[str, Any],
    *,
    thread: str | None = "a",
    receipt: str | None = None,
) -> ToolResult:
    """Call a tool by its operation."""
    spec = next(spec for spec in tool_specs(Settings()) if spec.operation == tool)
    return call(spec, memory, thread, arguments, receipt=receipt)


def value(memory: StrataGate, tool: str, arguments: Mapping[str, Any], **options: Any) -> Any:
    """The value of a call that succeeds."""
    result = use(memory, tool, arguments, **options)
    assert not result.is_error, result.text
    return result.value


def error(memory: StrataGate, tool: str, arguments: Mapping[str, Any], **options: Any) -> Any:
    """The error of a call that fails."""
    result = use(memory, tool, arguments, **options)
    assert result.is_error
    return result.value["error"]


def test_L_01_tools_that_exist_name_stratagate() -> None:
    """Every tool has its prefixed name and a description that begins with StrataGate."""
    specs = tool_specs(Settings(tool_prefix="sg_"))

    assert tuple(spec.name for spec in specs) == tuple(f"sg_{name}" for name in NAMES)
    assert all(spec.description.startswith("StrataGate") for spec in specs)
    assert all(len(spec.description) <= 1024 for spec in specs)
    assert "sg_search_events" in specs[0].description


def test_every_argument_is_described() -> None:
    """A model sees a type and a description for every argument."""
    for spec in tool_specs(Settings()):
        for name, schema in spec.parameters.model_json_schema()["properties"].items():
            assert {"type", "description"} <= set(schema), (spec.name, name)


def test_protocol_names_the_tools_in_both_languages() -> None:
    """The protocol exists in English and Chinese and uses the names of the tools."""
    assert set(PROTOCOL) == {"en", "zh"}
    for language in ("en", "zh"):
        text = protocol(Settings(language=language, tool_prefix="sg_"))
        assert "sg_record_use" in text
        assert "{p}" not in text


def test_search_returns_the_envelope(memory: StrataGate) -> None:
    """A search gives batch, refs and cards as JSON; numbers in text and extras are taken."""
    found = value(memory, "search_events", {"query": "school", "limit": "7", "mood": "calm"})

    event_id = found["results"][0]["id"]
    assert found["evidence_refs"] == [f"event:{event_id}"]
    assert [batch.id for batch in memory.open_batches("a")] == [found["batch_id"]]
    assert "quotes" not in found["results"][0]
    assert json.loads(json.dumps(found)) == found


def test_limits_are_clamped_and_null_means_absent(memory: StrataGate) -> None:
    """A limit beyond its range is clamped, a null is no argument, a lone text is a list."""
    found = value(
        memory,
        "search_events",
        {"query": "school", "limit": 500, "offset": None, "participants": None},
    )
    nobody = value(memory, "search_events", {"query": "school", "participants": "Zoe"})

    assert len(found["results"]) == 1
    assert (nobody["results"], nobody["reason"]) == ([], "filtered_out")


def test_expand_event_shows_quotes_and_sources(memory: StrataGate) -> None:
    """The complete card has quotes and sources, in a batch of its own."""
    event_id = value(memory, "search_events", {"query": "school"})["results"][0]["id"]

    expanded = value(memory, "expand_event", {"id": event_id})

    (card,) = expanded["results"]
    assert card["quotes"] == ["The school speech"]
    assert card["source_message_ids"] == [memory.thread_messages("a")[0].id]
    assert len(memory.open_batches("a")) == 2


def test_L_04_raw_hits_name_block_and_message(memory: StrataGate) -> None:
    """A raw hit has block id and message id and no neighbours."""
    found = value(memory, "search_raw", {"query": "school speech"})

    hit, said = found["results"][0], memory.thread_messages("a")[0]
    assert (hit["id"], hit["block_id"]) == (said.id, said.block_id)
    assert (found["scope"], found["thread_id"]) == ("namespace", "a")
    assert not [key for key in hit if "neighbour" in key or key in ("before", "after")]


def test_L_04_an_event_without_block_has_no_block_key() -> None:
    """Absent fields are left out of a card, never null."""
    now = datetime(2026, 1, 1, tzinfo=UTC)
    event = Event(
        id="evt_1",
        title="Tea",
        summary="Likes tea.",
        source_message_ids=("msg_1",),
        scope="user",
        created_at=now,
        updated_at=now,
        pool="agent",
    )

    card = event_card(event, weight=1.0, timezone=UTC)

    assert "source_block_id" not in card
    assert None not in card.values()


def test_L_02_empty_blocks_say_why(memory: StrataGate) -> None:
    """An empty block list says whether a tail or other threads hold what is missing."""
    other = value(memory, "get_blocks", {}, thread="b")
    everywhere = value(memory, "get_blocks", {"scope": "namespace"}, thread="b")
    memory.add_turn("Hello.", "Hi.", thread="b", work="append")
    tail = value(memory, "get_blocks", {"scope": "session"}, thread="b")

    assert (other["results"], other["empty_reason"]) == ([], "blocks_exist_in_other_threads")
    assert (other["block_count"], other["namespace_block_count"]) == (0, 2)
    assert (everywhere["block_count"], everywhere["empty_reason"]) == (2, None)
    assert (tail["open_tail_count"], tail["empty_reason"]) == (1, "open_tail_pending")


def test_L_02_a_new_namespace_has_no_blocks(memory: StrataGate) -> None:
    """A namespace without any block says so."""
    empty = value(memory.for_namespace("session:x"), "get_blocks", {}, thread="x")

    assert empty["empty_reason"] == "no_blocks_in_namespace"


def test_V_16_an_expanded_block_is_cited_with_its_level(memory: StrataGate) -> None:
    """A block expanded to raw is cited with level 5 and as expanded, and reinforces nothing."""
    block_id = memory.thread_messages("a")[0].block_id
    found = value(memory, "expand_block", {"id": block_id, "target": "raw"})
    (ref,) = found["evidence_refs"]
    judgement = {"verdict": "sufficient", "fit": "it says so", "missing": ""}
    value(memory, "assess", {"evidence_refs": [ref], "next_strategy": "answer", **judgement})

    receipt = value(memory, "record_use", {"evidence_refs": [ref]}, receipt="call_1")

    (citation,) = receipt["citations"]
    assert (citation["level"], citation["expanded"]) == (5, True)
    assert (ref, 0) == (f"block:{block_id}:level:5", receipt["incremented"])


def test_the_gate_closes_a_whole_flow(memory: StrataGate) -> None:
    """Search, assess, record: the event counts once more, the repeated call changes nothing."""
    found = value(memory, "search_events", {"query": "school"})
    refs = found["evidence_refs"]
    judged = value(
        memory,
        "assess",
        {"verdict": "sufficient", "evidence_refs": refs, "next_strategy": "answer"},
    )
    arguments = {"batch_id": found["batch_id"], "evidence_refs": json.dumps(refs)}
    first = value(memory, "record_use", arguments, receipt="call_1")
    again = value(memory, "record_use", arguments, receipt="call_1")

    assert (judged["verdict"], judged["missing"]) == ("sufficient", "")
    assert (first["incremented"], first) == (1, again)
    assert memory.event(first["event_ids"][0]).weight.mention_count == 2
    assert memory.open_batches("a") == ()


def test_V_13_a_batch_survives_a_restart(memory: StrataGate, open_memory: Opener) -> None:
    """An unresolved batch can be assessed and recorded after reopening, in its thread only."""
    found = value(memory, "search_events", {"query": "school"})
    memory.close()
    reopened = open_memory()
    judgement = {
        "batch_id": found["batch_id"],
        "verdict": "sufficient",
        "evidence_refs": found["evidence_refs"],
        "next_strategy": "answer",
    }

    assert error(reopened, "assess", judgement, thread="b")["code"] == "batch"
    assert value(reopened, "assess", judgement)["verdict"] == "sufficient"
    receipt = value(reopened, "record_use", {"evidence_refs": found["evidence_refs"]})
    assert (receipt["batch_id"], receipt["incremented"]) == (found["batch_id"], 1)


@pytest.mark.parametrize(
    ("tool", "arguments", "code", "said"),
    [
        ("search_events", {}, "invalid_argument", "query"),
        ("search_events", {"query": "x", "offset": -1}, "invalid_argument", "offset"),
        ("search_events", {"query": "x", "offset": 1.5}, "invalid_argument", "offset"),
        ("search_events", {"query": "x", "temporal_intent": "soon"}, "invalid_argument", "latest"),
        ("expand_event", {"id": "evt_99"}, "not_found", "search_events"),
        ("search_raw", {"query": "x", "scope": "galaxy"}, "invalid_argument", "session"),
        ("expand_block", {"id": "blk_99"}, "not_found", "get_blocks"),
        ("assess", {"verdict": "partial", "evidence_refs": []}, "batch", "retrieve"),
        ("record_use", {"evidence_refs": []}, "batch", "retrieve"),
        ("record_use", {}, "invalid_argument", "evidence_refs"),
    ],
)
def test_L_03_errors_are_values(
    memory: StrataGate, tool: str, arguments: dict[str, Any], code: str, said: str
) -> None:
    """A failing call returns its code and what to do next, and leaves no batch."""
    failure = error(memory, tool, arguments)

    assert failure["code"] == code
    assert said in failure["message"]
    assert memory.open_batches("a") == ()


def test_L_03_evidence_errors_list_refs(memory: StrataGate) -> None:
    """Refs that may not be used are listed one by one, beside those that are there."""
    found = value(memory, "search_events", {"query": "school"})

    failure = error(memory, "record_use", {"evidence_refs": [*found["evidence_refs"], 3]})

    assert failure["code"] == "evidence"
    assert [issue["reason"] for issue in failure["issues"]] == ["not_adopted", "invalid_ref"]
    assert failure["available_evidence_refs"] == found["evidence_refs"]


def test_L_03_neither_a_missing_thread_nor_a_broken_memory_raises(memory: StrataGate) -> None:
    """Without a thread a tool does nothing; what breaks inside is told without content."""
    failure = error(memory, "search_events", {"query": "x"}, thread="  ")
    broken: Any = object()

    assert failure["code"] == "invalid_argument"
    assert error(broken, "search_events", {"query": "x"})["code"] == "unavailable"


def test_X_02_tool_results_are_redacted(memory: StrataGate) -> None:
    """Secrets do not reach the model; ids and refs stay intact."""
    secret = "sk-" + "a1" * 10
    memory.add_turn(f"My tunnel key is {secret}", "Noted.", thread="a")

    found = value(memory, "search_raw", {"query": "tunnel key"})
    block = value(memory, "expand_block", {"id": found["results"][0]["block_id"], "target": "raw"})

    assert secret not in json.dumps([found, block])
    assert "[REDACTED_TOKEN]" in block["results"][0]["content"]
    assert found["evidence_refs"][0].split(":")[2] == found["results"][0]["id"]


@pytest.mark.parametrize(
    ("judgement", "verdict", "strategy"),
    [
        ({"verdict": "sufficient"}, "sufficient", "answer"),
        ({"verdict": "sufficient", "next_strategy": ""}, "sufficient", "answer"),
        ({"verdict": "sufficient", "next_strategy": "look again"}, "partial", "search_events"),
        ({"verdict": "sufficient", "next_strategy": ["answer"]}, "partial", "search_events"),
        ({"verdict": "yes"}, "partial", "search_events"),
        ({"verdict": "partial"}, "partial", "search_events"),
    ],
)
def test_assess_puts_a_models_judgement_right(
    memory: StrataGate, judgement: dict[str, Any], verdict: str, strategy: str
) -> None:
    """A strategy left out means to answer; unknown values mean partial and to search again."""
    ref = value(memory, "search_events", {"query": "school"})["evidence_refs"][0]
    judged = value(memory, "assess", {"evidence_refs": [ref], **judgement})

    assert (verdict, strategy) == (judged["verdict"], judged["next_strategy"])


@pytest.mark.parametrize("zone", ["Asia/Shanghai", "America/New_York"])
def test_every_operation_shows_the_day_of_the_display_timezone(zone: str) -> None:
    """A day is the same day in searches, expansions, recall and the tools, wherever one lives."""
    settings = Settings(display_timezone=zone, block_turn_size=1, processing="inline")
    clock = ManualClock(datetime(2026, 5, 6, 12, tzinfo=UTC))
    with StrataGate.open(":memory:", settings=settings, clock=clock) as memory:
        memory.add_turn("The Orion project launches on May 9.", "I see.")
        found = memory.search_events("Orion")
        (hit,) = found.hits
        cards = [hit.item, memory.search("Orion").hits[0].item]
        cards += memory.expand_event(hit.item["id"])["results"]
        cards += value(memory, "search_events", {"query": "Orion"})["results"]
        written = hit.item["source_time"]
        said = memory.search_raw("Orion").hits[0].item["message"]["created_at"]

        days = [card["temporal"]["happened_start"][:16] for card in cards]
        assert ["2026-05-09T00:00"] * 4 == days
        assert "2026-05-09" in memory.recall("When does Orion launch?").text
    assert "2026-05-09T00:00" == written[:16]
    assert "2026-05-06" == said[:10]
