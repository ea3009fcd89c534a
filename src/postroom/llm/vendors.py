"""The vendors whose models can be asked: their names, variables and addresses, and nothing of an SDK."""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True, kw_only=True)
class Vendor:
    """One kind of wire. `NAME:MODEL` asks it; the extra of the same name installs its SDK."""

    name: str
    module: str
    """What the extra installs, by its import name."""
    key_names: tuple[str, ...]
    url_names: tuple[str, ...]
    home: str
    """The vendor's own address."""
    keyless_at_home: bool = False
    """Whether a server on this machine is asked without a key."""


OPENAI: Final = Vendor(
    name="openai",
    module="openai",
    key_names=("OPENAI_API_KEY",),
    url_names=("POSTROOM_OPENAI_BASE_URL", "OPENAI_BASE_URL"),
    home="https://api.openai.com/v1",
    keyless_at_home=True,
)
ANTHROPIC: Final = Vendor(
    name="anthropic",
    module="anthropic",
    key_names=("ANTHROPIC_API_KEY",),
    url_names=("POSTROOM_ANTHROPIC_BASE_URL", "ANTHROPIC_BASE_URL"),
    home="https://api.anthropic.com",
)
GOOGLE: Final = Vendor(
    name="google",
    module="google.genai",
    key_names=("GOOGLE_API_KEY", "GEMINI_API_KEY"),
    url_names=("POSTROOM_GOOGLE_BASE_URL", "GOOGLE_GEMINI_BASE_URL"),
    home="https://generativelanguage.googleapis.com",
)
VENDORS: Final = {vendor.name: vendor for vendor in (OPENAI, ANTHROPIC, GOOGLE)}
