"""The effects of edits on topics. They are checked before, and write the directory only."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from stratagate_core.dreaming.rules.edits import Known
from stratagate_core.engine import Work
from stratagate_core.store import events, topic_members, topics
from stratagate_core.store.topics import TopicRow
from stratagate_core.text.normalise import label_identity
from stratagate_core.topics.rules.compact import compact
from stratagate_core.topics.rules.extractive import description_of
from stratagate_core.topics.rules.labels import section_key
from stratagate_core.topics.writes import new_topic, put_topic, standing, take_out, with_members

Json = Mapping[str, Any]


def known(work: Work, edit: Json) -> Known:
    """What an edit is checked against."""
    ids = [edit.get("topic_id"), edit.get("to_topic_id"), *(edit.get("other_topic_ids") or ())]
    rows = topics.by_ids(work.tx, [key for key in ids if key])
    titles = [edit.get("title"), edit.get("to_title")]
    labels = topics.by_labels(work.tx, [label_identity(title) for title in titles if title])
    row = rows.get(str(edit.get("topic_id")))
    named = [*(edit.get("event_ids") or ()), *(edit.get("source_event_ids") or ())]
    cited = events.by_ids(work.tx, named)
    timezone = work.settings.timezone
    return Known(
        topics={key for key, one in rows.items() if one.valid},
        labels={label: one.id for label, one in labels.items()},
        members=topic_members.held(work.tx, row.id, named) if row else (),
        sections=topic_members.titles(work.tx, row.id) if row else {},
        paragraphs=row.overview if row else (),
        experiences=row.experiences if row else (),
        truncated={key for key, event in cited.items() if compact(event, timezone)[1]},
    )


def apply(work: Work, edit: Json, *, read: Sequence[str], by_rules: bool) -> None:
    """Write an edit without faults.

    Args:
        work: the open transaction.
        edit: what to do.
        read: the events that were read for it: the topic's new words may hold theirs.
        by_rules: the words come from rules, so they are those of the members or stock words.

    """
    (row,) = topics.by_ids(work.tx, [edit["topic_id"]]).values()
    if not by_rules:
        row = replace(row, by_rules=False, agent=row.agent or _any_of_agent(work, read))
        topic_members.put_sources(work.tx, row.id, read)
    _EFFECTS[edit["op"]](work, row, edit, read if not by_rules else ())


def _any_of_agent(work: Work, read: Sequence[str]) -> bool:
    return any(event.pool == "agent" for event in events.by_ids(work.tx, read).values())


def _rename(work: Work, row: TopicRow, edit: Json, _read: Sequence[str]) -> None:
    title = edit.get("title") or row.title
    described = edit.get("description") or row.description
    label = label_identity(title)
    put_topic(work, replace(row, title=title, label=label, description=described))


def _merge(work: Work, row: TopicRow, edit: Json, _read: Sequence[str]) -> None:
    for key in edit["other_topic_ids"]:
        (other,) = topics.by_ids(work.tx, [key]).values()
        row = _absorbed(work, row, other)
    put_topic(work, row)


def _absorbed(work: Work, row: TopicRow, other: TopicRow) -> TopicRow:
    """The topic with members, sections, prose and lessons of another one, which ends."""
    ids = [member.event_id for member in topic_members.members(work.tx, other.id)]
    cards = events.by_ids(work.tx, ids)
    row = with_members(work, row, [cards[key] for key in ids])
    places = topic_members.held(work.tx, row.id, ids)
    inside = topic_members.section_members(work.tx, other.id)
    entering = {key: {one: places[one] for one in held} for key, held in inside.items()}
    titles = topic_members.titles(work.tx, other.id)
    topic_members.enter_sections(work.tx, row.id, titles, entering)
    if not other.by_rules:
        topic_members.put_sources(work.tx, row.id, topic_members.sources_of(work.tx, other.id))
    topic_members.clear(work.tx, other.id)
    topics.delete(work.tx, [other.id])
    return replace(
        row,
        overview=(*row.overview, *other.overview),
        experiences=(*row.experiences, *other.experiences),
        by_rules=row.by_rules and other.by_rules,
        agent=row.agent or other.agent,
    )


def _move(work: Work, row: TopicRow, edit: Json, read: Sequence[str]) -> None:
    """Events go to another topic, or to another section of their own."""
    target = _target(work, row, edit, read)
    cards = events.by_ids(work.tx, edit["event_ids"])
    ordered = [cards[key] for key in edit["event_ids"]]
    put_topic(work, row)
    target = with_members(work, target, ordered)
    if read:
        # whoever understands may put an event below a title that its words do not carry
        target = replace(target, by_rules=False)
        topic_members.put_sources(work.tx, target.id, read)
    topic_members.leave_sections(work.tx, target.id, edit["event_ids"])
    key = section_key(edit["section"])
    places = topic_members.held(work.tx, target.id, edit["event_ids"])
    topic_members.enter_sections(work.tx, target.id, {key: edit["section"]}, {key: places})
    put_topic(work, replace(target, overview=standing(work, target)))
    if target.id != row.id:
        (now,) = topics.by_ids(work.tx, [row.id]).values()
        take_out(work, now, edit["event_ids"])


def _target(work: Work, row: TopicRow, edit: Json, read: Sequence[str]) -> TopicRow:
    if edit.get("to_topic_id") == row.id:
        return row
    if edit.get("to_topic_id"):
        (found,) = topics.by_ids(work.tx, [edit["to_topic_id"]]).values()
        return found
    label = label_identity(edit["to_title"])
    there = topics.by_labels(work.tx, [label]).get(label)
    if there is not None:
        return there
    made = replace(
        new_topic(work),
        title=edit["to_title"],
        label=label,
        description=edit.get("description") or description_of(edit["to_title"], "en"),
        by_rules=not read,
        agent=_any_of_agent(work, read),
    )
    topic_members.put_sources(work.tx, made.id, read)
    return made


def _rename_section(work: Work, row: TopicRow, edit: Json, _read: Sequence[str]) -> None:
    """The events of a section stand in another one, which may be there already."""
    old, new = section_key(edit["section"]), section_key(edit["title"])
    inside = topic_members.section_members(work.tx, row.id)[old]
    places = topic_members.held(work.tx, row.id, inside)
    topic_members.drop_section(work.tx, row.id, old)
    titles = {new: str(topic_members.titles(work.tx, row.id).get(new, edit["title"]))}
    topic_members.enter_sections(work.tx, row.id, titles, {new: places})
    moved = [{**one, "section": new} if one["section"] == old else one for one in row.overview]
    named = [
        {**one, "title": titles[new]}
        if one["section"] == new and section_key(one.get("title") or "") == old
        else one
        for one in moved
    ]
    put_topic(work, replace(row, overview=tuple(named)))


def _write_overview(work: Work, row: TopicRow, edit: Json, _read: Sequence[str]) -> None:
    paragraph = {name: edit[name] for name in ("kind", "title", "text")}
    sources = list(edit["source_event_ids"])
    section = section_key(edit["title"])
    written = {**paragraph, "source_event_ids": sources, "section": section}
    put_topic(work, replace(row, overview=(*row.overview, written)))


def _drop_overview(work: Work, row: TopicRow, edit: Json, _read: Sequence[str]) -> None:
    left = tuple(one for one in row.overview if one["text"] != edit["text"])
    put_topic(work, replace(row, overview=left))


def _write_experience(work: Work, row: TopicRow, edit: Json, _read: Sequence[str]) -> None:
    lesson = {
        "id": work.new_id("exp"),
        "title": edit["title"],
        "text": edit["text"],
        "source_event_ids": list(edit["source_event_ids"]),
    }
    put_topic(work, replace(row, experiences=(*row.experiences, lesson)))


def _drop_experience(work: Work, row: TopicRow, edit: Json, _read: Sequence[str]) -> None:
    left = tuple(one for one in row.experiences if one["id"] != edit["experience_id"])
    put_topic(work, replace(row, experiences=left))


_EFFECTS: Mapping[str, Callable[[Work, TopicRow, Json, Sequence[str]], None]] = {
    "rename_topic": _rename,
    "merge_topics": _merge,
    "move_events": _move,
    "rename_section": _rename_section,
    "write_overview": _write_overview,
    "drop_overview": _drop_overview,
    "write_experience": _write_experience,
    "drop_experience": _drop_experience,
}
