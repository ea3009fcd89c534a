"""The sources' names for fields of `[policy]`, and amounts in dollars: read as if they stood there.

Each layer of settings is translated alone, before layers cover each other. So a team may say `[agent]` where
the person's own file says `[policy]`.
"""

from collections.abc import Mapping
from dataclasses import replace
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation
from typing import Final

from postroom.profiles.fields import Fields
from postroom.profiles.located import Problem, Setting

OFF: Final = "off"
"""What a person writes for "no limit" where a field knows one."""
MICROS: Final = 1_000_000
"""Of them a dollar has so many."""

ALIASES: Final[Mapping[str, str]] = {
    "messaging.enabled": "messaging_enabled",
    "messaging.max_hops": "hops_max",
    "messaging.max_body_bytes": "body_bytes_max",
    "messaging.max_pending_per_session": "mailbox_cap",
    "messaging.max_inflight_per_pair": "pair_window",
    "delegation.max_depth": "depth_max",
    "delegation.max_concurrency": "concurrency",
    "delegation.idle_eviction_after": "idle_eviction_s",
    "delegation.max_resident_subagents": "resident_subagents_max",
    "agent.max_spawn_depth": "generations_max",
    "agent.max_messages": "messages_max",
    "agent.max_spawn_fanout": "fan_out_max",
    "agent.resource_limits.max_total_tokens": "tokens_max",
    "agent.resource_limits.max_cost_usd": "cost_micros_max",
    "sessionBus.maxMessageBytes": "body_bytes_max",
    "sessionBus.maxPendingPerTarget": "pair_cap",
    "sessionBus.allowColdWake": "wakes_cold",
    "sessionBus.allowCrossWorkspace": "crosses_workspace",
    "sessionBus.allowlist": "allow_list",
    "budget.max_tokens": "tokens_max",
    "budget.max_cost_usd": "cost_micros_max",
}
"""Dotted key as a source writes it -> the field that is meant."""
NOT_HERE: Final[Mapping[str, str]] = {
    "agent.resource_limits.max_live_per_session": "policy.concurrency says how many turns run at once",
    "agent.resource_limits.max_queued_per_session": "policy.mailbox_cap says how much a mailbox holds",
    "agent.resource_limits.max_tasks_per_session": "policy.messages_max and policy.fan_out_max bound them",
    "agent.resource_limits.max_runtime_seconds": "budget.max_tokens and policy.rounds_max bound a run",
    "agent.resource_limits.idle_timeout_seconds": "model.idle_s says when a silent provider is given up",
}
"""Keys of a source that Postroom does not have, and what bounds the same here."""
COUNT_MAX: Final = 2**53
"""Of tokens and of millionths of a dollar: what every reader of JSON still counts exactly."""
OWN_KEYS: Final = ("budget.assume_price",)
"""Keys that stand in a table of aliases and mean themselves."""
_TABLES: Final = ("messaging", "delegation", "agent", "sessionBus", "budget")
_POSITIVE: Final = frozenset(("sessionBus.maxMessageBytes",))
"""Where the source knows no 0, which means something here."""


def is_in_dollars(key: str) -> bool:
    """Whether an alias takes dollars where its field takes millionths of one."""
    return key.endswith("_usd")


def without_aliases(root: Setting, problems: list[Problem]) -> Setting:
    """The settings of one layer with every alias moved into `[policy]`.

    A field that one file sets under two names is a problem: nobody could say which one counts.
    """
    table = dict(root.table or {})
    policy = dict((table["policy"].table if "policy" in table else None) or {})
    for name in _TABLES:
        if name in table and table[name].table is not None:
            own = _move(name, table.pop(name), policy, problems)
            table |= {name: own} if own.table else {}
    if policy:
        place = table.get("policy", root)
        table["policy"] = replace(place, key="policy", table=policy)
    return replace(root, table=table)


def _move(path: str, aliased: Setting, policy: dict[str, Setting], problems: list[Problem]) -> Setting:
    """Move what a table of aliases holds; what is left of it are keys that mean themselves."""
    fields = Fields(aliased, problems, kind=f"[{path}] key")
    own: dict[str, Setting] = {}
    for key in _keys_below(path):
        setting, full = fields.setting(key), f"{path}.{key}"
        if setting is None:
            continue
        if full in OWN_KEYS:
            own[key] = setting
        elif full in NOT_HERE:
            fields.complain(setting, "is no limit of Postroom", NOT_HERE[full])
        elif full in ALIASES:
            _put(fields, full, setting, policy)
        elif setting.table is None:
            fields.complain(setting, f"must be a table, not {setting.kind()}")
        else:
            _move(full, setting, policy, problems)
    fields.close()
    return replace(aliased, table=own)


def _keys_below(path: str) -> list[str]:
    known = (
        key.removeprefix(f"{path}.") for key in (*ALIASES, *NOT_HERE, *OWN_KEYS) if key.startswith(f"{path}.")
    )
    return list(dict.fromkeys(key.partition(".")[0] for key in known))


def _put(fields: Fields, full: str, setting: Setting, policy: dict[str, Setting]) -> None:
    name = ALIASES[full]
    if name in policy:
        fields.complain(setting, f"is the same setting as policy.{name}", "keep one")
    if full in _POSITIVE and setting.value in (0, "0"):
        fields.complain(setting, "must be positive", "policy.messaging_enabled = false refuses every message")
        return
    found = _in_micros(fields, setting) if is_in_dollars(full) else setting
    if found is not None:
        policy[name] = found


def _in_micros(fields: Fields, setting: Setting) -> Setting | None:
    """Dollars as millionths of one; too little to be counted is no amount, for 0 would be no limit."""
    if setting.value == OFF:
        return setting
    dollars = dollars_of(setting.value)
    if dollars is None:
        fields.complain(setting, f"must be an amount in dollars, not {setting.kind()}", "write it as 0.50")
        return None
    micros = micros_of(dollars)
    if dollars and not micros:
        fields.complain(setting, "is less than a millionth of a dollar", f'"{OFF}" or 0 means no limit')
        return None
    return replace(setting, value=micros, words=False)


def dollars_of(value: object) -> Decimal | None:
    """An amount that a person wrote, as a number or in words; nothing if it is none, or more than counts."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        found = Decimal(str(value).strip().removeprefix("$"))
    except InvalidOperation:
        return None
    return found if found.is_finite() and 0 <= found <= COUNT_MAX else None


def micros_of(dollars: Decimal) -> int:
    """An amount in whole millionths of a dollar."""
    return int((dollars * MICROS).to_integral_value(ROUND_HALF_UP))
