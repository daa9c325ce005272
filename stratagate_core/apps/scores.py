"""What an evaluation found: tables for people, plain JSON values for programs."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any, Literal

from stratagate_core import __version__
from stratagate_core.apps.demo.screen import table
from stratagate_core.evals.harness import Report, ScoreSet
from stratagate_core.evals.measures import Score
from stratagate_core.evals.misses import Failure, Missed, counted
from stratagate_core.text.clip import clip_line

By = Literal["category", "conversation"]

_WAYS: Mapping[str, str] = {
    "search_raw": "messages",
    "search_events": "events",
    "baseline": "rank-bm25",
}
#: the columns on screen; JSON has every measure
_COLUMNS: Mapping[str, str] = {
    "recall@1": "@1",
    "recall@5": "@5",
    "recall@10": "@10",
    "recall@50": "@50",
    "mrr": "mrr",
    "recall@4items": "@4items",
    "recall@4windows": "@4windows",
    "session_hit@5": "s-hit@5",
    "session_ndcg@5": "s-ndcg@5",
}
_EXCERPT = 160


def as_json(dataset: str, report: Report) -> dict[str, Any]:
    """An evaluation as plain JSON; what was not run is null."""
    read = report.conversations
    by_category = _asked(report, "category")
    return {
        "stratagate": __version__,
        "dataset": dataset,
        "conversations": len(read),
        "messages": sum(len(each.messages) for each in read),
        "events": report.events,
        "questions": by_category.total(),
        "questions_by_category": dict(sorted(by_category.items())),
        "questions_by_conversation": dict(_asked(report, "conversation")),
        "questions_with_messages": sum(
            bool(question.evidence) for each in read for question in each.questions
        ),
        "skipped": sum(each.skipped for each in read),
        "corrected": sum(each.corrected for each in read),
        "evidence_ids": {
            "repaired": sum(each.repaired_ids for each in read),
            "skipped": sum(each.skipped_ids for each in read),
        },
        **{way: _set_json(report.sets.get(way)) for way in _WAYS},
        "missed": {way: dict(counted(list(_of(report.failures, way)))) for way in _ours(report)},
        "context": {
            "layered_tokens": report.context.layered_tokens,
            "full_tokens": report.context.full_tokens,
            "share": report.context.share,
        },
        "seconds": {
            "ingest": report.seconds,
            **{way: found.seconds for way, found in report.sets.items()},
        },
    }


def _set_json(found: ScoreSet | None) -> dict[str, Any] | None:
    if found is None:
        return None
    return {
        "overall": dict(found.overall),
        "by_category": {name: dict(score) for name, score in found.by_category.items()},
        "by_conversation": {name: dict(score) for name, score in found.by_conversation.items()},
        "tokens@10": found.tokens,
    }


def _asked(report: Report, by: By) -> Counter[str]:
    """How many questions there are of each category or in each conversation."""
    return Counter(
        question.category if by == "category" else each.id
        for each in report.conversations
        for question in each.questions
    )


def _ours(report: Report) -> list[str]:
    return [way for way in report.sets if way != "baseline"]


def _of(failures: Iterable[Failure], way: str) -> Iterator[Failure]:
    return (each for each in failures if each.search == way)


def as_text(dataset: str, report: Report, *, by: By) -> str:
    """An evaluation for a person: scores, what was missed, tokens and times."""
    parts = [
        _about(dataset, report),
        "Percent, mean over questions",
        _score_table(report, by),
        "Missed in the first ten: messages by reason, then questions by kind",
        _missed_table(report.failures, _ours(report)),
        _cost_table(report),
        f"Layered context {report.context.layered_tokens:,} tokens, full history "
        f"{report.context.full_tokens:,} ({report.context.share:.1%})",
        f"Ingesting took {report.seconds:.1f} s",
    ]
    return "\n\n".join(parts)


def _about(dataset: str, report: Report) -> str:
    found = as_json(dataset, report)
    ids = found["evidence_ids"]
    asked, marked = found["questions"], found["questions_with_messages"]
    lines = [
        f"{dataset}: {found['conversations']} conversations, {found['messages']:,} messages, "
        f"{found['events']:,} events",
        f"{asked} questions; {found['skipped']} without evidence left out; malformed evidence "
        f"ids: {ids['repaired']} repaired, {ids['skipped']} skipped",
    ]
    if marked < asked:
        lines.append(f"{asked - marked} questions cite sessions only and count for those alone")
    if found["corrected"]:
        lines.append(f"{found['corrected']} questions with corrected evidence")
    return "\n".join(lines)


def _score_table(report: Report, by: By) -> str:
    overall = next(iter(report.sets.values())).overall
    budgets = {name: name.removeprefix("recall") for name in overall if name.endswith("tok")}
    columns = {**_COLUMNS, **budgets}
    names = [name for name in columns if name in overall]
    head = ["search", by, "n", *(columns[name] for name in names)]
    asked = _asked(report, by)
    rows = [
        [_WAYS[way], line, str(asked[line] or asked.total()), *_percents(score, names)]
        for way, found in report.sets.items()
        for line, score in _lines(found, by)
    ]
    return table(head, rows, right=range(2, len(head)))


def _lines(found: ScoreSet, by: By) -> Iterator[tuple[str, Score]]:
    yield from (found.by_category if by == "category" else found.by_conversation).items()
    yield "all", found.overall


def _percents(score: Score, names: Sequence[str]) -> list[str]:
    return [f"{100 * score[name]:.1f}" if name in score else "–" for name in names]


def _missed_table(failures: Sequence[Failure], ways: Sequence[str]) -> str:
    counts = {way: counted(list(_of(failures, way))) for way in ways}
    rows = [
        [name, *(str(counts[way][name]) for way in ways)] for name in next(iter(counts.values()))
    ]
    return table(["missed", *(_WAYS[way] for way in ways)], rows, right=range(1, len(ways) + 1))


def _cost_table(report: Report) -> str:
    asked = _asked(report, "category").total()
    rows = [
        [
            _WAYS[way],
            f"{found.tokens:.0f}",
            f"{found.seconds:.1f}",
            f"{1000 * found.seconds / asked:.1f}",
        ]
        for way, found in report.sets.items()
    ]
    return table(["search", "tokens of 10", "seconds", "ms each"], rows, right=range(1, 4))


def failures_json(failures: Sequence[Failure]) -> dict[str, Any]:
    """All failures as plain JSON, with counts."""
    ways = list(dict.fromkeys(each.search for each in failures))
    return {
        "counts": {way: dict(counted(list(_of(failures, way)))) for way in ways},
        "failures": [asdict(each) for each in failures],
    }


def failures_markdown(failures: Sequence[Failure]) -> str:
    """All failures for a person: counts, then each question with what it missed."""
    ways = list(dict.fromkeys(each.search for each in failures))
    lines = ["# What was missed in the first ten results", ""]
    if not failures:
        return "\n".join([*lines, "Nothing."])
    counts = {way: counted(list(_of(failures, way))) for way in ways}
    lines += ["| | " + " | ".join(_WAYS[way] for way in ways) + " |"]
    lines += ["| --- " + "| ---: " * len(ways) + "|"]
    for name in next(iter(counts.values())):
        lines.append(f"| {name} | " + " | ".join(str(counts[way][name]) for way in ways) + " |")
    for way in ways:
        lines += ["", f"## {_WAYS[way].capitalize()}"]
        lines += [line for failed in _of(failures, way) for line in _described(failed)]
    return "\n".join(lines)


def _described(failed: Failure) -> list[str]:
    about = ", ".join(dict.fromkeys([failed.conversation, failed.category, *failed.kinds]))
    return [
        "",
        f"**{clip_line(failed.question, _EXCERPT)}**",
        f"({about}; {failed.found} of {failed.found + len(failed.missed)} found)",
        "",
        *(f"- missed {each.id}, {_place(each)}: {_quoted(each.text)}" for each in failed.missed),
        *(f"- came first: {_quoted(text)}" for text in failed.instead),
    ]


def _place(missed: Missed) -> str:
    return f"rank {missed.rank}" if missed.rank else missed.why


def _quoted(text: str) -> str:
    return clip_line(text, _EXCERPT)
