"""`stratagate eval`: its options, reading the data, running, and where the results go.

What is wrong with a file that is named ends before anything runs, in one line and code 2.
"""

import argparse
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from stratagate_core.apps import scores, weights
from stratagate_core.apps.output import as_json
from stratagate_core.apps.places import FILE, SETTINGS
from stratagate_core.embedding.minilm import MiniLM
from stratagate_core.embedding.port import Embedder
from stratagate_core.errors import InvalidArgument, MissingExtra, NotFound
from stratagate_core.evals.beam import read_beam
from stratagate_core.evals.corrections import read_corrections
from stratagate_core.evals.dataset import Conversation
from stratagate_core.evals.harness import Report, evaluate
from stratagate_core.evals.leave_one_out import Search, leave_one_out
from stratagate_core.evals.locomo import read_locomo
from stratagate_core.evals.longmemeval import read_longmemeval
from stratagate_core.evals.measures import TOKEN_BUDGET
from stratagate_core.memory import StrataGate, random_id
from stratagate_core.testing import CountingIds

_READERS: Mapping[str, Callable[[Path], tuple[Conversation, ...]]] = {
    "locomo": read_locomo,
    "longmemeval": read_longmemeval,
    "beam": read_beam,
}
_EMBEDDERS: Mapping[str, Callable[[], Embedder]] = {"minilm": MiniLM}
_TO_SCREEN = Path("-")


def add(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Adds the command to the command line."""
    about = "measure how much evidence the searches find in a data set"
    parser = commands.add_parser("eval", help=about, description=f"{about.capitalize()}.")
    parser.add_argument("dataset", choices=tuple(_READERS), help="the format of the data set")
    parser.add_argument("path", metavar="FILE", type=Path, help="its file")
    _add_measuring(parser)
    _add_results(parser)
    parser.set_defaults(command=run)


def _add_measuring(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--baseline", choices=("rank-bm25",), help="also measure this over the same messages"
    )
    parser.add_argument(
        "--leave-one-out",
        action="store_true",
        help="find the weights of the ranking anew, scored on conversations they never saw",
    )
    parser.add_argument(
        "--corrected",
        metavar="ERRORS.json",
        type=Path,
        help="known wrong citations of a LoCoMo file and the right ones (see docs/evaluation.md)",
    )
    parser.add_argument(
        "--budget",
        type=_positive,
        metavar="N",
        action="append",
        help=f"how many tokens of results to fill; may be repeated (default: {TOKEN_BUDGET})",
    )
    parser.add_argument(
        "--embedder",
        choices=sorted(_EMBEDDERS),
        help="also search by vectors: minilm runs on this machine (extra minilm)",
    )
    parser.add_argument(
        "--conversations", type=_positive, metavar="N", help="only the first N conversations"
    )
    parser.add_argument(
        "--database",
        metavar="FILE",
        help="keep the memory in this file, or go on with it (default: a temporary one)",
    )


def _add_results(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--by",
        choices=("category", "conversation"),
        default="category",
        help="the lines of the table on screen (default: category)",
    )
    parser.add_argument(
        "--json",
        nargs="?",
        type=_target,
        const=_TO_SCREEN,
        metavar="OUT",
        help="write all results to this file as JSON, or print them instead of the table",
    )
    parser.add_argument(
        "--failures",
        type=_target,
        metavar="OUT",
        help="write what was missed, question by question, to this .md or .json file",
    )


def _positive(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"must be a whole number from 1 on, not {text!r}")
    return int(text)


def _target(text: str) -> Path:
    """A file that can be written, so that a long run does not end in vain."""
    path = Path(text)
    if path.is_dir() or not path.parent.is_dir():
        raise argparse.ArgumentTypeError(f"no file can be written at {text!r}")
    return path


def run(options: argparse.Namespace) -> int:
    """`stratagate eval`."""
    try:
        conversations = _read(options)[: options.conversations]
    except (InvalidArgument, NotFound) as error:
        print(f"stratagate: {error.message}", file=sys.stderr)
        return 2
    try:
        if options.database is not None:
            found = _evaluated(options.database, conversations, options)
        else:
            with tempfile.TemporaryDirectory(prefix="stratagate-eval-") as folder:
                found = _evaluated(str(Path(folder) / FILE), conversations, options)
    except MissingExtra as error:
        print(f"stratagate: {error.message}", file=sys.stderr)
        return 2
    if isinstance(found, Search):
        _show(options, weights.weights_json(found), weights.weights_text(found))
    else:
        _tell(options, found)
    return 0


def _read(options: argparse.Namespace) -> tuple[Conversation, ...]:
    if options.failures is not None and options.failures.suffix not in (".md", ".json"):
        raise InvalidArgument(f"--failures writes .md or .json, not {options.failures}")
    if options.corrected is None:
        return _READERS[options.dataset](options.path)
    if options.dataset != "locomo":
        raise InvalidArgument("--corrected is for locomo")
    return read_locomo(options.path, read_corrections(options.corrected))


def _evaluated(
    database: str, conversations: Sequence[Conversation], options: argparse.Namespace
) -> Report | Search:
    # in a new file ids count, so that two runs give the same numbers
    new = not Path(database).exists()
    with StrataGate.open(
        database,
        settings=SETTINGS if new else None,
        new_id=CountingIds() if new else random_id,
        embedder=None if options.embedder is None else _EMBEDDERS[options.embedder](),
    ) as memory:
        if options.leave_one_out:
            return leave_one_out(memory, conversations, progress=_progress)
        return evaluate(
            memory,
            conversations,
            baseline=options.baseline is not None,
            budgets=tuple(dict.fromkeys(options.budget or (TOKEN_BUDGET,))),
            progress=_progress,
        )


def _tell(options: argparse.Namespace, report: Report) -> None:
    """The results, to files and to the screen."""
    if options.failures is not None:
        written = (
            as_json(scores.failures_json(report.failures))
            if options.failures.suffix == ".json"
            else scores.failures_markdown(report.failures)
        )
        options.failures.write_text(written + "\n", encoding="utf-8")
    shown = scores.as_text(options.dataset, report, by=options.by)
    _show(options, scores.as_json(options.dataset, report), shown)


def _show(options: argparse.Namespace, found: Mapping[str, Any], shown: str) -> None:
    """As JSON to a file or to the screen, or as text to the screen."""
    if options.json == _TO_SCREEN:
        print(as_json(found))
        return
    if options.json is not None:
        options.json.write_text(as_json(found) + "\n", encoding="utf-8")
    print(shown)


def _progress(line: str) -> None:
    print(line, file=sys.stderr, flush=True)
