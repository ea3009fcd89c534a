"""`peer`: any session of the workspace writes to any other (seed 002; systems.md chapter 4)."""
