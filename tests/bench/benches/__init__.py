"""The speed that Postroom promises, measured: `make bench` prints a table and writes a JSON file."""
