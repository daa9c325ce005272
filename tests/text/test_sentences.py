"""Text is cut into exact pieces."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stratagate_core.text.sentences import split_sentences

CASES = [
    ("One. Two! Three? Four", ["One.", "Two!", "Three?", "Four"]),
    ("It costs 3.50 dollars. Fine.", ["It costs 3.50 dollars.", "Fine."]),
    ("Mr. Smith met Dr. Lee. They talked.", ["Mr. Smith met Dr. Lee.", "They talked."]),
    ("Bring fruit, e.g. Apples. Thanks.", ["Bring fruit, e.g. Apples.", "Thanks."]),
    ("J. R. Tolkien wrote it. I read it.", ["J. R. Tolkien wrote it.", "I read it."]),
    ("So do I. Then we left.", ["So do I.", "Then we left."]),
    ("See https://a.example/x.y?b=1. Then go.", ["See https://a.example/x.y?b=1.", "Then go."]),
    ("Open notes.txt now.", ["Open notes.txt now."]),
    ("Well... maybe not. OK", ["Well... maybe not.", "OK"]),
    ("At 3 p.m. we left. At 4 p.m. We ate.", ["At 3 p.m. we left.", "At 4 p.m.", "We ate."]),
    ("No. 5 is mine. Oh no. That was it.", ["No. 5 is mine.", "Oh no.", "That was it."]),
    ('He said "Stop!" Then he left.', ['He said "Stop!"', "Then he left."]),
    ("1. Wash it\n2. Dry it", ["1. Wash it", "2. Dry it"]),
    ("first line\r\n\r\nsecond line", ["first line", "second line"]),
    ("我去了北京。你呢？好的！", ["我去了北京。", "你呢？", "好的！"]),
    ("他说：“走吧！”然后走了。", ["他说：“走吧！”", "然后走了。"]),
    ("用了3.5小时。OK.我们走", ["用了3.5小时。", "OK.", "我们走"]),
    ("Really?! Yes.", ["Really?!", "Yes."]),
    ("  \n ", []),
    ("", []),
]


@pytest.mark.parametrize(("text", "expected"), CASES)
def test_sentences_end_where_a_reader_ends_them(text: str, expected: list[str]) -> None:
    """Stops inside numbers, addresses and abbreviations end nothing."""
    assert tuple(expected) == split_sentences(text)


@given(st.text(alphabet=st.sampled_from("aA1 .!?。！\n\"”'Mr你…")))
def test_nothing_is_changed_or_lost(text: str) -> None:
    """The sentences are substrings in order and hold every visible sign of the text."""
    sentences = split_sentences(text)
    assert "".join(text.split()) == "".join("".join(sentences).split())
    assert all(sentence and sentence == sentence.strip() for sentence in sentences)
    position = 0
    for sentence in sentences:
        position = text.index(sentence, position) + len(sentence)
