"""The one service: every durable change. Beside each use case stand its plain transaction functions."""
