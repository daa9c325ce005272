"""Each numbered expectation of what is built has a test that carries its number."""

import re
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
DUE = (
    *(f"B_{n:02}" for n in (*range(1, 22), 25)),
    *(f"E_{n:02}" for n in range(1, 23)),
    *(f"W_{n:02}" for n in range(1, 7)),
    *(f"S_{n:02}" for n in range(1, 14)),
    *(f"G_{n:02}" for n in range(1, 17)),
    *(f"V_{n:02}" for n in (1, 2, *range(9, 18))),
    *(f"R_{n:02}" for n in (1, 2, 6, 11)),
    *(f"T_{n:02}" for n in (*range(1, 20), 21, 22, 23, 24)),
    *(f"J_{n:02}" for n in range(1, 7)),
    *(f"M_{n:02}" for n in range(1, 8)),
    "L_03",
    "L_04",
    "X_03",
    "X_04",
    *(
        f"LC_{n}"
        for n in (
            "03",
            "04",
            "07",
            "12",
            "14",
            "17",
            *range(59, 66),
            *range(67, 73),
            *range(76, 95),
        )
    ),
    *(f"LI_{n}" for n in ("02", "03", *range(62, 71), *range(78, 84))),
)


def test_every_due_expectation_has_a_test() -> None:
    """No number is forgotten."""
    text = "\n".join(path.read_text() for path in FOLDER.rglob("test_*.py"))
    named = {
        number
        for name in re.findall(r"def test_(\w+)", text)
        for number in re.findall(r"(?<![A-Z])(?:B|E|W|S|G|V|R|T|J|L|M|X|LC|LI)_\d\d(?!\d)", name)
    }

    assert [] == [number for number in DUE if number not in named]
