"""Standalone fillers: pieces of a paragraph that say nothing beyond having been read (01 §5)."""

import re

# fmt: off
FILLERS = frozenset({
    "ok", "okay", "got it", "thanks", "thank you", "yes", "correct", "sure",
    "好", "好的", "嗯", "嗯嗯", "明白", "收到", "谢谢", "感谢", "辛苦了", "是", "是的",
    "对", "对的", "没错", "可以", "行", "同意", "就这样",
})
# fmt: on

#: up to a line break, or up to and with a run of sentence ends; an ASCII full stop ends nothing
_PIECE = re.compile(r"[^。！？!?\n]+[。！？!?]*|[。！？!?]+")


def without_fillers(paragraph: str) -> str:
    """The paragraph as it is, or, if it holds fillers, its other pieces one a line."""
    pieces = [piece.strip() for piece in _PIECE.findall(paragraph)]
    kept = [piece for piece in pieces if not _is_filler(piece)]
    if len(kept) == len(pieces):
        return paragraph
    return "\n".join(piece for piece in kept if piece)


def _is_filler(piece: str) -> bool:
    return piece.rstrip("。！？，、,.!?～~").strip().lower() in FILLERS
