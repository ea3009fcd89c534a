"""Reading and changing the files of a session's directory, and nothing outside it."""
