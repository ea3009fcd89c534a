"""Thought signatures of the Gemini wire: given out with calls and last texts, wanted back unchanged.

Each first call of a step of the current turn must have its signature (documentation of thought
signatures, 2026); one that is there must be ours wherever it stands. Older models do not insist.
"""

import base64
import json
from collections.abc import Iterable

from postroom.llm.port import Json
from postroom.testing.provider_emulator.breach import Breach, Rule
from postroom.testing.provider_emulator.plan import Plan
from postroom.testing.provider_emulator.seals import UNBOUND, SealState, check_seal, seal
from postroom.testing.provider_emulator.wires.google.parts import Part, plain_base64

TEXT_SIGNED = "text"
_LENIENT = ("gemini-1", "gemini-2")
# The values that the vendor documents for calls that another model made.
_DUMMIES = ("skip_thought_signature_validator", "context_engineering_is_the_way_to_go")


def call_signature(key: str, name: str, args: Json) -> str:
    """The signature of a call."""
    return seal(key, _signed(name, args), UNBOUND)


def text_signature(key: str) -> str:
    """The signature of a text. A client may join the parts of a text, so its words are not signed."""
    return seal(key, TEXT_SIGNED, UNBOUND)


def check_signature(part: Part, plan: Plan) -> None:
    """Refuse a signature that we did not give out for this part."""
    if not part.signature or _is_dummy(part.signature, plan):
        return
    is_call = part.kind == "functionCall"
    signed = _signed(part.name, part.inner.get("args") or {}) if is_call else TEXT_SIGNED
    if check_seal(plan.key, plain_base64(part.signature), signed, UNBOUND) is not SealState.GENUINE:
        raise Breach(Rule.BAD_SIGNATURE, at=part.at)


def check_turn(model: str, steps: Iterable[tuple[int, tuple[Part, ...]]]) -> None:
    """Refuse a step of the current turn whose first call has lost its signature."""
    if model.startswith(_LENIENT):
        return
    for number, parts in steps:
        first = next((part for part in parts if part.kind == "functionCall"), None)
        if first is not None and not first.signature:
            raise Breach(Rule.MISSING_SIGNATURE, at=first.at, names=(first.name, str(number + 1)))


def _signed(name: str, args: Json) -> str:
    return json.dumps([name, args], sort_keys=True)


def _is_dummy(signature: str, plan: Plan) -> bool:
    encoded = (base64.b64encode(each.encode()).decode() for each in _DUMMIES)
    return plan.dummy_signatures and (signature in _DUMMIES or plain_base64(signature) in encoded)
