"""The ways to get one structured answer out of a model, best first, and what follows a refusal.

``native``: the provider binds the answer to the schema. ``forced``: the tool has to be called.
``offered``: it may be called. ``json``: any JSON object. ``text``: the prompt alone asks for JSON.
"""

from collections.abc import Mapping
from typing import Any, Literal, TypeAlias

from stratagate_core.llm.port import Request

Way: TypeAlias = Literal["native", "forced", "offered", "json", "text"]

#: ways that need the model to read the schema in its instructions
WRITES_JSON: frozenset[Way] = frozenset({"native", "json", "text"})
#: ways a client without them refuses with any error, so they are tried on servers that refuse
_OF_SERVERS: frozenset[Way] = frozenset({"native", "json"})


def ways(*, tools: bool, native: bool) -> tuple[Way, ...]:
    """The order for a model: native output comes first only if the model declares it."""
    calls: tuple[Way, ...] = ("forced", "offered") if tools else ()
    rest: tuple[Way, ...] = ("json", "text")
    if native:
        return ("native", *calls, *rest)
    return (*calls, "native", *rest) if calls else ("text",)


def after_refusal(left: tuple[Way, ...], *, by_server: bool) -> tuple[Way, ...]:
    """What is left to try; a client that refused by itself is asked for nothing new."""
    rest = left[1:]
    return rest if by_server else tuple(way for way in rest if way not in _OF_SERVERS)


def response_format(way: Way, request: Request) -> Mapping[str, Any]:
    """The argument that asks for a way of writing JSON; empty where there is none."""
    if way == "native":
        described = {"name": request.task, "schema": dict(request.schema)}
        return {"response_format": {"type": "json_schema", "json_schema": described}}
    if way == "json":
        return {"response_format": {"type": "json_object"}}
    return {}
