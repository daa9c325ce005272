"""Hypothesis strategies for what goes into a memory: texts in many scripts, traces, messages."""

from datetime import UTC, datetime

from hypothesis import strategies as st

from stratagate_core.model.message import UNSET, Message, ToolTrace

#: pieces that rules look for, so that random texts meet them
_TELLING = (
    "ok",
    "好的。",
    "谢谢！",
    "Got it.",
    "```py\nx = 1\n```",
    "```",
    "\n\n",
    "\r\n",
    "def f(): {}",
    '{"tool": "grep", "result": {"matches": [1, 2]}}',
    '{"name": "a", "arguments": {"q": "x"}}',
    '"arguments": broken',
    "[Earlier conversation block]",
    "Block: blk_1 | Turns: 1-2 | Level: L3",
    "[较早的对话块]",
    "word " * 20,
)
# fmt: off
_WORDS = (
    "tea", "harbour", "PNPM", "v2.1", "naïve", "Straße", "привет", "мир",
    "שלום", "سلام", "नमस्ते", "こんにちは", "서울", "我们",
    "部署", "数据库", "第一句", "👍🏽", "é",
    "a\u0301",
)
# fmt: on


def texts(max_pieces: int = 8) -> st.SearchStrategy[str]:
    """Texts of words in several scripts, telling pieces and arbitrary characters."""
    piece = st.one_of(
        st.sampled_from(_WORDS),
        st.sampled_from(_TELLING),
        st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=12),
    )
    joined = st.sampled_from(["", " ", "\n", "\n\n"])
    return st.builds(
        lambda separator, pieces: separator.join(pieces),
        joined,
        st.lists(piece, max_size=max_pieces),
    )


def words() -> st.SearchStrategy[str]:
    """Non-blank words in several scripts."""
    return st.sampled_from(_WORDS)


def times() -> st.SearchStrategy[datetime]:
    """Aware times of our century."""
    return st.datetimes(datetime(2001, 1, 1), datetime(2099, 1, 1), timezones=st.just(UTC))


def json_values() -> st.SearchStrategy[object]:
    """JSON values, nested."""
    leaves = st.one_of(
        st.none(),
        st.booleans(),
        st.integers(-(10**9), 10**9),
        st.floats(allow_nan=False, allow_infinity=False),
        texts(3),
    )
    return st.recursive(leaves, _nested, max_leaves=8)


def json_objects() -> st.SearchStrategy[dict[str, object]]:
    """JSON objects, with keys that mean something to the rules among others."""
    return st.dictionaries(_keys(), json_values(), max_size=4)


def traces() -> st.SearchStrategy[ToolTrace]:
    """Records of tool calls, with and without arguments and result."""
    return st.builds(
        ToolTrace,
        name=st.sampled_from(["search", "read_file", "搜索"]),
        arguments=st.one_of(st.just(UNSET), st.none(), json_objects()),
        result=st.one_of(st.just(UNSET), json_values()),
        call_id=st.one_of(st.none(), st.just("call_1")),
        is_error=st.booleans(),
    )


def messages() -> st.SearchStrategy[Message]:
    """Messages of every role, empty ones too."""
    return st.builds(
        Message,
        role=st.sampled_from(["user", "assistant", "tool", "system"]),
        content=texts(),
        name=st.one_of(st.none(), words()),
        tool_calls=st.lists(traces(), max_size=2).map(tuple),
    )


def conversations(max_size: int = 6) -> st.SearchStrategy[tuple[Message, ...]]:
    """A few messages in a row."""
    return st.lists(messages(), max_size=max_size).map(tuple)


def _keys() -> st.SearchStrategy[str]:
    telling = ["name", "tool", "function", "arguments", "error", "summary", "ok", "code", "items"]
    return st.one_of(st.sampled_from(telling), words())


def _nested(values: st.SearchStrategy[object]) -> st.SearchStrategy[object]:
    return st.one_of(
        st.lists(values, max_size=3),
        st.dictionaries(_keys(), values, max_size=3),
    )
