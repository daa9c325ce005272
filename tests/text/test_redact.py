"""Redaction (16 §1)."""

import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stratagate_core.text.redact import redact

TOKEN, KEY, MARK = "[REDACTED_TOKEN]", "[REDACTED_PRIVATE_KEY]", "[REDACTED]"
PEM = "-----BEGIN RSA PRIVATE KEY-----\nMIIE\nabc=\n-----END RSA PRIVATE KEY-----"
JWT = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl"

#: pieces of secrets, which random sequences join in unforeseen ways
_SIGNS = ["=", '"', "'", ")", "}", "]", "#", "：", "\\", "://", "u:", "@h"]
_HALVES = ["sk-", "ghp_", "abcdefghijkl", "AKIA", "ABCDEFGH", "12345678", "eyJ", ".", ","]
_NAMES = ["Bearer", "token", "password"]
_FRAMES = [MARK, TOKEN, "-----BEGIN PRIVATE KEY-----", "-----END PRIVATE KEY-----", " ", "api key"]
_PIECES = st.sampled_from([*_SIGNS, *_HALVES, *_NAMES, *_FRAMES])
_TEXTS = st.one_of(st.text(max_size=40), st.lists(_PIECES, max_size=14).map("".join))
_JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), _TEXTS),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(st.sampled_from(["apiKey", "note", "access_token", "n"]), inner),
    ),
    max_leaves=6,
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("key sk-abcdefghijkl.", f"key {TOKEN}."),
        ("sk_live_12345678901", TOKEN),
        ("ghp_abcdefghijkl gho_abcdefghijkl", f"{TOKEN} {TOKEN}"),
        ("github_pat_abcdefghijkl", TOKEN),
        ("sk-short risk-management-plan", "sk-short risk-management-plan"),
        ("AKIAABCDEFGH12345678", TOKEN),
        ("ASIAABCDEFGH12345678!", f"{TOKEN}!"),
        (f"a {JWT} b", f"a {TOKEN} b"),
        (f"x\n{PEM}\ny", f"x\n{KEY}\ny"),
        ("-----BEGIN PRIVATE KEY-----\ncut off", KEY),
        ("postgres://u:p@h/db", f"postgres://u:{MARK}@h/db"),
        ("redis://:p@ss@h:1", f"redis://:{MARK}@h:1"),
        ("http://host:8080/a@b", "http://host:8080/a@b"),
        ("Authorization: Bearer abcdefghijkl", f"Authorization: Bearer {MARK}"),
        ("API key: x1", f"API key: {MARK}"),
        ("?api_key=x1&y=2", f"?api_key={MARK}&y=2"),
        ('{"password": "a \\"b\\" c", "n": 1}', f'{{"password": "{MARK}", "n": 1}}'),
        ("client_secret='x y'", f"client_secret='{MARK}'"),
        ("(token = x1)", f"(token = {MARK})"),
        ("密码 password：x1", f"密码 password：{MARK}"),
        ("tokens: 12, secretary: Bob", "tokens: 12, secretary: Bob"),
        ("evt_0123456789abcdef", "evt_0123456789abcdef"),
    ],
)
def test_redact_text(text: str, expected: str) -> None:
    """Each kind of secret is taken out and what surrounds it stays."""
    assert expected == redact(text)


@pytest.mark.parametrize(
    ("key", "secret"),
    [
        ("Authorization", True),
        ("accessToken", True),
        ("ACCESS_TOKEN", True),
        ("apiKey", True),
        ("X-Api-Key", True),
        ("APIKEY", True),
        ("db_password", True),
        ("tokens", False),
        ("secretary", False),
        ("monkey", False),
    ],
)
def test_redact_by_key(key: str, secret: bool) -> None:
    """A text under a key that names a secret goes; numbers and other keys stay."""
    assert {key: MARK if secret else "v"} == redact({key: "v"})
    assert {key: 5} == redact({key: 5})


def test_redact_goes_through_lists_and_objects() -> None:
    """Texts at any depth are redacted, the input is left as it was."""
    value: dict[str, Any] = {"a": [{"b": ("sk-abcdefghijkl", None, 1.5)}], "sk-abcdefghijkl": "c"}
    assert redact(value) == {"a": [{"b": (TOKEN, None, 1.5)}], TOKEN: "c"}
    assert "sk-abcdefghijkl" in value


@given(_JSON)
def test_redacting_twice_is_redacting_once(value: Any) -> None:
    """Redaction is idempotent."""
    once = redact(value)
    assert once == redact(once)


@given(st.text(max_size=20), st.sampled_from(["sk-abcdefghijkl", "AKIAABCDEFGH12345678", PEM, JWT]))
def test_a_secret_among_any_text_is_gone(text: str, secret: str) -> None:
    """Whatever stands around it, a secret does not survive."""
    assert secret not in redact(f"{text} {secret} {text}")


@pytest.mark.parametrize(
    "unit", ["eyJ", "eyJ-", "eyJ.", "://a:", "-----BEGIN PRIVATE KEY-----", "token=)", 'secret:"\\']
)
def test_hostile_text_takes_linear_time(unit: str) -> None:
    """A hundred thousand characters that nearly match are done at once."""
    started = time.perf_counter()
    redact((unit * 100_000)[:100_000])
    assert time.perf_counter() - started < 2
