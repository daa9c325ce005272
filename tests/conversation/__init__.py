"""Turns, blocks, levels and views."""
