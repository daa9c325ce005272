"""Taking secrets out of anything that leaves the library (16 §1).

The rules run in order, and again until nothing changes: so redacting twice is redacting once,
also where taking out one secret brings another into view. Every pattern is linear.
"""

import re
from collections.abc import Mapping
from itertools import pairwise
from typing import Any

_MARK = "[REDACTED]"
_TOKEN_MARK = "[REDACTED_TOKEN]"
_KEY_MARK = "[REDACTED_PRIVATE_KEY]"

#: pattern -> replacement. A private key that is cut off is taken out to the end of the text.
_RULES = tuple(
    (re.compile(pattern), replacement)
    for pattern, replacement in (
        (
            r"(?s)-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
            r".*?(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|\Z)",
            _KEY_MARK,
        ),
        (r"\b((?i:bearer)) +[A-Za-z0-9._~+/=-]{12,}", rf"\1 {_MARK}"),
        (
            r"(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]*\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+",
            _TOKEN_MARK,
        ),
        (
            r"(?<![A-Za-z0-9])(?:sk[-_]|gh[opasu]_|github_pat_)[A-Za-z0-9_-]{12,}",
            _TOKEN_MARK,
        ),
        (r"(?<![A-Za-z0-9])(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Z0-9])", _TOKEN_MARK),
        (r'(?<=[A-Za-z0-9])(://[^\s:/?#@"<>]*:)[^\s/?#"<>]+@', rf"\1{_MARK}@"),
        (
            r"((?i:api[ _-]?key|token|password|secret)[\"']?[ \t]*[:=：＝]+>?[ \t]*)"
            r"(?:(\")(?:[^\"\\]|\\.)+\"|(')(?:[^'\\]|\\.)+'"
            r"|\[REDACTED(?:_TOKEN|_PRIVATE_KEY)?\](?:[^\s\"',;&]*[^\s\"',;&)}\]])?"
            r"|[^\s\"',;&]*[^\s\"',;&)}\]])",
            rf"\1\2\3{_MARK}\2\3",
        ),
    )
)
#: a text none of these occur in holds no secret; looking for them is much cheaper than the rules
_HINT = re.compile(
    r"-----BEGIN|eyJ|sk[-_]|gh[opasu]_|github_pat_|A[KS]IA|://"
    r"|(?i:bearer |api[ _-]?key|token|password|secret)"
)
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[^\W\d_A-Z]+")
_SECRET_WORDS = frozenset({"authorization", "credential", "password", "secret", "token", "apikey"})


def redact(value: Any) -> Any:
    """`value` (JSON) without secrets, in all its texts at any depth; a new value, idempotent."""
    if isinstance(value, str):
        return _redact_text(value)
    if isinstance(value, Mapping):
        return {_redact_key(key): _redact_entry(key, item) for key, item in value.items()}
    if isinstance(value, tuple):
        return tuple(redact(item) for item in value)
    if isinstance(value, list):
        return [redact(item) for item in value]
    return value


def _redact_text(text: str) -> str:
    if not _HINT.search(text):
        return text
    while (cleaner := _apply(text)) != text:
        text = cleaner
    return text


def _apply(text: str) -> str:
    for pattern, replacement in _RULES:
        text = pattern.sub(replacement, text)
    return text


def _redact_key(key: object) -> object:
    return _redact_text(key) if isinstance(key, str) else key


def _redact_entry(key: object, value: Any) -> Any:
    if isinstance(key, str) and isinstance(value, str) and _names_secret(key):
        return _MARK
    return redact(value)


def _names_secret(key: str) -> bool:
    """Whether a word of `key` (split at case, `_` and signs) names a secret."""
    words = [word.lower() for word in _WORD.findall(key)]
    pairs = {first + second for first, second in pairwise(words)}
    return not _SECRET_WORDS.isdisjoint(words) or "apikey" in pairs
