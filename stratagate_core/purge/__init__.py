"""Deleting for good: what goes, what goes along, and what is derived again (16 §7).

Each table is changed by the store module that owns it; other parts hear of it by facts.
"""
