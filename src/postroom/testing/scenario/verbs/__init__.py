"""What the steps of a scenario file do: one small file for each family of verbs."""
