"""Names by their capitals, and names that are known."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stratagate_core.text.names import find_names

CASES = [
    ("I met Caroline in New York.", ["Caroline", "New York"]),
    ("We saw the Bank of England and NASA.", ["Bank of England", "NASA"]),
    ("Yesterday was fine. Great fun.", []),
    ("Mary Smith called.", ["Mary Smith"]),
    ("I went on Friday in May.", []),
    ("He said: Well done.", []),
    ("It is Anna's dog and O'Brien's cat.", ["Anna", "O'Brien"]),
    ("We like Jean-Luc, and Jean-Luc likes us.", ["Jean-Luc"]),
    ("THIS IS ALL SHOUTED BY HIM", []),
    ("Last Friday we read The Lord of the Rings.", ["The Lord of the Rings"]),
    ("I told Dr. Lee about it.", ["Lee"]),
    ("我用 Python 写代码", ["Python"]),
    ("我在读《三体》", ["三体"]),
]


@pytest.mark.parametrize(("text", "expected"), CASES)
def test_names_stand_out_by_capitals(text: str, expected: list[str]) -> None:
    """Capitals inside a sentence name something, except the plain words that carry them."""
    assert tuple(expected) == find_names(text)


def test_known_names_are_found_anywhere_in_any_case() -> None:
    """A known name counts at the start, in small letters and in Chinese, in its known spelling."""
    text = "caroline came. Mel left, 小明也走了。"
    assert find_names(text, ["小明", "Mel", "Caroline", "Al"]) == ("Caroline", "Mel", "小明")


def test_a_greeting_before_a_known_name_is_no_part_of_it() -> None:
    """`Bye Caroline` names Caroline."""
    assert find_names("Bye Caroline!", ["Caroline"]) == ("Caroline",)


def test_a_known_name_inside_a_word_is_none() -> None:
    """`Al` is not in `Always`."""
    assert find_names("Always also.", ["Al", " "]) == ()


@given(st.text(max_size=80), st.lists(st.text(max_size=5), max_size=3))
def test_names_are_unique_in_any_text(text: str, known: list[str]) -> None:
    """Nothing raises, and no name comes twice."""
    names = [name.casefold() for name in find_names(text, known)]
    assert len(set(names)) == len(names)


def test_an_opening_word_is_no_part_of_a_name() -> None:
    """A sentence may open with a word of grammar before the name; an article may belong to it."""
    assert ("Anna", "Bo") == find_names("Yesterday Anna met Bo.")
    assert ("API",) == find_names("Our API is slow.")
    assert ("The Beatles",) == find_names("The Beatles played.")
