"""What exists: frozen nouns. Nothing here decides, serialises or looks at a clock."""
