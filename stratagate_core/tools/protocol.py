"""The memory protocol: how an agent is to use its memory, once in the system prompt (13 §4)."""

from collections.abc import Mapping
from typing import get_args

from stratagate_core.llm.prompts import load_prompt
from stratagate_core.settings import Settings
from stratagate_core.text.language import Language, choose_language

#: the memory protocol for a system prompt; ``{p}`` stands for the prefix of the tool names
PROTOCOL: Mapping[Language, str] = {
    language: load_prompt(f"memory_protocol.{language}.md").text for language in get_args(Language)
}

#: when to record something on purpose; left out where that is switched off
NOTE: Mapping[Language, str] = {
    language: load_prompt(f"memory_note.{language}.md").text for language in get_args(Language)
}


def protocol(settings: Settings, text: str = "") -> str:
    """The memory protocol with the names of the tools; `text` decides an `auto` language."""
    language = choose_language(settings.language, text)
    told = [PROTOCOL[language]]
    if settings.agent_memory_enabled:
        told.append(NOTE[language])
    return "\n".join(part.rstrip() for part in told).replace("{p}", settings.tool_prefix)
