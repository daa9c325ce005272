"""The form of a message: whether it asks, and how much it tells, whatever the query."""

import re
from dataclasses import dataclass
from functools import lru_cache

from stratagate_core.text.modality import is_question
from stratagate_core.text.salience import form_of, names_a_time
from stratagate_core.text.sentences import split_sentences

#: what is longer is looked at up to here
_LOOKED_AT = 2000
#: sentences whose form is looked at
_MOST = 12
_CAPTION = re.compile(r"^(?:image|photo|picture|图片|照片)\s*[:：]", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Shape:
    """What a message does."""

    ends_asking: bool
    #: the share of its characters that stands in questions
    asked_share: float


@lru_cache(maxsize=4096)
def shape_of(content: str) -> Shape:
    """The shape of a message, captions of its pictures left out."""
    said = _said(content)
    asks = [is_question(sentence) for sentence in said]
    whole = sum(map(len, said))
    asked = sum(len(sentence) for sentence, is_asked in zip(said, asks, strict=True) if is_asked)
    return Shape(
        ends_asking=bool(asks) and asks[-1],
        asked_share=asked / whole if whole else 0.0,
    )


@lru_cache(maxsize=4096)
def says_when(content: str) -> bool:
    """Whether a message holds words for a time; asked for some queries only, and dear."""
    return names_a_time(content)


@lru_cache(maxsize=4096)
def telling_of(content: str) -> float:
    """The form of its most telling sentence, see `text.salience`."""
    return max((form_of(sentence, frozenset()) for sentence in _said(content)[:_MOST]), default=0.0)


def _said(content: str) -> list[str]:
    sentences = split_sentences(content[:_LOOKED_AT])
    return [one for one in sentences if not _CAPTION.match(one)] or list(sentences)
