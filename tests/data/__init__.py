"""Data written for the tests."""
