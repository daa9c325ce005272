"""Benchmarks: what grows with the memory and what does not. Ratios hold, absolute times do not."""
