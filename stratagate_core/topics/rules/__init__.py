"""Pure rules of the directory."""
