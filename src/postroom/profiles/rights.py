"""What agents may do, as files say it: a profile's `permissions`, and the rights in the settings.

The grammar is the same in both. In the settings the rules are a ceiling for every agent: they narrow what
profiles allow and never widen it.
"""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from postroom.domain.ask import ApprovalMode
from postroom.llm.port import Purpose
from postroom.profiles.fields import Fields
from postroom.profiles.located import Problem, Setting, near
from postroom.profiles.model_defaults import read_model_name
from postroom.rules.naming import RELATIONS
from postroom.rules.permissions import ACTIONS, ANYTHING, Effect, Rule, flaw

PURPOSES: Final = tuple(purpose.value for purpose in Purpose if purpose is not Purpose.TURN)
"""Side calls that may have a model of their own."""
Names: TypeAlias = Collection[str] | None
"""Which agents a rule may name; `None`: any, for nobody can tell there."""
_EFFECTS: Final = tuple(str(effect) for effect in Effect)
_MODES: Final = tuple(str(mode) for mode in ApprovalMode)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rights:
    """What the settings say of rights beside `[permissions]`, all layers together."""

    mode: ApprovalMode = ApprovalMode.ASK
    """Who decides the asks of a new session: `ask` (the person), `yolo` (all are approved), `auto_approve`,
    `auto_approve_n` and `auto_approve_y` (a model; what it does not approve the person decides, is denied,
    or is approved once)."""
    side_calls: Mapping[str, str] = field(default_factory=dict[str, str])
    """Purpose -> `PROVIDER:MODEL`, for those that are to have another model than the agent's."""


def read_rights(root: Fields, providers: Collection[str] | None = None) -> Rights:
    """Who decides, and which models; `[permissions]` is read layer by layer, see `read_ceiling`."""
    root.setting("permissions")
    return Rights(mode=_mode(root), side_calls=_side_calls(root, providers))


def read_rules(actions: Fields, names: Names) -> tuple[Rule, ...]:
    """Every rule of the table, by action, in the order of the file; closes the table."""
    rules = [
        rule
        for action in ACTIONS
        if (declared := actions.setting(action)) is not None
        for rule in _rules_of(action, declared, actions, names)
    ]
    actions.close()
    return tuple(rules)


def read_ceiling(layer: Setting, problems: list[Problem], names: Names) -> tuple[Rule, ...]:
    """The `[permissions]` of one layer of settings. Each is a limit of its own: none softens another."""
    return read_rules(Fields(layer, problems).fields("permissions", kind="action"), names)


def _rules_of(action: str, declared: Setting, fields: Fields, names: Names) -> Iterator[Rule]:
    """`action: effect` stands for `action: {"*": effect}`."""
    declared_rules = {ANYTHING: declared} if declared.table is None else declared.table
    for pattern, setting in declared_rules.items():
        if why := flaw(action, pattern):
            fields.complain(setting, why, near(pattern, RELATIONS) if pattern else "")
            continue
        is_name = action == "delegate" and ANYTHING not in pattern
        if is_name and names is not None and pattern not in names:
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
