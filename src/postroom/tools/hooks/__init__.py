"""Code of others that looks on and may say no: plugins in Python, and commands as hooks."""
