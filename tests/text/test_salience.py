"""What is worth keeping."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stratagate_core.text.salience import Spoken, key_points, score_sentences


def _spoken(*texts: str) -> list[Spoken]:
    return [Spoken(text, "user", "Ann") for text in texts]


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        ("I moved to Rome last year.", "That sounds so nice!"),
        ("I adopted two dogs.", "Did you adopt two dogs?"),
        ("We started a bakery in 2021.", "You are so kind to people."),
        ("My sister visited me yesterday.", "Wow, great."),
        ("我去年搬到了罗马。", "听起来真不错！"),
        ("我养了两只狗。", "你养了两只狗吗？"),
        ("我们决定用新的数据库。", "你人真好。"),
        ("昨天我妹妹来看我了。", "哇。"),
    ],
)
def test_facts_outrank_questions_courtesy_and_talk_about_the_listener(
    better: str, worse: str
) -> None:
    """What the speaker did is kept before what merely answers politely."""
    first, second = score_sentences(_spoken(better, worse))
    assert first > second


def test_key_points_come_in_reading_order() -> None:
    """The best sentences are chosen by score and given in the order they were said."""
    spoken = _spoken("Hi!", "I moved to Rome last May.", "How are you?", "I bought a dog today.")
    assert key_points(spoken, 2) == (1, 3)


def test_a_sentence_of_the_blocks_subject_gains() -> None:
    """Sharing the rarer words of the block counts."""
    scores = score_sentences(_spoken("The violin sings.", "A violin breaks.", "The lamp glows."))
    assert scores[0] > scores[2]


def test_the_names_of_the_speakers_do_not_count() -> None:
    """Being addressed by name tells nothing."""
    named = [Spoken("It went so well, Bob.", "user", "Ann"), Spoken("Fine.", "user", "Bob")]
    plain = [Spoken("It went so well, friend.", "user", "Ann"), Spoken("Fine.", "user", "Bob")]
    assert score_sentences(plain)[0] == score_sentences(named)[0]


def test_equal_sentences_tie_by_position() -> None:
    """The earlier of two equal sentences is kept."""
    assert key_points(_spoken("I ran.", "I ran."), 1) == (0,)


@given(st.lists(st.text(max_size=40), max_size=8), st.integers(-1, 10))
def test_key_points_of_any_block(texts: list[str], limit: int) -> None:
    """There are as many as asked for and present, each once, in order."""
    points = key_points(_spoken(*texts), limit)
    assert min(max(limit, 0), len(texts)) == len(points)
    assert sorted(set(points)) == list(points)
