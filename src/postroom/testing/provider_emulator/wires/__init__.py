"""The vendors' wires, and which of them serves a path."""

from postroom.testing.provider_emulator.wires.anthropic import AnthropicWire
from postroom.testing.provider_emulator.wires.base import Dialect
from postroom.testing.provider_emulator.wires.openai import OpenAIWire

__all__ = ["ANTHROPIC", "OPENAI", "Dialect", "dialect_for"]

OPENAI = OpenAIWire()
ANTHROPIC = AnthropicWire()


def dialect_for(path: str) -> Dialect | None:
    """The wire of this path, without its query; None when nothing is served there."""
    match path.strip("/").split("/"):
        case ["v1", "chat", "completions"]:
            return OPENAI
        case ["v1", "messages"]:
            return ANTHROPIC
        case _:
            return None
