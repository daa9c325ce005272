"""The analyser (04 §1)."""

import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stratagate_core.text.normalise import normalise
from stratagate_core.text.tokens import (
    containment,
    fuzzy_match,
    plain_tokens,
    query_tokens,
    tokens,
)
from tests.strategies import texts

ANY_TEXT = st.one_of(texts(), st.text(max_size=60))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("release-42", "w:releas w:42"),
        ("v0.3.2", "w:v0.3.2 w:v0 w:3 w:2"),
        ("migrations", "w:migrat"),
        ("migrated", "w:migrat"),
        ("UI/UX", "w:ui w:ux"),
        ("foo@bar.com", "w:foo w:bar.com w:bar w:com"),
        ("包管理器 pnpm", "h2:包管 h2:管理 h2:理器 w:pnpm"),
        ("北京2026年", "h2:北京 w:2026 h1:年"),
        ("went", "w:go"),
        ("strata_gate __init__ ___", "w:strata_gate w:strata w:gate w:__init__ w:init"),
        ("1,000 ab,cd 10'30", "w:1,000 w:1 w:000 w:ab w:cd w:10 w:30"),
        ("a.1 1.a .a. a..b", "w:a w:1 w:1 w:a w:a w:a w:b"),
        ("コーヒーを飲む", "w:コーヒーを h1:飲 w:む"),
        ("갤럭시s23", "w:갤럭시 w:s23"),
        ("foo\u00adbar\ufe0f", "w:foobar"),
        ("na\u00efve", "w:naïv"),
        ("привет नमस्ते", "w:привет w:नमस्ते"),
        ("ภาษา", "w:ภา w:าษ w:ษา"),
        ("", ""),
        ("😀 -- /", ""),
    ],
)
def test_tokens(text: str, expected: str) -> None:
    """Documents give words with parts and stems, and Han pairs, in reading order."""
    assert expected.split() == tokens(text)


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("What is the migration?", "w:migrat"),
        ("what is the", "w:what w:be w:the"),
        ("don’t panic", "w:panic"),
        ("state_of_mind", "w:state_of_mind w:state w:mind"),
        ("a willing helper", "w:will w:helper"),
        ("我们 什么 项目", "h2:项目"),
        ("什么", "h2:什么"),
        ("什么项目", "h2:什么 h2:么项 h2:项目"),
    ],
)
def test_query_tokens(query: str, expected: str) -> None:
    """A query keeps function words only where nothing else remains."""
    assert expected.split() == query_tokens(query)


@pytest.mark.parametrize(
    ("query", "document"),
    [
        ("v0.3.2", "we shipped v0.3.2"),
        ("v0", "we shipped v0.3.2"),
        ("3.14", "pi is 3.14"),
        ("14", "pi is 3.14"),
        ("example.com", "see example.com."),
        ("example", "see example.com."),
        ("can't", "it can't be"),
        ("migrations", "we migrated"),
        ("李明", "由李明负责"),
        ("明", "他叫 明 。"),
    ],
)
def test_S_02_found_whole_and_by_parts(query: str, document: str) -> None:
    """A word is found whole, by its parts and by its stem; Han by pairs, or alone."""
    assert set(query_tokens(query)) & set(tokens(document))


@given(ANY_TEXT)
def test_query_tokens_are_document_tokens(text: str) -> None:
    """A query finds the document with the same text, and is never emptied by function words."""
    assert set(query_tokens(text)) <= set(tokens(text))
    assert bool(tokens(text)) == bool(query_tokens(text))


@given(ANY_TEXT)
def test_width_case_and_spacing_do_not_matter(text: str) -> None:
    """A text and its normal form give the same tokens."""
    again = normalise(text)
    if normalise(again) == again:
        assert tokens(again) == tokens(text)


@given(st.text(alphabet="ab1._,'- ", max_size=30))
def test_ascii_and_unicode_cuts_agree(text: str) -> None:
    """The quick cut of ASCII text is the cut of any other text."""
    assert [*plain_tokens(text), "word:é"] == plain_tokens(f"{text} é")


@pytest.mark.parametrize(
    "unit",
    [
        "a",
        "a.",
        "_",
        "\u0301",
        "a\u0301.",
        "'",
        "\0",
        "\ud800",
        "😀",
        "中",
        "ก",
        "ー",
        "\u200d",
        "가",
    ],
)
def test_hostile_text_takes_linear_time(unit: str) -> None:
    """A hundred thousand characters of anything are cut at once; no token is longer than a key."""
    text = (unit * 100_000)[:100_000]
    started = time.perf_counter()
    found = [*tokens(text), *query_tokens(text)]
    assert time.perf_counter() - started < 2
    assert max(map(len, found), default=0) <= 130


def test_threads_get_the_same_stems() -> None:
    """Many threads stemming at once give what one gives."""
    word_lists = [
        [f"{stem}{ending}" for stem in ("migrat", "deploy", "connect") for ending in endings]
        for endings in (("ing", "ed", "ions"), ("ions", "ing", "s"), ("s", "ed", "ing")) * 20
    ]
    expected = [tokens(" ".join(words)) for words in word_lists]
    with ThreadPoolExecutor(8) as pool:
        assert expected == list(pool.map(lambda words: tokens(" ".join(words)), word_lists))


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [("abc", "abx", 2 / 3), ("a", "ab", 0.0), ("ab", "abcd", 1.0), ("", "", 0.0), ("", "ab", 0.0)],
)
def test_containment(a: str, b: str, expected: float) -> None:
    """Shared tokens over those of the smaller set; one shared token is none."""
    assert expected == pytest.approx(containment(set(a), set(b)))


@given(ANY_TEXT, ANY_TEXT)
def test_fuzzy_match_is_symmetric(a: str, b: str) -> None:
    """Which text comes first does not matter, and a text that is not blank matches itself."""
    assert fuzzy_match(a, b) == fuzzy_match(b, a)
    assert fuzzy_match(a, a) == bool(normalise(a))
