"""Asking a model: render the question, check the answer, have it repaired once, give up.

`ask` and `aask` carry the same talk to the model and back, so both behave alike.
"""

import asyncio
import contextvars
import threading
from collections import Counter
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any, Generic, Literal, TypeVar

from pydantic import BaseModel, ValidationError

from stratagate_core.errors import ModelError, ModelUnavailable
from stratagate_core.llm.offline import is_offline
from stratagate_core.llm.parse import Unreadable, answer_text, compact_json, is_cut, read_answer
from stratagate_core.llm.port import Model, Reply, Request
from stratagate_core.llm.prompts import load_prompt
from stratagate_core.llm.talk import Talk, acarry, carry
from stratagate_core.text.estimate import estimate_tokens
from stratagate_core.text.redact import redact

_ATTEMPTS = 2
_PREVIEW = 500
_FAULTS_NAMED = 20

A = TypeVar("A", bound=BaseModel)


@dataclass(frozen=True, slots=True, kw_only=True)
class Question(Generic[A]):
    """One structured question to a model."""

    task: str
    #: file name in ``prompts/``
    prompt: str
    #: the JSON the model sees; secrets in it are taken out before it is sent
    payload: Mapping[str, Any]
    answer: type[A]
    #: faults of a valid answer, each starting with its path
    check: Callable[[A], tuple[str, ...]]
    max_tokens: int
    #: seconds for one request
    timeout: float
    reasoning: Literal["auto", "force-off"] = "auto"
    #: whether an answer that reached the output limit is asked for again
    repair_cut: bool = True
    #: answers that are asked for at most
    answers: int = _ATTEMPTS


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked(Generic[A]):
    """An accepted answer and what it took to get it."""

    answer: A
    #: the answer as the model wrote it
    text: str
    #: how many replies were needed
    calls: int
    #: what all requests took: model_calls, retries, estimated and reported tokens
    spent: Mapping[str, int] = field(default_factory=dict)


def ask(model: Model, question: Question[A]) -> Asked[A]:
    """Ask and wait. Raises `ModelError` when no acceptable answer came."""
    return carry(_talk(question), lambda request: _complete(model, request))


async def aask(model: Model, question: Question[A]) -> Asked[A]:
    """As `ask`, awaiting the model; a model without ``acomplete`` answers in a thread."""
    return await acarry(_talk(question), lambda request: _acomplete(model, request))


def _complete(model: Model, request: Request) -> Reply:
    if is_offline(model):
        return model.complete(request)
    return _in_thread(model, request).result(request.timeout)


async def _acomplete(model: Model, request: Request) -> Reply:
    acomplete = getattr(model, "acomplete", None)
    async with asyncio.timeout(request.timeout):
        if acomplete is None:
            return await asyncio.wrap_future(_in_thread(model, request))
        reply: Reply = await acomplete(request)
        return reply


def _in_thread(model: Model, request: Request) -> "Future[Reply]":
    """The reply to come, in a thread of its own: a model that hangs can be left behind."""
    future: Future[Reply] = Future()
    context = contextvars.copy_context()

    def run() -> None:
        if not future.set_running_or_notify_cancel():
            return
        try:
            future.set_result(context.run(model.complete, request))
        except BaseException as error:  # the one who waits raises it
            future.set_exception(error)

    threading.Thread(target=run, name=f"stratagate-{request.task}", daemon=True).start()
    return future


def _talk(question: Question[A]) -> Talk[Request, Reply, Asked[A]]:
    """The whole exchange; what it took is kept also by the error it may end with."""
    spent: Counter[str] = Counter()
    try:
        return (yield from _exchange(question, spent))
    except ModelError as error:
        error.details = {**error.details, "spent": dict(spent)}
        raise


def _exchange(question: Question[A], spent: Counter[str]) -> Talk[Request, Reply, Asked[A]]:
    """At most two answers, then an error that names the task."""
    request = first = _first_request(question)
    for attempt in range(1, question.answers + 1):
        reply = yield from _reply_to(request, spent)
        spent.update(_reply_tokens(reply))
        answer, faults = _judge(question, first, reply)
        if answer is not None and not faults:
            return Asked(answer=answer, text=answer_text(reply), calls=attempt, spent=dict(spent))
        if is_cut(reply) and not question.repair_cut:
            raise _given_up(question.task, reply, faults, attempt)
        request = _repair(first, reply, faults)
    raise _given_up(question.task, reply, faults, question.answers)


