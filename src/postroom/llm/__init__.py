"""A model as the turn loop sees it: one request, one answer, whatever the vendor."""
