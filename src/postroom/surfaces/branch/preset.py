"""The policy of the `branch` surface (product.md section 5, column `branch`; systems.md chapter 1)."""

from postroom.domain.message import HARD_BODY_BYTES_MAX
from postroom.domain.policy import Policy

BRANCH_POLICY = Policy(
    surface="branch", addressing="branch", authorisation="open", reachable_from="anywhere", spawns="branch",
    slots="process", body_bytes_max=HARD_BODY_BYTES_MAX, ask_s=300, waiting_max=None, messages_max=8,
    generations_max=1, fan_out_max=8, path_counts_tasks=True, answers_mail=True, limits_by_caller=True,
    unattended_sends="allow", merges_spawns=True, result_form="inline", auto_names=True, mailbox_cap=50,
    overflow="drop_oldest", duplicate_s=60, reads="anything", archives="anyone",
    tells_archived=True, tasks_called="task", mail_joins=False, drains_together=False, stop_clears=True,
    pair_window=None, chain_turns_max=None, rendered_chars_max=30_000,
)  # fmt: skip
"""Messages 8, generations 1 and fan-out 8 are those of systems.md 1.11; 50 and 60 s those of 1.8."""
