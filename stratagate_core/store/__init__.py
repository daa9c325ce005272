"""Storage: the only importer of SQLAlchemy. One schema, one module for each table owner.

A writer is a small function ``(tx, values)``; readers live beside the writers of their table.
"""
