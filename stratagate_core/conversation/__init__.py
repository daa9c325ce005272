"""Turns come in, blocks and their levels go out.

Writes `turns`, `messages`, `blocks`, and the counters of `namespaces` and `threads`.
"""
