"""Any LangChain chat model as memory model.

The adapter delivers whatever the model gave; the core checks it and asks again. What a model
refuses is dropped step by step (switching reasoning off, then one way to answer after the other)
and the step that worked is remembered.
"""

import logging
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from langchain_core.language_models import BaseChatModel, LanguageModelInput
from langchain_core.messages import AIMessage
from langchain_core.runnables import Runnable, RunnableConfig

from stratagate_core.errors import InvalidArgument, MissingExtra
from stratagate_core.llm.port import Reply, Request
from stratagate_core.llm.talk import Talk, acarry, carry
from stratagate_lc.answers import TOOL_DESCRIPTION, schema_instruction
from stratagate_lc.budget import with_budget
from stratagate_lc.failures import refuses_request
from stratagate_lc.langchain.compat import detached, internal_call_metadata
from stratagate_lc.langchain.failures import as_model_error, is_refusal
from stratagate_lc.langchain.reply import cut_reply, to_reply
from stratagate_lc.lazy import is_absent
from stratagate_lc.ways import WRITES_JSON, Way, after_refusal, response_format, ways

logger = logging.getLogger("stratagate_lc.langchain")


@dataclass(frozen=True, slots=True)
class _Call:
    """One invocation of a chat model."""

    runnable: Runnable[LanguageModelInput, AIMessage]
    messages: list[dict[str, str]]
    config: RunnableConfig


class LangChainModel:
    """A LangChain chat model, or the name of one, as the model of a memory.

    A name such as ``"openai:gpt-5-mini"`` is resolved by ``init_chat_model`` when the model is
    first asked. A way to answer that the model refused is not tried again with this object. With
    `detach_callbacks` the calls run outside of the callbacks of the chain or agent around them, so
    nothing of them reaches a user's stream.
    """

    def __init__(self, model: BaseChatModel | str, *, detach_callbacks: bool = True) -> None:
        if not isinstance(model, BaseChatModel | str) or model == "":
            raise InvalidArgument(
                "LangChainModel takes a LangChain chat model or the name of one, such as "
                f"'openai:gpt-5-mini', not {type(model).__name__}"
            )
        self._given = model
        self._detach_callbacks = detach_callbacks
        #: the ways that are left after what was refused; None: nothing was accepted so far
        self._left: tuple[Way, ...] | None = None
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
        left = self._left or self._ways()
        quiet = wants_quiet = self._wants_quiet(request)
        while True:
            try:
                message = yield self._call(request, left[0], quiet=quiet)
            except Exception as error:
                reply = cut_reply(error)
                if reply is None and quiet and is_refusal(error):
                    quiet = False
                    continue
                if reply is None:
                    left, quiet = _plainer(left, error, request.task), wants_quiet
                    continue
            else:
                reply = to_reply(message, request.task)
            self._remember(left, rejects_quiet=wants_quiet and not quiet)
            return reply

    def _ways(self) -> tuple[Way, ...]:
        declares = bool((self._model.profile or {}).get("structured_output"))
        return ways(tools=True, native=declares)

    def _wants_quiet(self, request: Request) -> bool:
        """Whether reasoning is to be switched off: ``auto`` needs the model to declare it can."""
        if self._keeps_reasoning:
            return False
        levels = (self._model.profile or {}).get("reasoning_effort_levels")
        if levels is None:
            return request.reasoning == "force-off"
        return "none" in levels

    def _remember(self, left: tuple[Way, ...], *, rejects_quiet: bool) -> None:
        self._left = left
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
            messages=_messages(request, with_schema=way in WRITES_JSON),
            config=self._config(request),
        )

    def _bound(self, request: Request, way: Way) -> Runnable[LanguageModelInput, AIMessage]:
        most = (self._model.profile or {}).get("max_output_tokens") or request.max_tokens
        model = with_budget(
            self._model, max_tokens=min(request.max_tokens, most), timeout=request.timeout
        )
        if way in WRITES_JSON:
            asked = response_format(way, request)
            return model.bind(**asked) if asked else model
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


def _plainer(left: tuple[Way, ...], error: Exception, task: str) -> tuple[Way, ...]:
    """The ways left after a refusal; any other error, and the last refusal, is raised."""
    rest = after_refusal(left, by_server=refuses_request(error)) if is_refusal(error) else ()
    if not rest:
        raise as_model_error(error, task) from error
    return rest


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
