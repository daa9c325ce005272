"""How sentences speak."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stratagate_core.text import modality

YES = [
    (modality.is_question, "Do you like it?"),
    (modality.is_question, 'Did he say "why?"'),
    (modality.is_question, "What did you do there"),
    (modality.is_question, "So, how about you"),
    (modality.is_question, "Any news? 😊"),
    (modality.is_question, "你喜欢吗"),
    (modality.is_question, "你去哪儿？"),
    (modality.is_question, "你是不是累了"),
    (modality.looks_ahead, "I'll call her"),
    (modality.looks_ahead, "我们要去海边"),
    (modality.looks_back, "We visited Rome"),
    (modality.looks_back, "我去过罗马"),
    (modality.is_plan, "We will move."),
    (modality.is_plan, "I'm going to paint."),
    (modality.is_plan, "She plans to leave."),
    (modality.is_plan, "We're meeting next week."),
    (modality.is_plan, "我打算换工作"),
    (modality.is_plan, "下周见面"),
    (modality.is_hypothetical, "If it rains, we stay."),
    (modality.is_hypothetical, "I would love a dog."),
    (modality.is_hypothetical, "如果下雨就不去"),
    (modality.is_hypothetical, "要是有时间的话"),
    (modality.is_cancellation, "We called off the trip."),
    (modality.is_cancellation, "The meeting was cancelled."),
    (modality.is_cancellation, "会议取消了"),
    (modality.is_cancellation, "我们不去了"),
    (modality.is_negated, "I don't eat meat."),
    (modality.is_negated, "我不吃肉"),
    (modality.is_negated, "他没有来"),
    (modality.is_greeting_or_praise, "Hey Ann!"),
    (modality.is_greeting_or_praise, "That's so cool!"),
    (modality.is_greeting_or_praise, "谢谢你"),
    (modality.is_greeting_or_praise, "太棒了！"),
    (modality.is_first_person, "I'm tired."),
    (modality.is_first_person, "That is ours."),
    (modality.is_first_person, "我累了"),
    (modality.is_second_person, "Your dog barks."),
    (modality.is_second_person, "您好"),
]
NO = [
    (modality.is_question, "What a day!"),
    (modality.is_question, "When it rains is unclear."),
    (modality.is_question, "我不知道是不是对的。"),
    (modality.is_question, "I asked what time it was."),
    (modality.is_plan, "I was going to the gym a lot."),
    (modality.is_plan, "She left her will."),
    (modality.is_plan, "我去了海边"),
    (modality.is_hypothetical, "I moved to Rome in May."),
    (modality.is_hypothetical, "我搬到了罗马"),
    (modality.is_cancellation, "The trip was great."),
    (modality.is_cancellation, "会议开始了"),
    (modality.is_negated, "I know a knot."),
    (modality.is_negated, "这个不错"),
    (modality.is_negated, "没关系"),
    (modality.is_greeting_or_praise, "I baked bread."),
    (modality.is_greeting_or_praise, "我烤了面包"),
    (modality.is_first_person, "He saw it."),
    (modality.is_second_person, "我们去了"),
]
RULES = [
    modality.is_question,
    modality.looks_ahead,
    modality.looks_back,
    modality.is_plan,
    modality.is_hypothetical,
    modality.is_cancellation,
    modality.is_negated,
    modality.is_greeting_or_praise,
    modality.is_first_person,
    modality.is_second_person,
]


@pytest.mark.parametrize(("rule", "sentence"), YES)
def test_the_rule_holds(rule: Callable[[str], bool], sentence: str) -> None:
    """The sentence speaks in this way."""
    assert rule(sentence)


@pytest.mark.parametrize(("rule", "sentence"), NO)
def test_the_rule_does_not_hold(rule: Callable[[str], bool], sentence: str) -> None:
    """The sentence does not speak in this way."""
    assert not rule(sentence)


@given(st.sampled_from(RULES), st.text(max_size=60))
def test_any_text_has_an_answer(rule: Callable[[str], bool], text: str) -> None:
    """No text makes a rule fail."""
    assert rule(text) in (True, False)
