"""Looking without touching: the system behaves the same with this room deleted."""
