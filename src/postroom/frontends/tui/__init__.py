"""`postroom tui`: the team, its talk, its mail and what it asks, in a terminal. A client of the daemon."""
