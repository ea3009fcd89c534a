"""A strict provider on loopback: the OpenAI chat-completions wire, played from a plan.

`python -m postroom.testing.provider_emulator --port 0 --script FILE` prints its URL; tests start and
stop it with `ProviderEmulator`.
"""

from postroom.testing.provider_emulator.client import ProviderEmulator
from postroom.testing.provider_emulator.plan import (
    CallIds,
    EmulatedCall,
    EmulatedRound,
    Plan,
    Trouble,
    Wire,
    load_plan,
    turns,
    wired,
)

__all__ = [
    "CallIds",
    "EmulatedCall",
    "EmulatedRound",
    "Plan",
    "ProviderEmulator",
    "Trouble",
    "Wire",
    "load_plan",
    "turns",
    "wired",
]
