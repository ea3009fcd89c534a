"""`[policy]`: single fields of the surface's preset, overridden; and the sources' names for them.

The keys are the fields of `Policy`, so a new field needs nothing here but, if need be, its range.
"""

import types
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Final, TypeAlias, get_args, get_type_hints

from postroom.domain.policy import Policy
from postroom.profiles.fields import Fields
from postroom.profiles.located import Problem, Setting

PolicyValue: TypeAlias = bool | int | None

OFF: Final = "off"
"""What a person writes for "no limit" where a field knows one."""

_UNBOUNDED: Final = 2**31 - 1
_RANGES: Final[Mapping[str, tuple[int, int]]] = {
    # product.md section 5, "hard limits": no setting lifts them.
    "body_bytes_max": (0, 8 * 1024 * 1024),
    "mailbox_cap": (0, 100_000),
    "concurrency": (1, _UNBOUNDED),
    "rounds_max": (1, _UNBOUNDED),
    # Head, tail and the note between them need some room.
    "rendered_chars_max": (256, _UNBOUNDED),
    # Seed 000: `max_hops <= 0` is off.
    "hops_max": (-_UNBOUNDED, _UNBOUNDED),
}
_ZERO_IS_OFF: Final = frozenset(("hops_max", "pair_window", "chain_turns_max"))
_NOT_SETTINGS: Final = frozenset(
    (
        "surface", "addressing", "authorisation", "reachable_from", "spawns", "slots", "path_counts_tasks",
        "answers_mail", "limits_by_caller", "merges_spawns", "result_form", "overflow", "mail_joins",
        "drains_together", "stop_clears", "unattended_sends", "auto_names",
    )
)  # fmt: skip
"""What makes a surface what it is."""

ALIASES: Final[Mapping[tuple[str, str], str]] = {
    ("messaging", "enabled"): "messaging_enabled",
    ("messaging", "max_hops"): "hops_max",
    ("messaging", "max_body_bytes"): "body_bytes_max",
    ("messaging", "max_pending_per_session"): "mailbox_cap",
    ("messaging", "max_inflight_per_pair"): "pair_window",
    ("delegation", "max_depth"): "depth_max",
    ("delegation", "max_concurrency"): "concurrency",
    ("delegation", "idle_eviction_after"): "idle_eviction_s",
    ("delegation", "max_resident_subagents"): "resident_subagents_max",
}
"""Table and key as the source system writes them, and the field that is meant."""

ALIAS_TABLES: Final = ("messaging", "delegation")


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyField:
    """One key of `[policy]`, for reading and for the reference."""

    name: str
    is_truth: bool
    may_be_off: bool
    zero_is_off: bool
    least: int
    most: int


def policy_fields() -> tuple[PolicyField, ...]:
    """Every key that `[policy]` knows, in the order of `Policy`."""
    hints = get_type_hints(Policy)
    names = [field.name for field in fields(Policy) if field.name not in _NOT_SETTINGS]
    return tuple(_policy_field(name, hints[name]) for name in names)


def _policy_field(name: str, hint: object) -> PolicyField:
    parts = get_args(hint) if isinstance(hint, types.UnionType) else (hint,)
    least, most = _RANGES.get(name, (0, _UNBOUNDED))
    return PolicyField(
        name=name,
        is_truth=bool in parts,
        may_be_off=type(None) in parts,
        zero_is_off=name in _ZERO_IS_OFF,
        least=least,
        most=most,
    )


def read_policy(preset: Policy, table: Fields) -> Policy:
    """The preset with the overrides of an un-aliased `[policy]` table; closes the table."""
    changes: dict[str, PolicyValue] = {}
    for field in policy_fields():
        setting = table.setting(field.name)
        if setting is not None:
            changes.update(_read(field, setting, table))
    table.close()
    return replace(preset, **changes)  # pyright: ignore[reportArgumentType] # names and types from Policy


def _read(field: PolicyField, setting: Setting, table: Fields) -> dict[str, PolicyValue]:
    if field.is_truth:
        truth = table.truth(field.name)
        return {} if truth is None else {field.name: truth}
    if field.may_be_off and setting.value == OFF:
        return {field.name: None}
    number = table.integer(field.name, least=field.least, most=field.most)
    if number is None:
        return {}
    return {field.name: None if field.zero_is_off and number <= 0 else number}


def without_aliases(root: Setting, problems: list[Problem]) -> Setting:
    """The settings with `[messaging]` and `[delegation]` moved into `[policy]`.

    A field that one file sets under both names is a problem: nobody could say which one counts.
    """
    table = dict(root.table or {})
    policy = dict((table["policy"].table if "policy" in table else None) or {})
    for alias_table in ALIAS_TABLES:
        aliased = table.get(alias_table)
        if aliased is None or aliased.table is None:
            continue
        del table[alias_table]
        policy.update(_moved(alias_table, aliased, policy, problems))
    if policy:
        place = table.get("policy", root)
        table["policy"] = replace(place, key="policy", table=policy)
    return replace(root, table=table)


def _moved(
    alias_table: str, aliased: Setting, policy: Mapping[str, Setting], problems: list[Problem]
) -> dict[str, Setting]:
    fields_of_alias = Fields(aliased, problems, kind=f"[{alias_table}] key")
    moved: dict[str, Setting] = {}
    for (table, key), name in ALIASES.items():
        setting = fields_of_alias.setting(key) if table == alias_table else None
        if setting is None:
            continue
        if name in policy:
            fields_of_alias.complain(setting, f"is the same setting as policy.{name}", "keep one")
        moved[name] = setting
    fields_of_alias.close()
    return moved
