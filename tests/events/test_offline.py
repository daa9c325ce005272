"""What is remembered without a model, over the public API: plain statements, plans and changes."""

import pytest

from stratagate_core import StrataGate
from stratagate_core.model.event import Event
from tests.conftest import Opener

pytestmark = [pytest.mark.slow, pytest.mark.one_database]

#: every turn is a block, so that later ones see the events of earlier ones
SETTINGS = {"block_turn_size": 1, "processing": "inline"}


def _told(open_memory: Opener, *said: str) -> tuple[StrataGate, list[Event]]:
    """A memory in which a user said these things, and its events in the order of saying."""
    memory = open_memory(path=":memory:", settings=SETTINGS)
    for text in said:
        memory.add_turn(text, "I see.")
    found = memory.search_events("", temporal_intent="first", limit=20).hits
    events = {hit.item["id"]: memory.event(hit.item["id"]) for hit in found}
    return memory, sorted(events.values(), key=lambda event: event.formed_turn)


@pytest.mark.parametrize(
    "text",
    [
        "Would Obsidian work here?",
        "Can you shorten this paragraph",
        "Keep this answer brief.",
        "Rewrite this in a friendlier tone: we have received your order.",
        "How about lunch on Friday?",
        "I wonder whether Obsidian would work.",
        "Maybe I should learn Rust.",
        "Thanks, that helps a lot!",
        "It is raining.",
        "https://example.com/a/very/long/address?with=parameters",
        "Obsidian 在这里能用吗？",
        "请把图里的箭头对齐。",
        "也许我应该学 Rust。",
        "谢谢，很有帮助！",
        "帮我把这段话翻译成英文：今天天气很好。",
    ],
)
def test_no_event_of_what_states_nothing(open_memory: Opener, text: str) -> None:
    """Questions, suppositions, thanks and one-off requests are no events; the block is ready."""
    memory, events = _told(open_memory, text)

    assert [] == events
    assert ["ready"] == [block.status for block in memory.blocks()]


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("The database runs on port 5433.", "database port"),
        ("Our API returns 429 after 100 requests per minute.", "API requests"),
        ("The build fails on Windows because of path separators.", "Windows build"),
        ("Deadline for the grant application is 15 September.", "grant deadline"),
        ("CI check still pending.", "CI check"),
        ("数据库跑在 5433 端口。", "数据库端口"),
        ("项目负责人是王芳。", "项目负责人"),
        ("构建在 Windows 上失败，原因是路径分隔符。", "构建失败"),
        ("申请截止日期是9月15日。", "申请截止日期"),
    ],
)
def test_plain_facts_belong_to_the_project(open_memory: Opener, text: str, query: str) -> None:
    """What is impersonal is of the project, and its title is found by its words."""
    memory, (event,) = _told(open_memory, text)

    assert (text, "project", "routine") == (event.title, event.scope, event.criticality)
    assert [event.id] == [hit.item["id"] for hit in memory.search_events(query).hits]


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("Could you remember that my birthday is on March 3?", None),
        ("Please remember: my locker code is 47-11.", None),
        ("I would like you to always answer in bullet points.", None),
        ("请记住我的生日是三月三号。", None),
        ("Sounds good, I booked the table for 7 pm on Friday.", None),
        ("好的，我已经订了周五晚上七点的位子。", None),
        ("I sold the car. Translate: I am Max. I live in Paris.", "I sold the car."),
        ("> Where do you live?\nI live in Paris.", "I live in Paris."),
    ],
)
def test_what_is_told_to_be_kept_is_kept(open_memory: Opener, text: str, title: str | None) -> None:
    """Asking to remember, lasting guidance and news behind a courtesy are statements."""
    _, events = _told(open_memory, text)

    assert [title or text] == [event.title for event in events]


@pytest.mark.parametrize(
    "text",
    [
        "Summarise this email:\n\nDear team,\nWe moved the launch. I will be in Berlin.\nTom",
        "Translate: I am Max. I live in Paris.",
        "Here is the log:\n2026-05-05 12:00:01 ERROR worker crashed\nWhat does it mean?",
        "翻译成英文：我叫李雷。我住在柏林。",
        "> I live in Paris.\n> We moved the launch to June 3.\nWhat does she mean?",
    ],
)
def test_nothing_handed_over_is_attributed_to_the_speaker(open_memory: Opener, text: str) -> None:
    """A text to work on, a log or a quoted mail tells nothing of who pasted it."""
    assert [] == _told(open_memory, text)[1]


def test_E_20_offline_a_plan_is_no_outcome(open_memory: Opener) -> None:
    """Said on May 6: planned for May 11 to 17, mentioned on May 6; nothing has occurred."""
    for text in ("I'll finish the prototype next week.", "我下周完成原型。"):
        memory, (event,) = _told(open_memory, text)
        times = event.temporal
        assert ("planned", "plan") == (times.status, times.event_type)
        days = [times.mentioned_at, times.happened_start, times.happened_end]
        assert ["2026-05-06", "2026-05-11", "2026-05-17"] == [str(day)[:10] for day in days]
        found = memory.search_events("prototype finished 原型完成").hits
        assert ["planned"] == [hit.item["temporal"]["status"] for hit in found]


