"""The searches callers see: a question comes in, compact cards go out; nothing is written.

Candidates come from the index, or from a scan while the index must be rebuilt. The rebuild is
the only thing here that writes, and it writes through `store.index`.
"""
