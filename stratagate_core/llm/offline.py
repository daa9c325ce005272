"""The offline model: answers every task by rules, through the same validation as a real model."""

import json
from collections.abc import Callable, Mapping
from typing import Any

from stratagate_core.errors import ModelError
from stratagate_core.llm.port import Model, Reply, Request, ToolCall

#: the answer to a payload, by rules
Rule = Callable[[Mapping[str, Any]], Mapping[str, Any]]


class OfflineModel:
    """A model that needs no network, no key and no time; always ready."""

    def __init__(self, answers: Mapping[str, Rule]) -> None:
        """`answers` holds one rule for each task."""
        self._answers = dict(answers)

    def complete(self, request: Request) -> Reply:
        """Answer the payload, which is the first user message, by the rule of the task."""
        rule = self._answers.get(request.task)
        if rule is None:
            raise ModelError(f"no offline answer for {request.task}", retryable=False)
        answer = rule(json.loads(_payload(request)))
        return Reply(tool_calls=(ToolCall(name=request.task, arguments=dict(answer)),))


def is_offline(model: Model) -> bool:
    """Whether the model answers by rules alone."""
    return isinstance(model, OfflineModel)


def _payload(request: Request) -> str:
    return next(m["content"] for m in request.messages if m["role"] == "user")
