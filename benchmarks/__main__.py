"""``python -m benchmarks [--quick]``: all tables, one after the other."""

import argparse

from benchmarks import neighbours, opening, searching


def main() -> None:
    """Run the benchmarks."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="smaller sizes, under a minute")
    quick = parser.parse_args().quick
    opening.main(quick=quick)
    searching.main(quick=quick)
    neighbours.main(quick=quick)


if __name__ == "__main__":
    main()
