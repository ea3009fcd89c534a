"""What agents may do, as files say it: a profile's `permissions`, and the rights in the settings.

The grammar is the same in both. In the settings the rules are a ceiling for every agent: they narrow what
profiles allow and never widen it.
"""

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Final, TypeAlias

from postroom.domain.ask import ApprovalMode
from postroom.profiles.fields import Fields
from postroom.profiles.located import Setting, near
from postroom.profiles.model_defaults import read_model_name
from postroom.rules.permissions import ACTIONS, ANYTHING, Effect, Rule

RELATIONS: Final = ("parent", "child", "sibling", ANYTHING)
PURPOSES: Final = ("classification",)
"""Side calls that may have a model of their own."""
NamesAt: TypeAlias = Callable[[Setting], Collection[str] | None]
"""Which agents a rule at this place may name; `None`: any, for nobody can tell there."""
_EFFECTS: Final = tuple(str(effect) for effect in Effect)
_MODES: Final = tuple(str(mode) for mode in ApprovalMode)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rights:
    """What the settings say of rights, all layers together."""

    ceiling: tuple[Rule, ...] = ()
    """`[permissions]`."""
    mode: ApprovalMode = ApprovalMode.ASK
    """Who decides the asks of a new session: `ask` (the person), `yolo` (all are approved), `auto_approve`,
    `auto_approve_n` and `auto_approve_y` (a model; what it does not approve the person decides, is denied,
    or is approved once)."""
    side_calls: Mapping[str, str] = field(default_factory=dict[str, str])
    """Purpose -> `PROVIDER:MODEL`, for those that are to have another model than the agent's."""


def read_rights(
    root: Fields,
    *,
    team_names: Collection[str] | None = None,
    team_file: str = "",
    providers: Collection[str] | None = None,
) -> Rights:
    """The three settings. Names of agents are looked at where `team_file` says them, for no other file knows
    which team it will meet.
    """
    actions = root.fields("permissions", kind="action")
    rules = read_rules(actions, lambda found: team_names if found.file == team_file else None)
    return Rights(ceiling=rules, mode=_mode(root), side_calls=_side_calls(root, providers))


def read_rules(actions: Fields, names_at: NamesAt) -> tuple[Rule, ...]:
    """Every rule of the table, by action, in the order of the file; closes the table."""
    rules = [
        rule
        for action in ACTIONS
        if (declared := actions.setting(action)) is not None
        for rule in _rules_of(action, declared, actions, names_at)
    ]
    actions.close()
    return tuple(rules)


def with_patterns(root: Setting) -> Setting:
    """The settings with `shell = "ask"` written out as the pattern that it stands for.

    So a layer that comes on top replaces that one pattern, and not every rule of the action.
    """
    permissions = (root.table or {}).get("permissions")
    if permissions is None or permissions.table is None:
        return root
    actions = {
        action: declared if declared.table is not None else replace(declared, table={ANYTHING: declared})
        for action, declared in permissions.table.items()
    }
    table = {**(root.table or {}), "permissions": replace(permissions, table=actions)}
    return replace(root, table=table)


def _rules_of(action: str, declared: Setting, fields: Fields, names_at: NamesAt) -> Iterator[Rule]:
    """`action: effect` stands for `action: {"*": effect}`."""
    declared_rules = {ANYTHING: declared} if declared.table is None else declared.table
    for pattern, setting in declared_rules.items():
        if action == "message" and pattern not in RELATIONS:
            fields.complain(setting, f"`{pattern}` is no relation", near(pattern, RELATIONS))
        names = names_at(setting) if action == "delegate" and ANYTHING not in pattern else None
        if names is not None and pattern not in names:
            fields.complain(setting, f"there is no agent `{pattern}` here", near(pattern, names))
        effect = _effect(setting, fields)
        if effect is not None:
            yield Rule(action=action, pattern=pattern, effect=effect)


def _effect(setting: Setting, fields: Fields) -> Effect | None:
    if not isinstance(setting.value, str):
        fields.complain(setting, f"must be allow, ask or deny, not {setting.kind()}")
        return None
    if setting.value not in _EFFECTS:
        fields.complain(setting, f"`{setting.value}` is no effect", near(setting.value, _EFFECTS))
        return None
    return Effect(setting.value)


def _mode(root: Fields) -> ApprovalMode:
    word, setting = root.text("mode"), root.setting("mode")
    if word is None or setting is None:
        return ApprovalMode.ASK
    if word not in _MODES:
        root.complain(setting, f"there is no mode `{word}`", near(word, _MODES))
        return ApprovalMode.ASK
    return ApprovalMode(word)


def _side_calls(root: Fields, providers: Collection[str] | None) -> dict[str, str]:
    table = root.fields("side_calls", kind="side call")
    models: dict[str, str] = {}
    for purpose in PURPOSES:
        own = table.fields(purpose, kind=f"[side_calls.{purpose}] key")
        if (model := read_model_name(own, "model", providers)) is not None:
            models[purpose] = model
        own.close()
    table.close()
    return models
