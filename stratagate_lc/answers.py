"""What both frameworks' models are told about the one call, or the one object, they answer with."""

import json
from collections.abc import Mapping
from typing import Any

TOOL_DESCRIPTION = "Give the answer. Call this exactly once."


def schema_instruction(schema: Mapping[str, Any]) -> str:
    """The instruction for a model without tools."""
    text = json.dumps(schema, ensure_ascii=False, separators=(",", ":"))
    return "Reply with one JSON object and nothing else. It must satisfy this JSON schema:\n" + text
