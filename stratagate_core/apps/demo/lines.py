"""How the demo writes messages, events and days; and the weight of events."""

from collections.abc import Sequence
from datetime import datetime

from stratagate_core.apps.demo.screen import wrap
from stratagate_core.memory import StrataGate
from stratagate_core.model.event import Event
from stratagate_core.model.message import Message


def spoken(memory: StrataGate, message: Message) -> str:
    """A message word for word, with its day, speaker and id."""
    said = day(memory, message.created_at)
    return wrap(f"{said}, {message.role} ({message.id}): “{message.content}”", indent="   │ ")


def status(event: Event) -> str:
    """Whether the event happened, and whether another took its place."""
    happening = event.temporal.status
    return f"{happening}, superseded" if event.status == "superseded" else happening


def span(memory: StrataGate, event: Event) -> str:
    """The day, or the days, on which the event happens."""
    days = [
        day(memory, moment)
        for moment in (event.temporal.happened_start, event.temporal.happened_end)
        if moment is not None
    ]
    return " – ".join(dict.fromkeys(days))


def day(memory: StrataGate, moment: datetime | None) -> str:
    """The day in the display time zone."""
    local = moment and moment.astimezone(memory.settings().timezone)
    return f"{local.day} {local:%b}" if local else ""


def weights(memory: StrataGate, ids: Sequence[str]) -> dict[str, float]:
    """The weight of events now; reading it changes nothing."""
    cards = {key: memory.expand_event(key)["results"][0] for key in ids}
    return {key: float(card["weight"]["effective"]) for key, card in cards.items()}
