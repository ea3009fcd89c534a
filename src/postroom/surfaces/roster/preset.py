"""The policy of the `roster` surface (product.md section 5, column `roster`; systems.md chapter 2)."""

from postroom.domain.message import HARD_BODY_BYTES_MAX
from postroom.domain.policy import Policy

ROSTER_POLICY = Policy(
    surface="roster", addressing="roster", authorisation="open", reachable_from="turn", rings=False,
    reviews=True, tells_archived=True, tasks_called="task", ask_s=300,
    body_bytes_max=HARD_BODY_BYTES_MAX, depth_max=64, concurrency=16,
    waiting_max=None, result_form="inline", result_chars_max=HARD_BODY_BYTES_MAX, chain_turns_max=None,
    mailbox="turn", mailbox_cap=None, pair_window=None, user_text="everyone", drain_form="joined",
    rounds_max=10, at_cap="answers", extensions_max=10, rendered_chars_max=30_000,
)  # fmt: skip
"""10 rounds and 10 extensions are those of systems.md 2.4; 16 turns at once those of product.md section 5."""
