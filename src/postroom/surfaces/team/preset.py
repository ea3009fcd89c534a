"""The policy of the `team` surface (product.md section 5, column `team`)."""

from postroom.domain.policy import Policy

TEAM_POLICY = Policy(
    surface="team", addressing="team", relations=(
        ("parent", "allow"), ("child", "allow"), ("sibling", "allow"), ("ancestor", "allow"),
        ("descendant", "allow"), ("tree", "allow"), ("workspace", "ask"),
    ),
    reachable_from="workspace", asks_hold=True, reads="workspace", archives="below", slots="process",
    tells_archived=True, tasks_called="task", dates_mail=True,
    names_spawns=True, copies=True,
    depth_max=64, concurrency=8, waiting_max=None, messages_max=24, generations_max=2, fan_out_max=8,
    path_counts_tasks=True, result_form="inline", at_cap="answers", host_death="resume", waits_end="mail",
    rendered_chars_max=30_000,
)  # fmt: skip
