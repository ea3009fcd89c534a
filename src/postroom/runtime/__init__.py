"""An agent's life: when a turn runs, what it asks, and how it ends."""
