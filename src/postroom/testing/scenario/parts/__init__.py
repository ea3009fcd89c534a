"""What may be written in a scenario file: one small file for each family, nothing that runs."""
