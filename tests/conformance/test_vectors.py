"""Every conformance vector gives its expected value."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.conformance.reference import call

VECTORS = json.loads((Path(__file__).parent / "vectors.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    "vector", VECTORS, ids=[f"{vector['fn']}-{at}" for at, vector in enumerate(VECTORS)]
)
def test_vector(vector: dict[str, Any]) -> None:
    """The project's function gives the value of the reference."""
    assert near(vector["expected"]) == call(vector["fn"], vector["args"])


def near(value: Any) -> Any:
    """`value` with every number at any depth compared with a tolerance of 1e-9."""
    if isinstance(value, dict):
        return {key: near(item) for key, item in value.items()}
    if isinstance(value, list):
        return [near(item) for item in value]
    if isinstance(value, int | float) and not isinstance(value, bool):
        return pytest.approx(value, abs=1e-9, rel=0)
    return value
