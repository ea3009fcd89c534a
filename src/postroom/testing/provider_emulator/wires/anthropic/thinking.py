"""Thinking on the messages wire: when it may be asked for, and what it must look like when it comes back.

A signature holds for the text it was given with and, on newer models, for system prompt, tools and all
messages before it (documentation of preserved thinking, 2026).
"""

from collections.abc import Sequence
from dataclasses import dataclass

from postroom.llm.port import Json
from postroom.testing.provider_emulator.asked import Incoming
from postroom.testing.provider_emulator.breach import Breach, Rule, dotted
from postroom.testing.provider_emulator.fields import OBJECT, TEXT, Fields, an_object, check_shape
from postroom.testing.provider_emulator.plan import Plan
from postroom.testing.provider_emulator.seals import SealState, check_seal
from postroom.testing.provider_emulator.wires.anthropic.blocks import Block
from postroom.testing.provider_emulator.wires.anthropic.tools import forces_call

REDACTED = "redacted"
_BINDING_BETA = "thinking-binding-controls-2026-08-01"
_LEAST_BUDGET = 1024
_KINDS = ("enabled", "disabled", "adaptive", "between_tools")
_SHAPE = {"type": TEXT, "budget_tokens": (int,), "display": TEXT}


@dataclass(frozen=True, slots=True, kw_only=True)
class Thinking:
    """How a request wants its reasoning treated."""

    enabled: bool
    drops_stale: bool


def read_thinking(body: Fields, incoming: Incoming) -> Thinking:
    """The request's `thinking`, checked against the rest of the body. Raises `Breach`."""
    if body.get("thinking") is None:
        return Thinking(enabled=False, drops_stale=False)
    thinking = an_object(body["thinking"], ("thinking",))
    beta = _BINDING_BETA in incoming.headers.get("anthropic-beta", "")
    check_shape(
        thinking, _SHAPE | ({"block_binding": OBJECT} if beta else {}), ("thinking",), required=("type",)
    )
    if thinking["type"] not in _KINDS:
        names = " or ".join(f"'{each}'" for each in _KINDS)
        raise Breach(Rule.BAD_VALUE, at=("thinking", "type"), names=(names,))
    enabled = thinking["type"] == "enabled"
    if enabled:
        _check_enabled(thinking, body)
    binding = an_object(thinking.get("block_binding") or {}, ("thinking", "block_binding"))
    return Thinking(enabled=enabled, drops_stale=binding.get("prefix_mismatch_behavior") == "drop_block")


def _check_enabled(thinking: Fields, body: Fields) -> None:
    budget, most = thinking.get("budget_tokens"), body["max_tokens"]
    if not isinstance(budget, int):
        raise Breach(Rule.MISSING_FIELD, at=("thinking", "enabled", "budget_tokens"))
    if budget < _LEAST_BUDGET:
        at = ("thinking", "enabled", "budget_tokens")
        raise Breach(Rule.BAD_VALUE, at=at, names=(f"greater than or equal to {_LEAST_BUDGET}",))
    if isinstance(most, int) and most <= budget:
        raise Breach(Rule.BAD_VALUE, says="`max_tokens` must be greater than `thinking.budget_tokens`.")
    if body.get("temperature") not in (None, 1):
        says = "`temperature` may only be set to 1 when thinking is enabled."
        raise Breach(Rule.BAD_VALUE, says=says)
    if forces_call(body):
        says = "Thinking may not be enabled when tool_choice forces tool use."
        raise Breach(Rule.BAD_VALUE, says=says)


def check_starts_with_thinking(answers: Sequence[Sequence[Block]]) -> None:
    """With thinking enabled, the last answer that called tools must still begin with its reasoning."""
    if not answers or not any(block.kind == "tool_use" for block in answers[-1]):
        return
    first = answers[-1][0]
    if first.kind not in {"thinking", "redacted_thinking"}:
        raise Breach(Rule.MISSING_THINKING, at=first.at, names=(first.kind,))


def check_signature(block: Block, prefix: bytes, plan: Plan, thinking: Thinking) -> Json:
    """Refuse reasoning we did not give out like this. The report of a block to be dropped, else None."""
    redacted = block.kind == "redacted_thinking"
    signature = str(block.raw["data"] if redacted else block.raw["signature"])
    signed = REDACTED if redacted else str(block.raw["thinking"])
    state = check_seal(plan.key, signature, signed, prefix)
    if state is SealState.FORGED:
        raise Breach(Rule.BAD_SIGNATURE, at=block.at)
    if state is SealState.GENUINE or not plan.binds_thinking:
        return None
    if not thinking.drops_stale:
        raise Breach(Rule.STALE_SIGNATURE, at=block.at)
    return {"type": "thinking_dropped", "path": dotted(block.at), "reason": "prefix_binding_mismatch"}
