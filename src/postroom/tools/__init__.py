"""Everything an agent can call besides mail."""