def _reply_to(
    request: Request, spent: Counter[str], *, repeats: int = 1
) -> Talk[Request, Reply, Reply]:
    """Yield a request until it is answered; a model that is not available gets one repeat."""
    spent["retries"] += bool(spent["model_calls"])
    spent["model_calls"] += 1
    spent["estimated_input_tokens"] += _request_tokens(request)
    try:
        reply = yield request
    except ModelUnavailable:
        if not repeats:
            raise
        return (yield from _reply_to(request, spent, repeats=repeats - 1))
    except ModelError:
        raise
    except TimeoutError as error:
        message = f"{request.task}: timed out after {request.timeout:g} s"
        raise ModelError(message, task=request.task) from error
    except Exception as error:
        message = f"{request.task}: the model failed: {_preview(_described(error))}"
        away = isinstance(error, ConnectionRefusedError)
        raise ModelError(message, away=away, task=request.task) from error
    return _checked_reply(request, reply)


def _request_tokens(request: Request) -> int:
    """Estimated tokens of the messages and of the schema, which is sent with every request."""
    texts = [message["content"] for message in request.messages]
    return sum(estimate_tokens(text) for text in (*texts, compact_json(request.schema)))


def _reply_tokens(reply: Reply) -> dict[str, int]:
    """Estimated tokens of an answer, and what the provider reports for the call."""
    reported = {f"reported_{name}": number for name, number in reply.usage.items()}
    return {"estimated_output_tokens": estimate_tokens(answer_text(reply)), **reported}


def _checked_reply(request: Request, reply: object) -> Reply:
    if isinstance(reply, Reply):
        return reply
    raise ModelError(
        f"{request.task}: the model returned {type(reply).__name__}, not a Reply",
        retryable=False,
        task=request.task,
    )


def _judge(
    question: Question[A], request: Request, reply: Reply
) -> tuple[A | None, tuple[str, ...]]:
    """The answer, or its faults."""
    try:
        found = read_answer(reply, tool=question.task, required=request.schema.get("required", ()))
        answer = question.answer.model_validate(found)
    except Unreadable as error:
        return None, (str(error),)
    except ValidationError as error:
        return None, _schema_faults(error)
    return answer, tuple(question.check(answer))


def _schema_faults(error: ValidationError) -> tuple[str, ...]:
    return tuple(
        f"{'.'.join(str(part) for part in fault['loc']) or 'answer'}: {fault['msg']}"
        for fault in error.errors(include_url=False, include_input=False)
    )


def _first_request(question: Question[A]) -> Request:
    return Request(
        task=question.task,
        messages=(
            {"role": "system", "content": load_prompt(question.prompt).text},
            {"role": "user", "content": compact_json(redact(question.payload))},
        ),
        schema=_schema(question.answer),
        max_tokens=question.max_tokens,
        timeout=question.timeout,
        reasoning=question.reasoning,
    )


@cache
def _schema(answer: type[BaseModel]) -> Mapping[str, Any]:
    return answer.model_json_schema()


def _repair(first: Request, reply: Reply, faults: tuple[str, ...]) -> Request:
    """The question once more, with the last answer and what is wrong with it."""
    text = answer_text(reply)
    last = ({"role": "assistant", "content": text},) if text.strip() else ()
    named = "\n".join(f"- {fault}" for fault in faults[:_FAULTS_NAMED])
    correction = f"{load_prompt('repair.md').text}\n\n{named}"
    return replace(
        first, messages=(*first.messages, *last, {"role": "user", "content": correction})
    )


def _given_up(task: str, reply: Reply, faults: tuple[str, ...], attempts: int) -> ModelError:
    text = answer_text(reply)
    return ModelError(
        f"{task}: no acceptable answer after {attempts} attempts: "
        f"{_preview('; '.join(faults))}; last answer: {_preview(text)}",
        task=task,
        text=text,
        faults=faults,
        finish_reason=reply.finish_reason,
        called=bool(reply.tool_calls),
    )


def _described(error: Exception) -> str:
    """Class and message of a foreign error, which may quote a key or an address."""
    return f"{type(error).__name__}: {redact(str(error))}"


def _preview(text: str) -> str:
    return text if len(text) <= _PREVIEW else text[:_PREVIEW] + "…"
