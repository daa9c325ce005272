"""Blocks come in, cards of what happened go out; use makes them stronger.

Writes `events`, `event_sources`, `event_supersedes` and `reinforcements`, and keeps their index.
"""
