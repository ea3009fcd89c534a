"""One process owns one store, and lets others in through one door."""
