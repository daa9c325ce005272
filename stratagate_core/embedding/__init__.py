"""Vectors of texts: what an embedder is, and a small one that runs on this machine."""
