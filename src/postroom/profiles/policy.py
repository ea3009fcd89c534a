"""`[policy]`: single fields of the surface's preset, overridden.

The keys are the fields of `Policy`, so a new field needs nothing here but, if need be, its range.
"""

import types
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Final, Literal, TypeAlias, get_args, get_origin, get_type_hints

from postroom.domain.policy import Policy
from postroom.profiles.aliases import COUNT_MAX, OFF
from postroom.profiles.fields import Fields
from postroom.profiles.located import Setting, near
from postroom.rules.naming import is_uuid
from postroom.store.places import spelling_of

PolicyValue: TypeAlias = bool | int | str | tuple[str, ...] | None

_UNBOUNDED: Final = 2**31 - 1
_RANGES: Final[Mapping[str, tuple[int, int]]] = {
    # product.md section 5, "hard limits": no setting lifts them.
    "body_bytes_max": (0, 8 * 1024 * 1024),
    "mailbox_cap": (0, 100_000),
    # systems.md 4.8: limits of that source are positive.
    "pair_cap": (1, 100_000),
    "concurrency": (1, _UNBOUNDED),
    "rounds_max": (1, _UNBOUNDED),
    # Head, tail and the note between them need some room.
    "rendered_chars_max": (256, _UNBOUNDED),
    "result_chars_max": (256, _UNBOUNDED),
    # Seed 000: `max_hops <= 0` is off.
    "hops_max": (-_UNBOUNDED, _UNBOUNDED),
    "tokens_max": (0, COUNT_MAX),
    "cost_micros_max": (0, COUNT_MAX),
}
_ZERO_IS_OFF: Final = frozenset(
    (
        "hops_max", "pair_window", "chain_turns_max", "messages_max", "generations_max", "fan_out_max",
        "tokens_max", "cost_micros_max",
    )
)  # fmt: skip
"""Where 0 means no limit (product.md section 5); everywhere else it is a limit like any other."""
_NOT_SETTINGS: Final = frozenset(
    (
        "surface", "send_tool", "addressing", "authorisation", "reachable_from", "spawns", "slots",
        "path_counts_tasks", "answers_mail", "limits_by_caller", "merges_spawns", "result_form", "overflow",
        "mail_joins", "drains_together", "stop_clears", "relations", "refusals", "keeps_outbox",
        "asks_hold", "reviews", "reads", "archives", "mailbox", "needs_directory", "user_text", "drain_form",
        "at_cap", "host_death", "waits_end", "names_spawns", "copies", "rings",
        "tells_archived", "tasks_called", "dates_mail",
    )
)  # fmt: skip
"""What makes a surface what it is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyField:
    """One key of `[policy]`, for reading and for the reference."""

    name: str
    is_truth: bool
    may_be_off: bool
    zero_is_off: bool
    least: int
    most: int
    choices: tuple[str, ...] = ()
    """The words that it knows, where its value is one of them."""
    is_list: bool = False
    """Whether it is a list of ids and directories."""


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
        choices=get_args(hint) if get_origin(hint) is Literal else (),
        is_list=get_origin(hint) is tuple,
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
    if field.is_list:
        return _read_list(field, setting, table)
    if field.choices:
        return _read_choice(field, setting, table)
    if field.may_be_off and setting.value == OFF:
        return {field.name: None}
    number = table.integer(field.name, least=field.least, most=field.most)
    if number is None:
        return {}
    return {field.name: None if field.zero_is_off and number <= 0 else number}


def _read_list(field: PolicyField, setting: Setting, table: Fields) -> dict[str, PolicyValue]:
    """Ids and directories; a text names several of them with commas between."""
    if isinstance(setting.value, str):
        texts = tuple(part.strip() for part in setting.value.split(",") if part.strip())
    else:
        texts = table.texts(field.name)
    entries = (_entry(text, setting, table) for text in texts or ())
    return {} if texts is None else {field.name: tuple(entry for entry in entries if entry)}


def _entry(text: str, setting: Setting, table: Fields) -> str:
    """An id in lower case, or a directory in the spelling in which directories are compared; or nothing."""
    if is_uuid(text):
        return text.lower()
    path = table.path(text, setting)
    return "" if path is None else spelling_of(path)


def _read_choice(field: PolicyField, setting: Setting, table: Fields) -> dict[str, PolicyValue]:
    word = table.text(field.name)
    if word is None:
        return {}
    if word not in field.choices:
        table.complain(setting, f"`{word}` is none of its values", near(word, field.choices))
        return {}
    return {field.name: word}
