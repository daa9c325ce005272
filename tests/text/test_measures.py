"""Normal forms, lengths, estimates and languages of texts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stratagate_core.text.clip import clip, clip_line
from stratagate_core.text.estimate import estimate_tokens
from stratagate_core.text.language import choose_language, detect_language
from stratagate_core.text.normalise import collapse, label_identity, normalise


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Ｆｕｌｌ　Ｗｉｄｔｈ", "full width"),
        ("  A\n\tB ", "a b"),
        ("Straße", "strasse"),
        ("①", "1"),
        ("", ""),
    ],
)
def test_normalise(text: str, expected: str) -> None:
    """Width, case and spacing are levelled."""
    assert expected == normalise(text)


def test_label_identity_ignores_any_spacing() -> None:
    """Titles are one but for width, case or spacing."""
    assert label_identity("Release  Notes") == label_identity("ｒｅｌｅａｓｅｎｏｔｅｓ ")


@given(st.text())
def test_collapse_twice_is_once(text: str) -> None:
    """Collapsing is idempotent and leaves no run of spaces."""
    once = collapse(text)
    assert once == collapse(once)
    assert "  " not in once


@given(st.text(alphabet=st.characters(max_codepoint=127)))
def test_ascii_normalises_like_any_text(text: str) -> None:
    """The quick way for ASCII gives the normal form."""
    assert normalise(f"{text} é") == f"{normalise(text)} é".strip()


def test_clip_counts_code_points() -> None:
    """An emoji outside the first plane is one character."""
    assert clip("😀😀😀", 2) == "😀😀"
    assert clip("abc", -1) == ""
    assert clip_line(" a\n  b c", 3) == "a b"


@pytest.mark.parametrize(
    ("text", "expected"),
    [("abcde", 2), ("你好", 2), ("a你b", 3), ("hello 世界 foo", 5), ("", 0), ("\ud800", 1)],
)
def test_estimate_tokens(text: str, expected: int) -> None:
    """ASCII runs cost a quarter of their length rounded up, every other character 1."""
    assert expected == estimate_tokens(text)


@given(st.text(), st.text())
def test_an_estimate_of_a_whole_is_at_most_that_of_its_parts(a: str, b: str) -> None:
    """Joining texts never costs more than the texts alone."""
    assert estimate_tokens(a + b) <= estimate_tokens(a) + estimate_tokens(b)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain English", "en"),
        ("我们用 pnpm", "zh"),
        ("abcd中", "zh"),
        ("abcde中", "en"),
        ("1, 2, 3 😀", "en"),
        ("", "en"),
        ("こんにちは", "en"),
    ],
)
def test_detect_language(text: str, expected: str) -> None:
    """Chinese begins where a fifth of the letters are Han characters."""
    assert expected == detect_language(text)


def test_choose_language_follows_the_text_only_with_auto() -> None:
    """A fixed setting stands, whatever the text is written in."""
    assert choose_language("auto", "项目") == "zh"
    assert choose_language("en", "项目") == "en"
