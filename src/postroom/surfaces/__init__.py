"""Tool sets: what a model sees and reads. One file each; no condition about delivery here."""
