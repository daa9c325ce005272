"""Why evidence was missed."""

from collections.abc import Sequence

from stratagate_core.evals.dataset import Question
from stratagate_core.evals.measures import Item
from stratagate_core.evals.misses import Asked, counted, failure


def item(key: str, text: str = "Ben: nothing", session: int = 9) -> Item:
    """A message as an item."""
    return Item(covers=frozenset((key,)), text=text, sessions=(session,))


FILLER = [item(f"x{number}") for number in range(50)]
KAYAK = item("kayak", "Ben: I bought a kayak.", session=1)
RIVER = item("river", "Ben: On the river near Ghent.", session=2)
MISO = item("miso", "Ana: I adopted a tortoise.", session=1)


def asked(ranking: Sequence[Item], *evidence: Item, text: str = "What kayak did Ben buy?") -> Asked:
    """A question that was answered with a ranking."""
    return Asked(
        conversation="made",
        search="search_raw",
        question=Question(
            text=text,
            category="temporal",
            evidence=frozenset(key for each in evidence for key in each.covers),
            sessions=frozenset(number for each in evidence for number in each.sessions),
        ),
        ranking=ranking,
        depth=50,
        said={key: each for each in (KAYAK, RIVER, MISO) for key in each.covers},
        names={"Ana", "Ben"},
    )


def test_nothing_missed_is_no_failure() -> None:
    """Evidence among the first ten is found."""
    assert failure(asked([*FILLER[:9], KAYAK], KAYAK)) is None


def test_ranked_late() -> None:
    """Evidence from rank 11 on has its rank."""
    failed = failure(asked([*FILLER[:10], KAYAK], KAYAK))
    assert failed is not None
    assert [(each.id, each.rank, each.why) for each in failed.missed] == [
        ("kayak", 11, "ranked 11-50")
    ]


def test_no_shared_word() -> None:
    """A speaker's name in the question is no word that the message shares with it."""
    failed = failure(asked(FILLER, RIVER, text="What did Ben buy?"))
    assert failed is not None
    assert [(each.rank, each.why) for each in failed.missed] == [(None, "no shared word")]


def test_a_shared_word_out_of_sight() -> None:
    """Below a full ranking it may stand further down; below a short one it was no candidate."""
    whys = []
    for ranking in (FILLER, FILLER[:20]):
        failed = failure(asked(ranking, KAYAK))
        assert failed is not None
        whys += [each.why for each in failed.missed]
    assert whys == ["below rank 50", "never a candidate"]


def test_kinds_of_questions() -> None:
    """Whether the session was found, whether it is about time, and lists over sessions."""
    near = failure(asked([MISO, *FILLER], KAYAK))
    far = failure(asked([MISO, *FILLER], KAYAK, RIVER))
    assert near is not None
    assert far is not None
    assert near.kinds == ("right session, other message", "temporal")
    assert far.kinds == ("wrong session", "temporal", "list over several sessions")
    assert far.instead == (MISO.text, FILLER[0].text, FILLER[1].text)


def test_counted() -> None:
    """Messages are counted by reason and questions by kind; what never happens is 0."""
    failures = [
        failed
        for ranking in (FILLER, FILLER[:20])
        if (failed := failure(asked(ranking, KAYAK, RIVER, text="A kayak?")))
    ]
    assert counted(failures) == {
        "ranked 11-50": 0,
        "below rank 50": 1,
        "no shared word": 2,
        "never a candidate": 1,
        "wrong session": 2,
        "right session, other message": 0,
        "temporal": 2,
        "list over several sessions": 2,
    }
