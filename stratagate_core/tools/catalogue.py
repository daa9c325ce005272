"""The tools there are, with the descriptions a model chooses by."""

from pydantic import BaseModel

from stratagate_core.settings import Settings
from stratagate_core.tools import effects
from stratagate_core.tools.arguments import (
    Assess,
    ExpandBlock,
    ExpandEvent,
    ExpandGraphNode,
    ExpandTopic,
    GetBlocks,
    ListTopics,
    RecordUse,
    Remember,
    SearchEvents,
    SearchGraph,
    SearchRaw,
)
from stratagate_core.tools.spec import Effect, ToolSpec

#: operation, arguments, effect, description; ``{p}`` stands for the prefix of the tool names
_TOOLS: tuple[tuple[str, type[BaseModel], Effect, str], ...] = (
    (
        "list_topics",
        ListTopics,
        effects.list_topics,
        "StrataGate memory directory: see what long-term memory is about, by category and page by "
        "page, or find a topic by name, when the subject is vague. Events that are in no topic "
        "yet have entries too. For navigation only, never evidence: open an entry with "
        "{p}expand_topic, then verify with {p}search_events and its topic_id. Opens no batch.",
    ),
    (
        "expand_topic",
        ExpandTopic,
        effects.expand_topic,
        "StrataGate memory directory: read one topic: its sections, background, decisions, "
        "changes and open questions with their source events, and lessons; it says what is left "
        "out. Not evidence: verify through {p}search_events with its topic_id; where there is no "
        "overview, use the events themselves. Opens no batch.",
    ),
    (
        "search_events",
        SearchEvents,
        effects.search_events,
        "StrataGate long-term memory: find what happened earlier: facts, decisions, plans, "
        "changes, preferences, results and when they were. Use a short query of distinctive "
        "names, versions, tools or dates. Filters only narrow; a blank query lists by filters "
        "and time; temporal_intent puts the first or the latest first; topic_id keeps to one "
        "topic of the directory. Results are candidates, not answers: rank_score is order only, "
        "never confidence. Expand an event if its card is not enough. Opens an evidence batch: "
        "judge it with {p}assess.",
    ),
    (
        "expand_event",
        ExpandEvent,
        effects.expand_event,
        "StrataGate long-term memory: read one event in full, with its quotes, times, relations "
        "and source message ids, when the card of a search is not enough. Opens a new evidence "
        "batch of its own: judge it with {p}assess.",
    ),
    (
        "search_graph",
        SearchGraph,
        effects.search_graph,
        "StrataGate knowledge graph: find what is so now about people, projects, organisations, "
        "tools and places: current facts and relations, each with its events. match_type says "
        "whether the match is current, historical or both; history never proves the present. "
        "Disputed and stale facts are marked; stale ones say what changed under them. as_of shows "
        "an earlier state. Results are candidates: rank_score is order only. Opens an evidence "
        "batch: judge it with {p}assess.",
    ),
    (
        "expand_graph_node",
        ExpandGraphNode,
        effects.expand_graph_node,
        "StrataGate knowledge graph: read one node in full: current, stale and historical facts "
        "and relations, which value holds for each key and by what rule, and the timeline of its "
        "events, when the card of a search is not enough. as_of shows an earlier state. Opens a "
        "new evidence batch of its own: judge it with {p}assess.",
    ),
    (
        "search_raw",
        SearchRaw,
        effects.search_raw,
        "StrataGate conversation record: find what was literally said, when summarised memory "
        "does not suffice, for example for exact words, numbers or dates. Returns short "
        "excerpts of messages; expand the block of a hit for the full text. Results are "
        "candidates: rank_score is order only. Opens an evidence batch: judge it with {p}assess.",
    ),
    (
        "get_blocks",
        GetBlocks,
        effects.get_blocks,
        "StrataGate conversation record: list earlier conversation as blocks, each at its "
        "present level, from L0 (title and tags) to L5 (raw transcript). Older blocks are "
        "shorter; nothing is lost. scope=namespace also shows other conversations. If the list "
        "is empty, empty_reason says why. Opens an evidence batch: judge it with {p}assess.",
    ),
    (
        "expand_block",
        ExpandBlock,
        effects.expand_block,
        "StrataGate conversation record: show a block of earlier conversation one level deeper, "
        "or jump to a level (L0 to L5, raw), when its shorter view leaves out what you need. It "
        "stays at that level for a while. Opens a new evidence batch: judge it with {p}assess.",
    ),
    (
        "assess",
        Assess,
        effects.assess,
        "StrataGate evidence gate: judge what a retrieval returned, before the final answer. "
        "sufficient: it answers the actual question (right subject, time, completeness), with "
        "the refs that carry it and next_strategy answer. partial: name what is missing and "
        "what to try next. wrong: another subject or state. Being relevant is not being "
        "sufficient. Leave out batch_id only in strictly sequential work. Refs that are not of "
        "this batch come back as rejected.",
    ),
    (
        "record_use",
        RecordUse,
        effects.record_use,
        "StrataGate evidence gate: close one evidence batch before the final answer. Give "
        "exactly the refs your answer uses, or [] if it uses none. Refs need a sufficient "
        "assessment of this batch that accepted them. Close every batch; never answer first. "
        "Only this makes a memory stronger. The receipt is not the answer: afterwards answer "
        "the user in full, without a hand-made list of citations.",
    ),
    (
        "remember",
        Remember,
        effects.remember,
        "StrataGate long-term memory: record one lasting fact at once: a decision, a correction, a "
        "preference or a fact of a project that later conversations need. One self-contained "
        "sentence with its project, time or scope, grounded in what was said. Never a guess, a "
        "secret, a credential or a passing state; not what ordinary conversation already says, "
        "which is kept without you. What says the same already counts once more; what "
        "contradicts is kept beside it. Opens no batch.",
    ),
)


def tool_specs(settings: Settings) -> tuple[ToolSpec, ...]:
    """The tools that exist with these settings, in a stable order."""
    prefix = settings.tool_prefix
    return tuple(
        ToolSpec(
            name=f"{prefix}{operation}",
            operation=operation,
            description=description.format(p=prefix),
            parameters=parameters,
            effect=effect,
        )
        for operation, parameters, effect, description in _TOOLS
        if operation != "remember" or settings.agent_memory_enabled
    )
