"""Search results as items to be scored: what each covers and how a model would see it."""

from collections.abc import Callable, Iterable, Mapping
from functools import cache

from stratagate_core.evals.dataset import Conversation, session_of
from stratagate_core.evals.measures import Item
from stratagate_core.memory import StrataGate
from stratagate_core.model.message import Message

#: messages on either side of one that a window shows
REACH = 2


def message_items(conversation: Conversation) -> dict[str, Item]:
    """Each message by its id."""
    windows = _windows(conversation)
    return {
        str(message.id): Item(
            covers=frozenset((str(message.id),)),
            text=f"{speaker(message)}: {message.content}",
            date=_date_line(message),
            sessions=(session_of(message),),
            window=windows[str(message.id)],
        )
        for message in conversation.messages
    }


def event_items(memory: StrataGate, conversation: Conversation) -> Callable[[str], Item]:
    """Gives an event by its id: it covers its sources, and its first source dates it."""
    said = {str(message.id): message for message in conversation.messages}
    windows = _windows(conversation)

    @cache
    def item(event_id: str) -> Item:
        event = memory.event(event_id)
        sources = [said[key] for key in event.source_message_ids]
        return Item(
            covers=frozenset(event.source_message_ids),
            text=f"{event.title}: {event.summary}",
            date=_date_line(sources[0]),
            sessions=tuple(dict.fromkeys(map(session_of, sources))),
            window=_union(windows, event.source_message_ids),
        )

    return item


def speaker(message: Message) -> str:
    """Who says it: the name, or what the speaker is."""
    return message.name or message.role


def _windows(conversation: Conversation) -> Mapping[str, frozenset[str]]:
    """Each message id with those up to `REACH` away in the same session."""
    messages = conversation.messages
    found: dict[str, frozenset[str]] = {}
    for place, message in enumerate(messages):
        near = messages[max(0, place - REACH) : place + REACH + 1]
        found[str(message.id)] = frozenset(
            str(each.id) for each in near if session_of(each) == session_of(message)
        )
    return found


def _union(windows: Mapping[str, frozenset[str]], keys: Iterable[str]) -> frozenset[str]:
    return frozenset[str]().union(*(windows[key] for key in keys))


def _date_line(message: Message) -> str:
    return f"[{message.created_at:%Y-%m-%d %H:%M}]" if message.created_at else ""
