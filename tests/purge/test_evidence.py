"""What is left in evidence batches of what was purged."""

from stratagate_core.model.evidence import Evidence
from stratagate_core.purge.rules import is_gone, left_of
from stratagate_core.store import batches
from tests.graph.world import GraphWorld, fact, node, projection

SECRET = "Zanzibarium"


def test_a_name_that_was_purged_leaves_the_batch() -> None:
    """A node that goes on under another name is another one; the former name is not kept."""
    world = GraphWorld()
    named = node(SECRET, "evt_0", aliases=["Mira"])
    world.tell("evt_0", answer=projection(named))
    for number in range(1, 8):
        event = f"evt_{number}"
        tea = fact("tea", f"kind {number}", event, mode="set")
        world.tell(event, answer=projection(node("Mira", event, facts=[tea])))
    found = world.memory.search_graph("tea kind", thread="t", open_batch=True)
    assert [SECRET] == [hit.item["name"] for hit in found.hits]
    assert "evt_0" not in found.hits[0].item["provenance_event_ids"]
    world.memory.purge(events=["evt_0"])

    with world.memory._read() as work:
        (batch,) = batches.all_of(work.tx)
    assert ["Mira"] == [one.name for one in world.memory.nodes().items]
    assert ("expired", [""]) == (batch.status, [item.title for item in batch.evidence])
    world.memory.close()


def _message(block: str, message: str) -> Evidence:
    return Evidence(ref=f"raw:{block}:{message}:0", kind="block", id=block, title="user, May 6")


def test_evidence_of_what_stays_is_kept() -> None:
    """A message of the same block, a node with its name and other events are as they were."""
    kept = _message("blk_1", "msg_2")
    mira = Evidence(
        ref="graph-node:n", kind="graph", id="n", title="Mira", event_ids=("evt_1", "evt_2")
    )

    assert kept == left_of(kept, {"msg_1"}, set())
    assert ("Mira", ("evt_2",)) == (
        left_of(mira, {"evt_1"}, {"n"}).title,
        left_of(mira, {"evt_1"}, {"n"}).event_ids,
    )
    assert [True, False, True, False] == [
        is_gone(_message("blk_1", "msg_1"), {"msg_1"}, set()),
        is_gone(kept, {"msg_1"}, set()),
        is_gone(mira, set(), set()),
        is_gone(mira, {"evt_1"}, {"n"}),
    ]
