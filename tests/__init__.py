"""The tests; shared values live in `tests.strategies`."""
