"""`branch`: agents are branches of conversations, and what is said to one is answered by itself (seed 004)."""
