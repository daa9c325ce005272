"""Pure ranking: relevance, fusion of lists, and the long-term weight of an event."""
