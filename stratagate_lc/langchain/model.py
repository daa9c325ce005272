"""Any LangChain chat model as memory model.

The adapter delivers whatever the model gave; the core checks it and asks again. What a model
refuses is dropped step by step (switching reasoning off, forcing the tool, the tool itself) and
the step that worked is remembered.
"""

import logging
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any, Literal

from langchain_core.language_models import BaseChatModel, LanguageModelInput
from langchain_core.messages import AIMessage
from langchain_core.runnables import Runnable, RunnableConfig

from stratagate_core.errors import MissingExtra
from stratagate_core.llm.port import Reply, Request
from stratagate_core.llm.talk import Talk, acarry, carry
from stratagate_lc.answers import TOOL_DESCRIPTION, schema_instruction
from stratagate_lc.budget import with_budget
from stratagate_lc.langchain.compat import detached, internal_call_metadata
from stratagate_lc.langchain.failures import as_model_error, is_refusal
from stratagate_lc.langchain.reply import to_reply
from stratagate_lc.lazy import is_absent

logger = logging.getLogger("stratagate_lc.langchain")

Way = Literal["forced", "offered", "text"]
_WAYS: tuple[Way, ...] = ("forced", "offered", "text")


@dataclass(frozen=True, slots=True)
class _Call:
    """One invocation of a chat model."""

    runnable: Runnable[LanguageModelInput, AIMessage]
    messages: list[dict[str, str]]
    config: RunnableConfig


class LangChainModel:
    """A LangChain chat model, or the name of one, as the model of a memory.

    A name such as ``"openai:gpt-5-mini"`` is resolved by ``init_chat_model`` when the model is
    first asked. With `detach_callbacks` the calls run outside of the callbacks of the chain or
    agent around them, so nothing of them reaches a user's stream.
    """

    def __init__(self, model: BaseChatModel | str, *, detach_callbacks: bool = True) -> None:
        self._given = model
        self._detach_callbacks = detach_callbacks
        self._way: Way = "forced"
        self._keeps_reasoning = False

    def complete(self, request: Request) -> Reply:
        """Answer one request. Raises `ModelError`."""
        return carry(self._talk(request), self._invoke)

    async def acomplete(self, request: Request) -> Reply:
        """As `complete`, awaiting the chat model."""
        return await acarry(self._talk(request), self._ainvoke)

    def _invoke(self, call: _Call) -> AIMessage:
        with self._surroundings():
            return call.runnable.invoke(call.messages, config=call.config)

    async def _ainvoke(self, call: _Call) -> AIMessage:
        with self._surroundings():
            return await call.runnable.ainvoke(call.messages, config=call.config)

    def _surroundings(self) -> AbstractContextManager[None]:
        return detached() if self._detach_callbacks else nullcontext()

    @cached_property
    def _model(self) -> BaseChatModel:
        if not isinstance(self._given, str):
            return self._given
        try:
            from langchain.chat_models import init_chat_model
        except ModuleNotFoundError as error:
            if not is_absent("langchain"):
                raise
            raise MissingExtra.of("LangChainModel with the name of a model", "agents") from error
        model: BaseChatModel = init_chat_model(self._given)
        return model

    def _talk(self, request: Request) -> Talk[_Call, AIMessage, Reply]:
        """Try what the model may accept, best first; the first accepted way gives the reply."""
        refused: Exception | None = None
        for way, quiet in self._attempts(request):
            try:
                message = yield self._call(request, way, quiet=quiet)
            except Exception as error:
                if not is_refusal(error):
                    raise as_model_error(error, request.task) from error
                refused = error
            else:
                self._remember(way, rejects_quiet=not quiet and self._wants_quiet(request))
                return to_reply(message, request.task)
        assert refused is not None
        raise as_model_error(refused, request.task) from refused

    def _attempts(self, request: Request) -> Iterator[tuple[Way, bool]]:
        ways = _WAYS[_WAYS.index(self._way) :]
        return product(ways, (True, False) if self._wants_quiet(request) else (False,))

    def _wants_quiet(self, request: Request) -> bool:
        """Whether reasoning is to be switched off: ``auto`` needs the model to declare it can."""
        if self._keeps_reasoning:
            return False
        levels = (self._model.profile or {}).get("reasoning_effort_levels")
        if levels is None:
            return request.reasoning == "force-off"
        return "none" in levels

    def _remember(self, way: Way, *, rejects_quiet: bool) -> None:
        self._way = way
        if rejects_quiet:
            self._keeps_reasoning = True
            logger.warning(
                "%s cannot switch reasoning off; it is asked without that from now on",
                type(self._model).__name__,
            )

    def _call(self, request: Request, way: Way, *, quiet: bool) -> _Call:
        runnable = self._bound(request, way)
        return _Call(
            runnable=runnable.bind(reasoning_effort="none") if quiet else runnable,
            messages=_messages(request, with_schema=way == "text"),
            config=self._config(request),
        )

    def _bound(self, request: Request, way: Way) -> Runnable[LanguageModelInput, AIMessage]:
        most = (self._model.profile or {}).get("max_output_tokens") or request.max_tokens
        model = with_budget(self._model, min(request.max_tokens, most))
        if way == "text":
            return model
        forcing = {"tool_choice": "any"} if way == "forced" else {}
        return model.bind_tools([_tool(request)], **forcing)

    def _config(self, request: Request) -> RunnableConfig:
        config = RunnableConfig(
            run_name=f"stratagate.{request.task}",
            tags=["nostream", "stratagate"],
            metadata={"lc_source": "stratagate", **internal_call_metadata()},
        )
        if self._detach_callbacks:
            config["callbacks"] = []
        return config


def _tool(request: Request) -> dict[str, Any]:
    return {
        "type": "function",
        "function": {
            "name": request.task,
            "description": TOOL_DESCRIPTION,
            "parameters": dict(request.schema),
        },
    }


def _messages(request: Request, *, with_schema: bool) -> list[dict[str, str]]:
    """The messages; a model without tools reads the schema of the answer in the first one."""
    messages = [dict(message) for message in request.messages]
    if with_schema:
        messages[0]["content"] += "\n\n" + schema_instruction(request.schema)
    return messages
