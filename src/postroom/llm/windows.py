"""How much a model reads at once, by its name, so that nobody has to look it up.

A table of our own and not the price list, because that takes most of a second to load and this is
asked whenever a room opens. A test holds the table against the price list.
"""

from typing import Final

from postroom.llm.port import DEFAULT_WINDOW, ModelSettings

# The longest beginning that fits counts. Figures: the vendors' model pages, autumn 2026.
_WINDOWS: Final[dict[str, int]] = {
    "claude-": 200_000,
    "claude-fable-": 1_000_000,
    "claude-haiku-5": 1_000_000,
    "claude-mythos-": 1_000_000,
    "claude-opus-4-6": 1_000_000,
    "claude-opus-4-7": 1_000_000,
    "claude-opus-4-8": 1_000_000,
    "claude-opus-5": 1_000_000,
    "claude-sonnet-4-6": 1_000_000,
    "claude-sonnet-5": 1_000_000,
    "codex-mini": 200_000,
    "gemini-": 1_000_000,
    "gemini-1.0-": 32_768,
    "gemini-2.5-flash-lite-preview-tts": 8_192,
    "gemini-2.5-flash-preview-tts": 8_192,
    "gemini-2.5-flash-tts": 8_192,
    "gemini-2.5-pro-tts": 8_192,
    "gemini-3.8-live": 131_072,
    "gemini-embedding-": 8_192,
    "gemini-pro": 32_768,
    "gemini-pro-1.5": 2_000_000,
    "gemma-3": 131_072,
    "gemma-4": 262_144,
    "gpt-3.5-": 16_385,
    "gpt-4": 8_192,
    "gpt-4-32k": 32_000,
    "gpt-4-turbo": 128_000,
    "gpt-4-vision": 128_000,
    "gpt-4.1": 1_000_000,
    "gpt-4.5": 128_000,
    "gpt-4o": 128_000,
    "gpt-4o-mini-realtime": 16_000,
    "gpt-4o-mini-transcribe": 16_000,
    "gpt-4o-realtime": 32_000,
    "gpt-4o-transcribe": 16_000,
    "gpt-5": 400_000,
    "gpt-5.3": 128_000,
    "gpt-5.3-codex": 400_000,
    "gpt-5.4": 1_050_000,
    "gpt-5.4-mini": 400_000,
    "gpt-5.4-nano": 400_000,
    "gpt-5.5": 1_000_000,
    "gpt-5.6": 1_050_000,
    "gpt-6": 1_050_000,
    "gpt-oss": 131_072,
    "gpt-realtime": 32_000,
    "gpt-realtime-2": 128_000,
    "o1": 200_000,
    "o1-mini": 128_000,
    "o1-preview": 128_000,
    "o3": 200_000,
    "o4-": 200_000,
}


def context_window_of(model_name: str, settings: ModelSettings) -> int:
    """Tokens that a request to `PROVIDER:NAME` and its answer may have together.

    What the settings say, else what the table knows of the name, else 128,000. Loads nothing.
    """
    if settings.context_window is not None:
        return settings.context_window
    provider, _, rest = model_name.partition(":")
    if provider == "scripted":
        return DEFAULT_WINDOW
    # Routers put the vendor before the name: `anthropic/claude-sonnet-5`.
    name = rest.rpartition("/")[2].lower()
    known = [beginning for beginning in _WINDOWS if name.startswith(beginning)]
    return _WINDOWS[max(known, key=len)] if known else DEFAULT_WINDOW
