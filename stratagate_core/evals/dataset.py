"""What every data set becomes: conversations told turn by turn, and questions with evidence.

Each reader (`locomo`, `longmemeval`, `beam`) makes these values out of its own format.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from stratagate_core.errors import InvalidArgument
from stratagate_core.model.message import Message

#: the key of a message's metadata that holds the number of its session
SESSION = "session"


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """One question, the messages that answer it and the sessions they stand in."""

    text: str
    category: str
    #: message ids; empty if only the sessions are known
    evidence: frozenset[str]
    #: session numbers
    sessions: frozenset[int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """One conversation as turns of messages, and its questions that have evidence."""

    dataset: str
    id: str
    turns: tuple[tuple[Message, ...], ...]
    questions: tuple[Question, ...]
    #: questions left out because they cite no message
    skipped: int = 0
    #: citations that were read although malformed, and those that name no message
    repaired_ids: int = 0
    skipped_ids: int = 0
    #: questions whose evidence was replaced by a list of known errors
    corrected: int = 0

    @property
    def messages(self) -> tuple[Message, ...]:
        """All messages in order."""
        return tuple(message for turn in self.turns for message in turn)

    @property
    def namespace(self) -> str:
        """Where its memory is kept."""
        return f"{self.dataset}:{self.id}"


def session_of(message: Message) -> int:
    """The number of the session a message was said in."""
    return int(message.metadata[SESSION])


def question(
    text: str, category: str, evidence: Iterable[str], sessions: Mapping[str, int]
) -> Question:
    """A question whose evidence are messages; `sessions` has the session of every message."""
    cited = frozenset(evidence)
    return Question(
        text=text,
        category=category,
        evidence=cited,
        sessions=frozenset(sessions[key] for key in cited),
    )


def split_turns(messages: Iterable[Message]) -> Iterator[tuple[Message, ...]]:
    """A turn begins with a session, and where the user speaks after the assistant."""
    turn: list[Message] = []
    for message in messages:
        if turn and _begins(turn[-1], message):
            yield tuple(turn)
            turn = []
        turn.append(message)
    if turn:
        yield tuple(turn)


def _begins(before: Message, message: Message) -> bool:
    if session_of(before) != session_of(message):
        return True
    return message.role == "user" and before.role == "assistant"


def usable(conversations: Sequence[Conversation], source: str) -> tuple[Conversation, ...]:
    """The conversations, if something can be measured with them.

    Raises:
        InvalidArgument: there are none, no question has evidence, or an id stands twice.

    """
    if not conversations:
        raise InvalidArgument(f"{source} holds no conversations")
    if not any(each.questions for each in conversations):
        raise InvalidArgument(f"{source} holds no question that cites a message of it")
    if twice := _repeated(each.id for each in conversations):
        raise InvalidArgument(f"{source} holds two conversations called {twice!r}")
    for each in conversations:
        if twice := _repeated(str(message.id) for message in each.messages):
            raise InvalidArgument(f"{source} holds two messages {twice!r} in {each.id}")
    return tuple(conversations)


def _repeated(names: Iterable[str]) -> str | None:
    return next((name for name, count in Counter(names).items() if count > 1), None)
