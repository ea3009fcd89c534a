"""Agent profiles and team folders: read them, and say exactly what is wrong with them."""
