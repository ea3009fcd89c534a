"""The vendors' wires, and which of them serves a path."""

from urllib.parse import unquote

from postroom.testing.provider_emulator.wires.anthropic import ANTHROPIC
from postroom.testing.provider_emulator.wires.base import Dialect
from postroom.testing.provider_emulator.wires.google import GOOGLE
from postroom.testing.provider_emulator.wires.openai import OPENAI

__all__ = ["ANTHROPIC", "GOOGLE", "OPENAI", "Dialect", "dialect_for"]

_GOOGLE_METHODS = (":generateContent", ":streamGenerateContent")


def dialect_for(path: str) -> Dialect | None:
    """The wire of this path, without its query; None when nothing is served there."""
    match path.strip("/").split("/"):
        case ["v1", "chat", "completions"]:
            return OPENAI
        case ["v1", "messages"]:
            return ANTHROPIC
        case ["v1beta", "models", method] if unquote(method).endswith(_GOOGLE_METHODS):
            return GOOGLE
        case _:
            return None
