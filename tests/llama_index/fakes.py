"""A LlamaIndex LLM that answers by a script and records what it was asked."""

from collections.abc import Iterable
from typing import Any

from llama_index.core.base.llms.types import CompletionResponse, CompletionResponseGen, LLMMetadata
from llama_index.core.llms import CustomLLM


class ScriptExhausted(BaseException):
    """The LLM was asked more often than its script says; no code may hide that from the test."""


class ScriptedLLM(CustomLLM):
    """Gives the lines of a script in order; `prompts` are the texts it was asked with."""

    lines: Any = None
    prompts: list[str] = []  # noqa: RUF012  # pydantic copies it for every object

    @property
    def metadata(self) -> LLMMetadata:
        """A small model without chat."""
        return LLMMetadata(context_window=4096, num_output=256)

    def complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> CompletionResponse:
        """The next line."""
        return CompletionResponse(text=self._next(prompt))

    def stream_complete(
        self, prompt: str, formatted: bool = False, **kwargs: Any
    ) -> CompletionResponseGen:
        """The next line, word by word."""
        return _streamed(self._next(prompt))

    def _next(self, prompt: str) -> str:
        self.prompts.append(prompt)
        for line in self.lines:
            return str(line)
        raise ScriptExhausted(f"no line left for: {prompt[:200]}")


def _streamed(text: str) -> CompletionResponseGen:
    said = ""
    for word in text.split():
        delta = f" {word}" if said else word
        said += delta
        yield CompletionResponse(text=said, delta=delta)


def scripted(*lines: str) -> ScriptedLLM:
    """An LLM with this script."""
    script: Iterable[str] = iter(lines)
    return ScriptedLLM(lines=script)
