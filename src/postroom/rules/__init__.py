"""What follows: pure functions on nouns. A reviewer looks here first."""
