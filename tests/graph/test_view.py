"""What may be shown of a node whose metadata rests on nothing that is stored (05 §4, §5)."""

from datetime import timedelta

import pytest

from stratagate_core.graph.rules.match import match, query_of
from stratagate_core.graph.rules.statements import Source
from stratagate_core.graph.rules.view import Moment, value_text, view
from stratagate_core.model.graph import Node
from tests.conftest import START

NOW = Moment(now=START + timedelta(days=100))


def sources(number: int, *hidden: str) -> dict[str, Source]:
    """So many events, of which some are forgotten."""
    return {
        key: Source(
            id=key,
            chronology=START,
            mentioned_at=START,
            created_at=START,
            turn=at,
            status="forgotten" if key in hidden else "active",
        )
        for at, key in enumerate(f"evt_{n}" for n in range(number))
    }


def old_node(number: int) -> Node:
    """A node without stored provenance."""
    return Node(
        id="node_1",
        name="Mira",
        type="person",
        aliases=("Sparrow",),
        tags=("pilot",),
        source_event_ids=tuple(f"evt_{n}" for n in range(number)),
    )


@pytest.mark.parametrize("query", ["Mira", "Sparrow", "pilot"])
def test_G_03_metadata_needs_all_its_sources(query: str) -> None:
    """With a forgotten source nothing is searchable, with up to six all is shown."""
    known = sources(6)
    assert view(old_node(6), (), {}, sources(6, "evt_3"), NOW) is None
    shown = view(old_node(6), (), {}, known, NOW)
    assert shown is not None

    hit = match(shown, query_of(query), known)

    assert hit is not None
    assert (6, "complete") == (len(hit.provenance), hit.metadata_evidence)
    assert (("Sparrow",), ("pilot",)) == (hit.view.node.aliases, hit.view.node.tags)


def test_G_03_too_many_sources_are_not_expanded() -> None:
    """With seven sources the name stays, without evidence and without the rest."""
    known = sources(7)
    shown = view(old_node(7), (), {}, known, NOW)
    assert shown is not None

    hit = match(shown, query_of("Mira"), known)

    assert hit is not None
    assert ((), "not_expanded") == (hit.provenance, hit.metadata_evidence)
    assert ("Mira", ()) == (hit.view.node.name, hit.view.node.aliases)


def test_lists_are_written_in_their_language() -> None:
    """Items are joined as their language writes lists."""
    assert "tea, milk" == value_text(("tea", "milk"))
    assert "茶、牛奶" == value_text(("茶", "牛奶"))
