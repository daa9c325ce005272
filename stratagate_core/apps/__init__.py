"""Programs around the memory: the command line and the demo."""
