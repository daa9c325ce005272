"""Evaluation over the public API: a dataset is read, told to a memory, asked and scored."""
