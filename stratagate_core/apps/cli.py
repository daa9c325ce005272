"""The command line: one function per command, exit codes, no tracebacks for what users do.

0: done. 1: it could not be done, or the doctor found damage. 2: the command, or the data that
`eval` was to read, was not understood.
"""

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from stratagate_core import __version__
from stratagate_core.apps import doctor, dream, evaluation, output
from stratagate_core.apps.places import FILE, default_database, existing_database, open_to_read
from stratagate_core.errors import InvalidArgument, StrataGateError
from stratagate_core.memory import StrataGate
from stratagate_core.model.search import Card, Results

_ABOUT = """\
StrataGate keeps what was said, fades it by view and finds it again.

A memory is one file. These commands look into it, and `dream` tidies its directory; to write to
it, use the library from your program (see the README), or try `stratagate demo` first: it needs no
key and no server.
"""
_EXAMPLES = """\
examples:
  stratagate demo                            the main job on a shipped conversation
  stratagate search "ladders"                search your default memory
  stratagate search "ladders" --database my.db --kind raw --json
  stratagate export backup.jsonl             everything as JSON lines, secrets redacted
  stratagate dream --database my.db          tidy the directory of topics
  stratagate doctor my.db                    is this file in good health?
  stratagate eval locomo locomo10.json --baseline rank-bm25
"""
#: no conversation of this name asks, so nothing is left out as already shown
_ASKING = "command line"


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command; returns the exit code."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    try:
        code = _run(arguments)
        sys.stdout.flush()  # a reader that is gone is noticed here, not when Python ends
        return code
    except StrataGateError as error:
        print(f"stratagate: {error.message}", file=sys.stderr)
        return 1
    except OSError as error:
        if isinstance(error, BrokenPipeError):
            # the reader of our output has seen enough; nothing is left to say
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return 1
        print(f"stratagate: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("stratagate: stopped", file=sys.stderr)
        return 130


def _run(arguments: list[str]) -> int:
    if arguments[:1] == ["demo"]:  # it has a command line of its own
        from stratagate_core.apps.demo import main as demo

        return demo(arguments[1:])
    options = _parser().parse_args(arguments)
    command: Callable[[argparse.Namespace], int] = options.command
    return command(options)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="stratagate",
        description=_ABOUT,
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"stratagate {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    commands.add_parser("demo", help="show the main job on a conversation that is shipped")
    _add_search(commands)
    _add_export(commands)
    _add_doctor(commands)
    dream.add(commands)
    evaluation.add(commands)
    return parser


def _add_search(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    about = "find events and messages of a memory"
    parser = commands.add_parser("search", help=about, description=f"{about.capitalize()}.")
    parser.add_argument("query", metavar="QUERY", help="words to look for, in any language")
    _add_place(parser)
    parser.add_argument(
        "--kind",
        choices=("both", "events", "raw"),
        default="both",
        help="events are short cards of what happened, raw are the messages themselves "
        "(default: both in one ranking)",
    )
    parser.add_argument("--limit", type=int, default=6, help="how many results (default: 6)")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.set_defaults(command=search)


def _add_export(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    about = "write everything of a memory to a file as JSON lines, secrets redacted"
    parser = commands.add_parser("export", help=about, description=f"{about.capitalize()}.")
    parser.add_argument("file", metavar="FILE", type=Path, help="the file to write")
    parser.add_argument("--force", action="store_true", help="overwrite the file if it is there")
    _add_place(parser)
    parser.set_defaults(command=export)


def _add_doctor(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    about = "check the installation and a database; changes nothing"
    parser = commands.add_parser("doctor", help=about, description=f"{about.capitalize()}.")
    parser.add_argument(
        "database",
        metavar="DATABASE",
        nargs="?",
        help=f"file or database URL (default: {FILE} in your data directory, if there is one)",
    )
    parser.set_defaults(command=visit)


def _add_place(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--database",
        metavar="DATABASE",
        help=f"file or database URL (default: {FILE} in your data directory)",
    )
    parser.add_argument(
        "--namespace",
        help="whose memory (default: that of the working directory's project, or the only one)",
    )


def search(options: argparse.Namespace) -> int:
    """`stratagate search`."""
    with open_to_read(options.database, options.namespace) as memory:
        found = _found(memory, options)
        if options.json:
            print(output.as_json(output.found_json(options.query, memory.namespace, found)))
        else:
            print(output.found_text(found))
    return 0


def _found(memory: StrataGate, options: argparse.Namespace) -> Results[Card]:
    query, limit = options.query, options.limit
    if options.kind == "events":
        return memory.search_events(query, limit=limit, thread=_ASKING)
    if options.kind == "raw":
        return memory.search_raw(query, limit=limit, thread=_ASKING)
    return memory.search(query, limit=limit, thread=_ASKING)


def export(options: argparse.Namespace) -> int:
    """`stratagate export`."""
    with open_to_read(options.database, options.namespace) as memory:
        if options.file.exists() and not options.file.is_dir() and not options.force:
            raise InvalidArgument(f"{options.file} exists; overwrite it with --force")
        count = memory.export(options.file, overwrite=options.force)
        print(f"{count} lines of {memory.namespace} written to {options.file}")
    return 0


def visit(options: argparse.Namespace) -> int:
    """`stratagate doctor`."""
    visits = [doctor.installation()]
    if options.database is not None or default_database().is_file():
        visits.append(doctor.database(existing_database(options.database)))
    print("\n\n".join(output.visit_text(each) for each in visits))
    if len(visits) == 1:
        print(f"\nNo memory at {default_database()} yet; name a file to check it.")
    return 0 if all(each.is_healthy for each in visits) else 1
