"""What makes a card acceptable, what it weighs, and how cards are found without a model."""
