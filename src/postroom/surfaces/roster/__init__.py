"""`roster`: the agents of one turn write to each other while it runs (seed 003; systems.md chapter 2)."""
