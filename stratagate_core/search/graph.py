"""Graph search: nodes that answer a query now, answered it before, or did at an instant (05 §6)."""

from collections.abc import Iterator

from stratagate_core.engine import Work
from stratagate_core.graph.cards import hit_card
from stratagate_core.graph.read import NOW, Asked, Scene, scene
from stratagate_core.graph.rules.match import GraphHit, Query, match, node_tokens, query_of
from stratagate_core.model.search import Card, Hit, Reason, Results
from stratagate_core.rank.bm25 import rank
from stratagate_core.search.arguments import checked_limit, checked_query
from stratagate_core.search.candidates import any_match, candidates, is_stale
from stratagate_core.search.cards import SCORE_MEANING
from stratagate_core.store import events, index
from stratagate_core.store.scoring import Scored

MOST = 20
#: candidates of a search at an instant, which are ranked anew by what held then
_RANKED_ANEW = 200
#: candidates that are looked at together, and how many at most: a common word in thousands of
#: nodes costs no more than one in a hundred
_LOOKED_AT, _MOST_LOOKED_AT = 40, 120


def search_graph(work: Work, query: str, *, limit: int = 8, asked: Asked = NOW) -> Results[Card]:
    """Nodes as cards, refs ``graph-node:<id>``. A blank query finds nothing.

    Args:
        work: the open transaction; only read.
        query: words to look for.
        limit: clamped to 1..20.
        asked: the instants the view is of.

    """
    limit = checked_limit(limit, MOST)
    found = find_nodes(work, query, limit=limit, asked=asked)
    cited = {key for hit, _ in found for key in hit.provenance}
    known = events.by_ids(work.tx, sorted(cited))
    hits = tuple(
        Hit(
            ref=f"graph-node:{hit.view.node.id}",
            item={
                **hit_card(hit, known, asked, work.settings.timezone),
                "rank_score": score,
                "score_meaning": SCORE_MEANING,
            },
            score=score,
        )
        for hit, score in found
    )
    return Results(hits=hits, reason=_reason(work, query, bool(hits)))


def find_nodes(
    work: Work, query: str, *, limit: int, asked: Asked = NOW
) -> list[tuple[GraphHit, float]]:
    """As `search_graph`, with the hits themselves and their scores: for other parts."""
    wanted = query_of(checked_query(query))
    if not query.strip() or not wanted.terms:
        return []
    found: list[tuple[GraphHit, float]] = []
    enough = max(limit, MOST)
    for page, seen in _pages(work, wanted, asked):
        for key, score in page:
            shown = seen.views.get(key)
            hit = shown and match(shown, wanted, seen.sources, at_instant=asked.as_of is not None)
            if hit:
                found.append((hit, score))
        if len(found) >= enough:
            break
    # who is called by name comes before what is only related to them
    found.sort(key=lambda entry: (not entry[0].named, -entry[1], entry[0].view.node.id))
    return found[:limit]


def _pages(work: Work, query: Query, asked: Asked) -> Iterator[tuple[tuple[Scored, ...], Scene]]:
    """Candidates, best first, with what may be shown of them."""
    terms = sorted(query.terms)
    if asked == NOW:
        best = next(candidates(work, index.GRAPH, terms, limit=_MOST_LOOKED_AT), ())
        for at in range(0, len(best), _LOOKED_AT):
            part = best[at : at + _LOOKED_AT]
            yield part, scene(work, [key for key, _ in part])
        return
    known = next(candidates(work, index.GRAPH, terms, limit=_RANKED_ANEW), ())
    seen = scene(work, [key for key, _ in known], asked)
    documents = [(key, node_tokens(seen.views[key])) for key, _ in known if key in seen.views]
    settings = work.settings
    yield rank(documents, terms, k1=settings.bm25_k1, b=settings.bm25_b), seen


def _reason(work: Work, query: str, found: bool) -> Reason | None:
    if is_stale(work, index.GRAPH):
        return "index_rebuilding"
    if found:
        return None
    if index.state(work.tx, index.GRAPH) == "empty":
        return "no_data"
    terms = sorted(query_of(query).terms) if query.strip() else []
    return "filtered_out" if terms and any_match(work, index.GRAPH, terms) else "no_match"
