"""The evidence gate: batches of retrieved evidence come in, receipts of real use go out.

Writes `batches` and, through their owner, `use_receipts`.
"""
