"""What makes two cards say the same: their words, whatever the case, width or punctuation."""

import hashlib
import re

from stratagate_core.text.normalise import collapse, normalise

#: marks around words, not those inside them: `3.14`, `node.js` and `can't` stay as they are, and
#: so do signs that belong to a name, as in `C++` and `C#`
_MARKS = r"[.,;:!?…。．，、；：！？·'\"“”‘’«»‹›()\[\]{}（）【】「」『』《》〈〉]"
_PUNCTUATION = re.compile(rf"(?<![^\W_]){_MARKS}+|{_MARKS}+(?![^\W_])")


def bare(text: str) -> str:
    """A text without case, width, spacing and the marks of its sentences."""
    return collapse(_PUNCTUATION.sub(" ", normalise(text)))


def fingerprint(title: str, summary: str) -> str:
    """The same for two cards whose title and summary are the same words."""
    return hashlib.sha256(f"{bare(title)}\n{bare(summary)}".encode(errors="replace")).hexdigest()
