"""Signatures of reasoning: only the emulator can make them, and any emulator with the key can check them.

A seal holds what it signs and the conversation it was given in as two short digests. It needs no
memory, so a conversation goes on after the emulator was started again.
"""

import base64
import binascii
import hashlib
import hmac
from enum import StrEnum

_PART_BYTES = 16
UNBOUND = bytes(_PART_BYTES)
"""The prefix of a seal that holds in any conversation."""


class SealState(StrEnum):
    """What a seal that came back proves."""

    GENUINE = "genuine"  # given out by us, for this text, in this conversation
    STALE = "stale"  # given out by us for this text; what stood before it has changed
    FORGED = "forged"  # not given out by us, or not for this text


def digest(content: bytes) -> bytes:
    """A short digest of a conversation."""
    return hashlib.sha256(content).digest()[:_PART_BYTES]


def seal(key: str, signed: str, prefix: bytes) -> str:
    """The signature of a text given in a conversation; `prefix` is the digest of the conversation."""
    return base64.b64encode(prefix + _proof(key, signed, prefix)).decode()


def check_seal(key: str, signature: str, signed: str, prefix: bytes) -> SealState:
    """What the signature says about the text and the conversation before it."""
    try:
        raw = base64.b64decode(signature, validate=True)
    except (binascii.Error, ValueError):
        return SealState.FORGED
    bound, proof = raw[:_PART_BYTES], raw[_PART_BYTES:]
    if not hmac.compare_digest(proof, _proof(key, signed, bound)):
        return SealState.FORGED
    return SealState.GENUINE if hmac.compare_digest(bound, prefix) else SealState.STALE


def _proof(key: str, signed: str, prefix: bytes) -> bytes:
    return hmac.digest(key.encode(), prefix + signed.encode(), "sha256")[:_PART_BYTES]
