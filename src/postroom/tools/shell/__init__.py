"""Commands on the person's machine: off unless the person allows them, and never left behind."""
