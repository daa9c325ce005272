"""Tidying the directory."""
