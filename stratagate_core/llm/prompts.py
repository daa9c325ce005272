"""Prompts are files; the hash of a prompt is stored with what it produced."""

import hashlib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files


@dataclass(frozen=True, slots=True)
class Prompt:
    """The text of a prompt and its SHA-256 as hexadecimal digits."""

    text: str
    hash: str


@cache
def load_prompt(name: str) -> Prompt:
    """The prompt in the file `name` of ``stratagate_core/prompts``."""
    text = (files("stratagate_core") / "prompts" / name).read_text(encoding="utf-8").strip()
    return Prompt(text=text, hash=hashlib.sha256(text.encode()).hexdigest())
