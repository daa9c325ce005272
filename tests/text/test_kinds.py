"""Kinds and their members."""

from stratagate_core.text.kinds import members
from stratagate_core.text.tokens import tokens


def test_members_of_a_kind() -> None:
    """An asked kind gives its members in both languages, without the asking words."""
    found = members(tokens("instruments"))
    assert {"w:violin", "h2:吉他"} <= found
    assert "w:instrument" not in found
    assert "h2:篮球" in members(tokens("运动"))


def test_other_words_have_none() -> None:
    """A word that names no kind has no members."""
    assert members(tokens("watermelon")) == frozenset()
