"""`branch`: agents are branches, and what is said to one is answered by itself (seed 004)."""
