"""The stored form of a card: how its values are brought into it, on writing and on reading."""
