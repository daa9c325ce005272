"""The tables. Every primary key but those of `meta` starts with the namespace."""

from sqlalchemy import (
    Boolean,
    Column,
    Float,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    UniqueConstraint,
)

from stratagate_core.store.types import Instant, Json, Text

#: raised by one with every migration
SCHEMA_VERSION = 1

metadata = MetaData()


def _table(name: str, *parts: Column[object] | Index | UniqueConstraint) -> Table:
    return Table(name, metadata, *parts, sqlite_with_rowid=False)


#: spans namespaces: schema version, stored settings
meta = _table("meta", Column("key", Text, primary_key=True), Column("value", Json))

namespaces = _table(
    "namespaces",
    Column("namespace", Text, primary_key=True),
    Column("owner", Text, nullable=False),
    Column("current_turn", Integer, nullable=False, default=0),
    Column("block_sequence", Integer, nullable=False, default=0),
    Column("batch_sequence", Integer, nullable=False, default=0),
    # +1 for every committed change
    Column("revision", Integer, nullable=False, default=0),
    Column("created_at", Instant, nullable=False),
)

threads = _table(
    "threads",
    Column("namespace", Text, primary_key=True),
    Column("thread", Text, primary_key=True),
    # +1 with every reset
    Column("epoch", Integer, nullable=False, default=0),
    # turns of this epoch, unsealed turns, and the last sealed turn of the thread
    Column("turns", Integer, nullable=False, default=0),
    Column("tail", Integer, nullable=False, default=0),
    Column("sealed", Integer, nullable=False, default=0),
    Index("threads_by_tail", "namespace", "tail"),
)

