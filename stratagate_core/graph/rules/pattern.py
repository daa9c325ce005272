"""The shape of a pattern that finds one fact in a sentence."""

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Rule:
    """A pattern with the groups `who` and `value`, and what it tells."""

    pattern: re.Pattern[str]
    key: str
    mode: str = "state"
    relation: str = ""
    target_type: str = ""
    #: whether the verb fits nobody but a person, so that any name may be the subject
    personal: bool = True
