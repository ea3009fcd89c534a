"""The version of what the daemon and its clients say to each other over HTTP.

It rises when a client of before would misunderstand an answer. New fields, events and endpoints do not
raise it: clients pass over what they do not know (CK-33).
"""

from typing import Final

PROTOCOL_VERSION: Final = 1
PROTOCOL_HEADER: Final = "Postroom-Protocol"
"""A client names its version here; without it, it takes what it gets."""
PREFIX: Final = "/api/v1"
OPEN_PATHS: Final = frozenset((f"{PREFIX}/hello", f"{PREFIX}/health"))
"""What answers without a token, and until the daemon has ended: nothing of the store is in it."""