turns = _table(
    "turns",
    Column("namespace", Text, primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("thread", Text, nullable=False),
    Column("epoch", Integer, nullable=False),
    Column("ordinal", Integer, nullable=False),
    Column("receipt", Text),
    Column("state", Text, nullable=False),
    Column("version", Integer, nullable=False, default=1),
    Column("body_hash", Text, nullable=False),
    Column("text_hash", Text, nullable=False),
    Column("block_id", Text),
    # it lost messages for good: whoever delivers it again brings nothing back
    Column("purged", Boolean, nullable=False, default=False),
    Column("created_at", Instant, nullable=False),
    UniqueConstraint("namespace", "thread", "epoch", "receipt", name="turns_by_receipt"),
    Index("turns_by_block", "namespace", "block_id", "thread", "number"),
    Index("turns_of_tail", "namespace", "thread", "block_id", "number"),
    Index("turns_by_thread", "namespace", "thread", "number"),
)

messages = _table(
    "messages",
    Column("namespace", Text, primary_key=True),
    Column("id", Text, primary_key=True),
    Column("thread", Text, nullable=False),
    Column("turn", Integer, nullable=False),
    Column("position", Integer, nullable=False),
    Column("role", Text, nullable=False),
    Column("name", Text),
    Column("content", Text, nullable=False),
    Column("created_at", Instant, nullable=False),
    Column("tools", Json),
    Column("metadata", Json),
    Column("extra", Json),
    Column("block_id", Text),
    # the version of its turn that replaced it; such a message is kept for the audit only
    Column("superseded_in", Integer),
    Index("messages_by_thread", "namespace", "thread", "turn", "position"),
    Index("messages_by_turn", "namespace", "turn", "position"),
    Index("messages_by_block", "namespace", "block_id"),
    Index("messages_by_time", "namespace", "created_at"),
)

blocks = _table(
    "blocks",
    Column("namespace", Text, primary_key=True),
    Column("id", Text, primary_key=True),
    Column("thread", Text, nullable=False),
    Column("sequence", Integer, nullable=False),
    Column("start_turn", Integer, nullable=False),
    Column("end_turn", Integer, nullable=False),
    # namespace-wide number of its last turn: the formed turn of its events
    Column("last_number", Integer, nullable=False),
    Column("status", Text, nullable=False),
    Column("synthetic", Boolean, nullable=False, default=False),
    Column("title", Text),
    Column("tags", Json),
    Column("summary", Text),
    Column("key_points", Json),
    Column("should_extract", Boolean),
    Column("l3", Text, nullable=False),
    Column("l4", Text, nullable=False),
    Column("level", Integer, nullable=False, default=5),
    Column("anchor_level", Integer, nullable=False, default=5),
    Column("anchor_block", Text, nullable=False),
    Column("anchor_sequence", Integer, nullable=False),
    Column("lifted_at", Instant),
    Column("lifted_by", Text),
    Column("prompt_hash", Text),
    # after a purge: the messages that new events may cite; none said means all
    Column("reread", Json),
    Column("created_at", Instant, nullable=False),
    UniqueConstraint("namespace", "sequence", name="blocks_by_sequence"),
    Index("blocks_by_thread", "namespace", "thread", "status", "sequence"),
    Index("blocks_of_thread", "namespace", "thread", "sequence"),
    Index("blocks_by_status", "namespace", "status", "sequence"),
)

events = _table(
    "events",
    Column("namespace", Text, primary_key=True),
    Column("id", Text, primary_key=True),
    Column("pool", Text, nullable=False),
    Column("title", Text, nullable=False),
    Column("summary", Text, nullable=False),
    Column("tags", Json),
    Column("quotes", Json),
    Column("source_message_ids", Json, nullable=False),
    Column("source_block_id", Text),
    Column("temporal", Json),
    Column("scope", Text, nullable=False),
    Column("criticality", Text, nullable=False),
    Column("status", Text, nullable=False),
    Column("superseded_by", Text),
    Column("mention_count", Integer, nullable=False, default=1),
    Column("last_adopted_turn", Integer, nullable=False),
    Column("pinned", Boolean, nullable=False, default=False),
    Column("floor_weight", Float, nullable=False, default=0.0),
    Column("forced_cap", Float),
    Column("formed_turn", Integer, nullable=False),
    Column("catalog_hints", Json),
    Column("extractor_version", Integer),
    Column("prompt_hash", Text),
    # copies that let the database order and narrow: all derived from the columns above
    Column("fingerprint", Text, nullable=False, default=""),
    Column("chronology", Instant, nullable=False),
    Column("happened_from", Instant),
    Column("happened_to", Instant),
    Column("block_sequence", Integer, nullable=False, default=0),
    Column("created_at", Instant, nullable=False),
    Column("updated_at", Instant, nullable=False),
    Index("events_by_adoption", "namespace", "pool", "status", "last_adopted_turn", "id"),
    Index("events_by_chronology", "namespace", "pool", "status", "chronology", "id"),
    Index("events_by_block", "namespace", "pool", "block_sequence", "formed_turn"),
    Index("events_always", "namespace", "pinned", "criticality", "last_adopted_turn"),
    Index("events_by_fingerprint", "namespace", "fingerprint"),
)

event_sources = _table(
    "event_sources",
    Column("namespace", Text, primary_key=True),
    Column("message_id", Text, primary_key=True),
    Column("event_id", Text, primary_key=True),
    Index("event_sources_by_event", "namespace", "event_id"),
)

#: supersedes relations by their target, so that a restore finds a visible superseder
event_supersedes = _table(
    "event_supersedes",
    Column("namespace", Text, primary_key=True),
    Column("target_id", Text, primary_key=True),
    Column("event_id", Text, primary_key=True),
)

#: every reinforcement; count and anchor on the card are its cached fold
reinforcements = _table(
    "reinforcements",
    Column("namespace", Text, primary_key=True),
    Column("event_id", Text, primary_key=True),
    # thread, kind and key of the receipt that caused it
    Column("receipt", Text, primary_key=True),
    Column("turn", Integer, nullable=False),
    Column("at", Instant, nullable=False),
)

batches = _table(
    "batches",
    Column("namespace", Text, primary_key=True),
    Column("id", Text, primary_key=True),
    Column("thread", Text, nullable=False),
    Column("sequence", Integer, nullable=False),
    Column("turn", Integer, nullable=False),
    Column("operation", Text, nullable=False),
    # ordered list of {ref, kind, id, title, event_ids, …}
    Column("evidence", Json, nullable=False),
    Column("status", Text, nullable=False),
    Column("assessment", Json),
    Column("created_at", Instant, nullable=False),
    Column("closed_at", Instant),
    Index("batches_by_thread", "namespace", "thread", "status", "sequence"),
)

use_receipts = _table(
    "use_receipts",
    Column("namespace", Text, primary_key=True),
    Column("thread", Text, primary_key=True),
    Column("key", Text, primary_key=True),
    Column("batch_id", Text, nullable=False),
    Column("turn", Integer, nullable=False),
    # hash of batch and refs: the same key with another body is an error
    Column("body_hash", Text, nullable=False),
    Column("result", Json, nullable=False),
    Column("audit", Json, nullable=False),
    Column("at", Instant, nullable=False),
    Index("use_receipts_by_time", "namespace", "at"),
)

#: what an agent recorded on purpose, by the call that did it: a repeated call writes nothing
memory_records = _table(
    "memory_records",
    Column("namespace", Text, primary_key=True),
    Column("thread", Text, primary_key=True),
    Column("key", Text, primary_key=True),
    # hash of the content: the same key with another content is an error
    Column("body_hash", Text, nullable=False),
    # the event that holds it; none if nothing was written
    Column("event_id", Text),
    Column("result", Json, nullable=False),
    Column("at", Instant, nullable=False),
    Index("memory_records_by_event", "namespace", "event_id"),
)

jobs = _table(
    "jobs",
    Column("namespace", Text, primary_key=True),
    Column("id", Text, primary_key=True),
    Column("kind", Text, nullable=False),
    Column("subject", Text, nullable=False),
    Column("status", Text, nullable=False),
    Column("attempts", Integer, nullable=False, default=0),
    Column("priority", Integer, nullable=False, default=0),
    Column("next_retry_at", Instant),
    Column("lease", Text),
    Column("lease_until", Instant),
    Column("error", Text),
    Column("diagnostics", Json),
    Column("created_at", Instant, nullable=False),
    Column("updated_at", Instant, nullable=False),
    UniqueConstraint("namespace", "kind", "subject", name="jobs_by_subject"),
    Index("jobs_by_status", "namespace", "status", "created_at"),
    Index("jobs_of_all", "status", "namespace"),
)

#: the last successful answers of a model, for diagnostics (12 §6)
answers = _table(
    "answers",
    Column("namespace", Text, primary_key=True),
    Column("id", Text, primary_key=True),
    Column("kind", Text, nullable=False),
    Column("text", Text, nullable=False),
    Column("created_at", Instant, nullable=False),
    Index("answers_by_time", "namespace", "created_at"),
)

#: receipts of what was deleted for good: ids and counts, no content
purges = _table(
    "purges",
    Column("namespace", Text, primary_key=True),
    Column("id", Text, primary_key=True),
    Column("at", Instant, nullable=False),
    Column("message_ids", Json),
    Column("block_ids", Json),
    Column("event_ids", Json),
    Column("remade_block_ids", Json),
    Column("whole_namespace", Boolean, nullable=False, default=False),
)

index_stats = _table(
    "index_stats",
    Column("namespace", Text, primary_key=True),
    # which collection: messages, events.passive, events.agent, graph
    Column("name", Text, primary_key=True),
    Column("analyser", Text, nullable=False),
    Column("documents", Integer, nullable=False, default=0),
    Column("length", Integer, nullable=False, default=0),
    # the number that was given last; none is given twice
    Column("last", Integer, nullable=False, default=0),
)

documents = _table(
    "documents",
    Column("namespace", Text, primary_key=True),
    Column("name", Text, primary_key=True),
    Column("document", Text, primary_key=True),
    # under which postings name it
    Column("number", Integer, nullable=False),
    Column("length", Integer, nullable=False),
    # the distinct terms, so that a document can be taken out again
    Column("terms", Json, nullable=False),
    UniqueConstraint("namespace", "name", "number", name="documents_by_number"),
)

#: each term of a collection: how many documents hold it, and its newest postings
terms = _table(
    "terms",
    Column("namespace", Text, primary_key=True),
    Column("name", Text, primary_key=True),
    Column("term", Text, primary_key=True),
    Column("documents", Integer, nullable=False),
    # records of `rank.packed`, until there are enough to be packed
    Column("recent", LargeBinary, nullable=False),
)

#: older postings of a term, packed: see `rank.packed`
segments = _table(
    "segments",
    Column("namespace", Text, primary_key=True),
    Column("name", Text, primary_key=True),
    Column("term", Text, primary_key=True),
    # the lowest document number in it
    Column("first", Integer, primary_key=True),
    Column("size", Integer, nullable=False),
    Column("packed", LargeBinary, nullable=False),
)

#: which embedder made the vectors of a collection, and up to which document all have one
vector_stats = _table(
    "vector_stats",
    Column("namespace", Text, primary_key=True),
    Column("name", Text, primary_key=True),
    Column("embedder", Text, nullable=False),
    Column("dimensions", Integer, nullable=False),
    # a `number` of `documents`
    Column("done", Integer, nullable=False),
    # the number that a vector was given last
    Column("last", Integer, nullable=False),
)

vectors = _table(
    "vectors",
    Column("namespace", Text, primary_key=True),
    Column("name", Text, primary_key=True),
    Column("document", Text, primary_key=True),
    Column("number", Integer, nullable=False),
    # of the text that was embedded
    Column("digest", Text, nullable=False),
    Column("vector", LargeBinary, nullable=False),
    UniqueConstraint("namespace", "name", "number", name="vectors_by_number"),
)

#: the signs of many vectors, packed: see `rank.vectors`
vector_signs = _table(
    "vector_signs",
    Column("namespace", Text, primary_key=True),
    Column("name", Text, primary_key=True),
    # the lowest number in it
    Column("first", Integer, primary_key=True),
    Column("size", Integer, nullable=False),
    Column("packed", LargeBinary, nullable=False),
)

#: which event stands in which batch of which projector version: none is asked about twice
graph_batches = _table(
    "graph_batches",
    Column("namespace", Text, primary_key=True),
    # blank: the mark that older events were queued for this version
    Column("event_id", Text, primary_key=True),
    Column("version", Integer, primary_key=True),
    Column("batch_id", Text, nullable=False),
    Index("graph_batches_by_batch", "namespace", "batch_id"),
)

#: what the fold needs to know of the events behind the graph; it never changes
graph_sources = _table(
    "graph_sources",
    Column("namespace", Text, primary_key=True),
    Column("event_id", Text, primary_key=True),
    Column("chronology", Instant, nullable=False),
    Column("mentioned_at", Instant, nullable=False),
    Column("created_at", Instant, nullable=False),
    Column("turn", Integer, nullable=False),
    Column("position", Integer, nullable=False),
    Column("speaker", Text, nullable=False),
)

#: the admitted answers, one for each batch; the tables of the graph are folded from them
graph_answers = _table(
    "graph_answers",
    Column("namespace", Text, primary_key=True),
    Column("id", Text, primary_key=True),
    Column("answer", Json, nullable=False),
    Column("reason", Text, nullable=False),
    Column("prompt_hash", Text, nullable=False),
    Column("created_at", Instant, nullable=False),
)

#: the nodes of an answer by their refs, and the node that each became
graph_members = _table(
    "graph_members",
    Column("namespace", Text, primary_key=True),
    Column("answer_id", Text, primary_key=True),
    Column("ref", Text, primary_key=True),
    Column("node_id", Text),
    Index("graph_members_by_node", "namespace", "node_id"),
)

#: the names under which answers speak of nodes, normalised
graph_names = _table(
    "graph_names",
    Column("namespace", Text, primary_key=True),
    Column("key", Text, primary_key=True),
    Column("type", Text, primary_key=True),
    Column("answer_id", Text, primary_key=True),
    Column("ref", Text, primary_key=True),
    Index("graph_names_by_answer", "namespace", "answer_id", "ref"),
)

nodes = _table(
    "nodes",
    Column("namespace", Text, primary_key=True),
    Column("id", Text, primary_key=True),
    Column("name", Text, nullable=False),
    Column("type", Text, nullable=False),
    Column("aliases", Json),
    Column("tags", Json),
    Column("provenance", Json),
    Column("status", Text, nullable=False),
    Column("confidence", Float, nullable=False),
    Column("source_event_ids", Json, nullable=False),
    Column("created_at", Instant),
    Column("updated_at", Instant),
    Index("nodes_by_update", "namespace", "updated_at", "id"),
)

facts = _table(
    "facts",
    Column("namespace", Text, primary_key=True),
    Column("id", Text, primary_key=True),
    Column("node_id", Text, nullable=False),
    # place among the facts of its node
    Column("position", Integer, nullable=False),
    Column("key", Text, nullable=False),
    Column("value", Json, nullable=False),
    Column("mode", Text, nullable=False),
    Column("depends_on", Json),
    Column("status", Text, nullable=False),
    Column("valid_from", Instant),
    Column("valid_to", Instant),
    Column("confidence", Float, nullable=False),
    Column("source_event_ids", Json, nullable=False),
    Column("created_at", Instant),
    Column("updated_at", Instant),
    Index("facts_by_node", "namespace", "node_id", "position"),
)

edges = _table(
    "edges",
    Column("namespace", Text, primary_key=True),
    Column("id", Text, primary_key=True),
    Column("from_node_id", Text, nullable=False),
    Column("to_node_id", Text, nullable=False),
    Column("position", Integer, nullable=False),
    Column("relation", Text, nullable=False),
    Column("cardinality", Text, nullable=False),
    Column("status", Text, nullable=False),
    Column("valid_from", Instant),
    Column("valid_to", Instant),
    Column("confidence", Float, nullable=False),
    Column("source_event_ids", Json, nullable=False),
    Column("created_at", Instant),
    Column("updated_at", Instant),
    Index("edges_by_start", "namespace", "from_node_id", "position"),
    Index("edges_by_end", "namespace", "to_node_id", "position"),
)

#: the chapters of the directory; one whose sources changed has no words until it is filed again
topics = _table(
    "topics",
    Column("namespace", Text, primary_key=True),
    Column("id", Text, primary_key=True),
    Column("title", Text, nullable=False),
    # what makes two titles one; blank while there is no title
    Column("label", Text, nullable=False),
    Column("description", Text, nullable=False),
    # lists of paragraphs and of experiences, each with its sources
    Column("overview", Json, nullable=False),
    Column("experiences", Json, nullable=False),
    Column("category", Text, nullable=False),
    # whether it rests on an event that an agent recorded
    Column("agent", Boolean, nullable=False),
    Column("valid", Boolean, nullable=False),
    # whether every word of it comes from rules: then it leans on its members only
    Column("by_rules", Boolean, nullable=False),
    # members so far, also those that left: the place of the next one
    Column("places", Integer, nullable=False, default=0),
    # how many members are of each category
    Column("tally", Json, nullable=False),
    Column("projector_version", Integer, nullable=False),
    Column("prompt_hash", Text, nullable=False),
    # +1 for every change
    Column("revision", Integer, nullable=False, default=0),
    Column("created_at", Instant, nullable=False),
    Column("updated_at", Instant, nullable=False),
    Index("topics_by_label", "namespace", "label", "id"),
    Index("topics_by_change", "namespace", "updated_at", "id"),
)

#: what the directory lists, in its order: topics, then events that are in none
topic_entries = _table(
    "topic_entries",
    Column("namespace", Text, primary_key=True),
    Column("id", Text, primary_key=True),
    # 0: a topic, 1: an event
    Column("place", Integer, nullable=False),
    Column("category", Text, nullable=False),
    Column("agent", Boolean, nullable=False),
    Column("created_at", Instant, nullable=False),
    Index("topic_entries_in_order", "namespace", "category", "place", "created_at", "id", "agent"),
)

topic_members = _table(
    "topic_members",
    Column("namespace", Text, primary_key=True),
    Column("topic_id", Text, primary_key=True),
    Column("event_id", Text, primary_key=True),
    Column("position", Integer, nullable=False),
    # of the event as it was when it was filed
    Column("fingerprint", Text, nullable=False),
    Column("category", Text, nullable=False),
    Index("topic_members_by_event", "namespace", "event_id"),
    Index("topic_members_in_order", "namespace", "topic_id", "position"),
)

topic_sections = _table(
    "topic_sections",
    Column("namespace", Text, primary_key=True),
    Column("topic_id", Text, primary_key=True),
    Column("key", Text, primary_key=True),
    Column("title", Text, nullable=False),
)

topic_section_members = _table(
    "topic_section_members",
    Column("namespace", Text, primary_key=True),
    Column("topic_id", Text, primary_key=True),
    Column("key", Text, primary_key=True),
    Column("event_id", Text, primary_key=True),
    # that of the member in its topic
    Column("position", Integer, nullable=False),
    Index("topic_section_members_by_event", "namespace", "topic_id", "event_id"),
    Index("topic_section_members_in_order", "namespace", "topic_id", "key", "position"),
)

#: every event that was read when a topic got its words, cited or not
topic_sources = _table(
    "topic_sources",
    Column("namespace", Text, primary_key=True),
    Column("event_id", Text, primary_key=True),
    Column("topic_id", Text, primary_key=True),
    Index("topic_sources_by_topic", "namespace", "topic_id"),
)

#: events that wait to be filed, each in one batch
topic_queue = _table(
    "topic_queue",
    Column("namespace", Text, primary_key=True),
    Column("event_id", Text, primary_key=True),
    Column("batch_id", Text, nullable=False),
    # characters of the event as a model sees it
    Column("size", Integer, nullable=False),
    Index("topic_queue_by_batch", "namespace", "batch_id"),
)

topic_batches = _table(
    "topic_batches",
    Column("namespace", Text, primary_key=True),
    Column("id", Text, primary_key=True),
    # incremental, historical or sections
    Column("work", Text, nullable=False),
    # counts the batches of a namespace
    Column("number", Integer, nullable=False),
    # how often a larger batch was halved to get it
    Column("depth", Integer, nullable=False, default=0),
    # the topic whose sections are filled, if that is what it is for
    Column("topic_id", Text),
    Index("topic_batches_in_order", "namespace", "work", "number"),
)

#: runs that tidy the directory: one at a time in a namespace
dream_runs = _table(
    "dream_runs",
    Column("namespace", Text, primary_key=True),
    # counts the runs of a namespace
    Column("number", Integer, primary_key=True),
    Column("status", Text, nullable=False),
    Column("reason", Text, nullable=False, default=""),
    Column("directions", Json, nullable=False),
    # batches: lists of {topic_id, event_ids}
    Column("plan", Json, nullable=False),
    Column("batches_done", Integer, nullable=False, default=0),
    # edits that were answered and wait to be written one by one
    Column("waiting", Json, nullable=False),
    # topics and events that were asked for beside the batch
    Column("shown", Json, nullable=False),
    # replies without an action, one after the other
    Column("idle", Integer, nullable=False, default=0),
    Column("steps", Integer, nullable=False, default=0),
    # of the directory as the run left it
    Column("fingerprint", Text, nullable=False),
    Column("spent", Json, nullable=False),
    Column("lease", Text),
    Column("lease_until", Instant),
    Column("created_at", Instant, nullable=False),
    Column("updated_at", Instant, nullable=False),
)

#: what a run was told, asked for and did
dream_steps = _table(
    "dream_steps",
    Column("namespace", Text, primary_key=True),
    Column("run", Integer, primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("kind", Text, nullable=False),
    Column("content", Json, nullable=False),
    # the events that were read for it
    Column("event_ids", Json, nullable=False),
    Column("created_at", Instant, nullable=False),
)
