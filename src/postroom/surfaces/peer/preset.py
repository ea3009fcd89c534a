"""The policy of the `peer` surface (product.md section 5, column `peer`; systems.md chapter 4)."""

from postroom.domain.policy import Policy

PEER_POLICY = Policy(
    surface="peer", send_tool="session_send", addressing="session", authorisation="directory",
    reachable_from="directory", tells_archived=True,
    refusals="masked", keeps_outbox=True, asks_hold=True, reads="card", body_bytes_max=65_536,
    result_form="inline", result_chars_max=65_536, mailbox_cap=None, pair_window=None, pair_cap=64,
    needs_directory=True, waits_end="asked",
    rendered_chars_max=65_536,
)  # fmt: skip
"""65,536 bytes and 64 messages are those of systems.md 4.6. What may be sent is shown whole, as on `tree`: no
tool of the surface reads a message again."""