@pytest.mark.parametrize(
    ("earlier", "other", "change"),
    [
        (
            "The launch is on June 3.",
            "CI check of the launch branch still pending.",
            "We moved the launch from June 3 to June 10.",
        ),
        ("发布定在六月三号。", "发布说明由小王写，周五交。", "发布改到六月十号。"),
        (
            "The meeting with Acme is on Tuesday.",
            "The meeting with Bolt is on Tuesday.",
            "The meeting with Acme was postponed to Thursday.",
        ),
        (
            "We use npm for the web client.",
            "The web client talks to the API.",
            "We switched from npm to pnpm.",
        ),
        ("我们用 npm 管理依赖。", "我们团队每周一开会。", "我们改用 pnpm 了，不再用 npm。"),
        ("I live in Berlin.", "My sister Anna lives in Berlin.", "I moved from Berlin to Lyon."),
        ("我住在柏林。", "我妹妹住在柏林。", "我上个月从柏林搬到了里昂。"),
    ],
)
def test_a_change_supersedes_its_subject_alone(
    open_memory: Opener, earlier: str, other: str, change: str
) -> None:
    """The earlier plan or state is superseded by the change; what is near it stays in force."""
    _, events = _told(open_memory, earlier, other, change)
    known = {event.title: event for event in events}

    assert "superseded" == known[earlier].status
    assert known[change].id == known[earlier].superseded_by
    assert ["active"] * 2 == [known[title].status for title in (other, change)]


@pytest.mark.parametrize(
    "said",
    [
        ("I moved from Berlin to Lyon.", "I love my flat in Berlin.", "I work in Lyon."),
        ("I want to visit the Colosseum in Rome.", "I cancelled my gym membership."),
        ("I will finish the prototype next week.", "The prototype still lacks a login page."),
        ("I love my flat in Berlin.", "I like Helix a lot.", "I moved to Lyon."),
        ("I work in Lyon.", "I moved to Lyon."),
        ("I like Helix a lot.", "I no longer use Vim, I switched to Helix."),
        ("The build takes ten minutes.", "We switched the build from npm to pnpm."),
        (
            "Our flight to Rome is on June 3.",
            "Our flight to Oslo is on June 4.",
            "Our flight moved.",
        ),
        ("I love helping our community garden.", "We want some change in our community garden."),
        ("我们计划去杭州团建。", "我们取消了健身卡。"),
        ("发布说明由小王写，周五交。", "发布改到六月十号。"),
    ],
)
def test_what_is_not_clearly_the_same_stays(open_memory: Opener, said: tuple[str, ...]) -> None:
    """A supplement, another subject, a new value or two candidates supersede nothing."""
    _, events = _told(open_memory, *said)

    assert {"active"} == {event.status for event in events}


@pytest.mark.parametrize(
    "said",
    [
        (
            "The launch is on June 3.",
            "We moved the launch to June 10.",
            "We moved the launch to June 17.",
        ),
        ("发布定在六月三号。", "发布改到六月十号。", "发布推迟到六月十七号。"),
    ],
)
def test_a_change_within_one_block_supersedes(open_memory: Opener, said: tuple[str, ...]) -> None:
    """Said in one block: each move puts the date before it out of force; the last one holds."""
    memory = open_memory(path=":memory:", settings={**SETTINGS, "block_turn_size": len(said)})
    for text in said:
        memory.add_turn(text, "I see.")
    hits = memory.search_events("", temporal_intent="first").hits
    events = [memory.event(hit.item["id"]) for hit in hits]
    events.sort(key=lambda event: said.index(event.title))

    assert ["superseded", "superseded", "active"] == [event.status for event in events]
    assert [events[1].id, events[2].id, None] == [event.superseded_by for event in events]


def test_the_new_date_is_the_time_of_a_change(open_memory: Opener) -> None:
    """Of two dates in a sentence the one it was moved to is kept, and still to come."""
    for text in ("We moved the launch from June 3 to June 10.", "发布从六月三号改到了六月十号。"):
        _, (event,) = _told(open_memory, text)
        times = event.temporal
        assert ("planned", "change") == (times.status, times.event_type)
        assert "2026-06-10" == str(times.happened_start)[:10]


def test_what_must_not_be_lost_comes_first(open_memory: Opener) -> None:
    """Of a long message the two cards are those of most importance."""
    said = (
        "Yesterday I met Bo and Ana in Lisbon at 10 and we visited three museums. "
        "I'm allergic to peanuts. On Monday I bought two bikes in Bonn for 300 euros."
    )
    _, events = _told(open_memory, said)

    assert "I'm allergic to peanuts." in [event.title for event in events]
    assert 2 == len(events)
