"""What is true: one transaction at a time."""
