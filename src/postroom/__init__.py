"""Postroom: durable mail between LLM agents."""

__version__ = "0.1.0"
