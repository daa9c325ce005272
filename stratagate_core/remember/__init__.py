"""What an agent records on purpose: one fact comes in, one current event is left.

Adds events of the agent pool through `events`; writes `memory_records`.
"""
