"""The directory of topics."""
