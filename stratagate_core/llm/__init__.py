"""The model port: how a structured question reaches a model and comes back as a checked answer."""
