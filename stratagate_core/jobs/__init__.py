"""Durable work in the same database: claimed with a lease, retried, recovered. Writes `jobs`."""
