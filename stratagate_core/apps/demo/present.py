"""Chapter 3: the graph, as a table of what is so now and was so before, and as a drawing."""

from collections.abc import Iterator, Sequence
from datetime import datetime

from stratagate_core.apps.demo.lines import day, spoken
from stratagate_core.apps.demo.screen import INDENT, Print, clip, heading, table, wrap
from stratagate_core.memory import StrataGate
from stratagate_core.model.graph import Fact, Node

#: the text of a list in a cell
_JOINED = ", "


def show_present(show: Print, memory: StrataGate, then: datetime) -> None:
    """What is so now, what was, what is in doubt; and one question about an earlier day."""
    nodes = memory.nodes(limit=100).items
    told = [node for node in nodes if node.facts]
    show(heading(3, "What is so now, and what was so before"))
    show(
        wrap(
            "Events are folded into a graph of people, projects, organisations, tools and places. "
            "A later statement takes the place of an earlier one and keeps it as history; a fact "
            f"that rested on a changed one is stale until it is said again. It holds {len(nodes)} "
            "nodes; these have facts:"
        )
    )
    show("")
    show(_facts_table(memory, told))
    _show_doubts(show, memory, told)
    show("")
    show(wrap("The same as a drawing; dashed is over:"))
    show("")
    for node in told:
        for line in _drawing(memory, node):
            show(INDENT + line)
    _show_then(show, memory, then, told)


def _facts_table(memory: StrataGate, nodes: Sequence[Node]) -> str:
    rows = [
        [
            _titled(node) if at == 0 else "",
            fact.key,
            clip(_text(fact), 24),
            _standing(memory, fact),
            _period(memory, fact),
            _JOINED.join(fact.source_event_ids),
        ]
        for node in nodes
        for at, fact in enumerate(node.facts)
    ]
    return table(["node", "fact", "value", "is", "since – until", "events"], rows)


def _titled(node: Node) -> str:
    names = (node.name, *node.aliases)
    return f"{node.type} {' = '.join(names)}"


def _text(fact: Fact) -> str:
    return fact.value if isinstance(fact.value, str) else _JOINED.join(fact.value)


def _standing(memory: StrataGate, fact: Fact) -> str:
    if fact.status in ("stale", "disputed"):
        return fact.status
    return "over" if is_over(memory, fact) else "now"


def is_over(memory: StrataGate, fact: Fact) -> bool:
    """The fact held once and no longer does."""
    ended = fact.valid_to is not None and fact.valid_to <= memory.now()
    return fact.status == "superseded" or ended


def _period(memory: StrataGate, fact: Fact) -> str:
    until = f" – {day(memory, fact.valid_to)}" if is_over(memory, fact) else ""
    return f"{day(memory, fact.valid_from)}{until}"


def _drawing(memory: StrataGate, node: Node) -> Iterator[str]:
    """The node with an arrow to what it is related to."""
    card = memory.expand_graph_node(node.id)["results"][0]
    leaving = [edge for edge in card["edges"] if edge["from_node_id"] == node.id]
    if leaving:
        yield f"({node.name})"
    for at, edge in enumerate(leaving, 1):
        branch = "└" if at == len(leaving) else "├"
        line = "╌╌" if edge in card["historical_edges"] else "──"
        yield f"  {branch}{line} {edge['relation']} {line}▶ ({edge['to']})"


def _show_doubts(show: Print, memory: StrataGate, nodes: Sequence[Node]) -> None:
    """Why facts are stale, with the words that made them so."""
    for node in nodes:
        for fact in node.facts:
            if fact.status != "stale":
                continue
            show("")
            show(wrap(f"{fact.key} is stale, because {fact.stale_reason}:"))
            causes = (one for one in node.facts if one.key in {on.key for on in fact.depends_on})
            for cause in sorted(causes, key=lambda one: one.source_event_ids):
                for message in memory.sources(cause.source_event_ids[0]):
                    show(spoken(memory, message))


def _show_then(show: Print, memory: StrataGate, then: datetime, nodes: Sequence[Node]) -> None:
    show("")
    show(wrap(f"What was so on {day(memory, then)}? search_graph and node take an instant, as_of:"))
    show("")
    rows = [
        [_titled(node), shown.replace("\n", "; "), node.current_state.replace("\n", "; ")]
        for node in nodes
        if (shown := memory.node(node.id, as_of=then).current_state) != node.current_state
    ]
    show(table(["node", f"on {day(memory, then)}", "now"], rows))
