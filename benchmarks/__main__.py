"""``python -m benchmarks``: all tables, one after the other, each on the sizes that are named."""

import argparse

from benchmarks import growing, opening, side_by_side, tenants

_QUICK = (1_000, 10_000)
_USUAL = (*_QUICK, 100_000)
_MILLION = (*_USUAL, 1_000_000)
PARTS = ("engines", "tenants", "opening", "one", "many")


def main() -> None:
    """Run the benchmarks."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    size = parser.add_mutually_exclusive_group()
    size.add_argument("--quick", action="store_true", help="up to 10,000: two minutes")
    size.add_argument("--million", action="store_true", help="up to 1,000,000: more than an hour")
    parser.add_argument(
        "--only",
        choices=PARTS,
        action="append",
        help="engines: side by side with others; tenants: 1,000 namespaces of 100; opening: a file "
        "with 100,000 events; one: a namespace that grows; many: one of 1,000 beside others",
    )
    given = parser.parse_args()
    sizes = _QUICK if given.quick else _MILLION if given.million else _USUAL
    parts = {
        "engines": lambda: side_by_side.main(sizes),
        "tenants": lambda: tenants.main(100 if given.quick else 1_000),
        "opening": lambda: opening.main(large=min(sizes[-1], 100_000)),
        "one": lambda: growing.one_namespace(sizes),
        "many": lambda: growing.many_namespaces(sizes),
    }
    for name in given.only or PARTS:
        parts[name]()


if __name__ == "__main__":
    main()
