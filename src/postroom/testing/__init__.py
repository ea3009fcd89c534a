"""Fakes as products: scripted models, gates and a strict provider for tests of any team."""
