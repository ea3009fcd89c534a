"""A strict provider on loopback: the wires of several vendors at once, played from one plan.

`python -m postroom.testing.provider_emulator --port 0 --script FILE` prints its URL; tests start and
stop it with `ProviderEmulator`.
"""

from postroom.testing.provider_emulator.client import ProviderEmulator
from postroom.testing.provider_emulator.plan import (
    CallIds,
    EmulatedCall,
    EmulatedRound,
    Finish,
    Plan,
    Trouble,
    Wire,
    load_plan,
    turns,
    wired,
)
from postroom.testing.provider_emulator.recorded import Recorded

__all__ = [
    "CallIds",
    "EmulatedCall",
    "EmulatedRound",
    "Finish",
    "Plan",
    "ProviderEmulator",
    "Recorded",
    "Trouble",
    "Wire",
    "load_plan",
    "turns",
    "wired",
]
