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
from postroom.profiles.model_defaults import read_model_name, read_model_names
from postroom.rules.naming import RELATIONS
from postroom.rules.permissions import ACTIONS, ANYTHING, Effect, Rule, flaw

PURPOSES: Final = tuple(purpose.value for purpose in Purpose if purpose not in (Purpose.TURN, Purpose.REVIEW))
"""Side calls that may have a model of their own; reviews may have several."""
NEVER: Final = "never_auto_approve"
"""The key beside the actions in `[permissions]`."""
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
    reviewers: tuple[str, ...] = ()
    """`[side_calls.review] models`: those that review calls; none: the agent's own does, unless it is a
    script."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ceiling:
    """The `[permissions]` of one layer of settings."""

    rules: tuple[Rule, ...] = ()
    """They narrow what profiles allow."""
    never_auto_approve: tuple[str, ...] = ()
    """Actions and tools that no model lets through: where leave is asked for, the person gives it."""


def read_rights(root: Fields, providers: Collection[str] | None = None) -> Rights:
    """Who decides, and which models; `[permissions]` is read layer by layer, see `read_ceiling`."""
    root.setting("permissions")
    table = root.fields("side_calls", kind="side call")
    rights = Rights(
        mode=_mode(root), side_calls=_side_calls(table, providers), reviewers=_reviewers(table, providers)
    )
    table.close()
    return rights


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


def read_ceiling(layer: Setting, problems: list[Problem], names: Names) -> Ceiling:
    """The `[permissions]` of one layer of settings. Each is a limit of its own: none softens another."""
    table = Fields(layer, problems).fields("permissions", kind="action")
    never = table.texts(NEVER) or ()
    return Ceiling(rules=read_rules(table, names), never_auto_approve=never)


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


def _side_calls(table: Fields, providers: Collection[str] | None) -> dict[str, str]:
    models: dict[str, str] = {}
    for purpose in PURPOSES:
        own = table.fields(purpose, kind=f"[side_calls.{purpose}] key")
        if (model := read_model_name(own, "model", providers)) is not None:
            models[purpose] = model
        own.close()
    return models


def _reviewers(table: Fields, providers: Collection[str] | None) -> tuple[str, ...]:
    own = table.fields(Purpose.REVIEW, kind="[side_calls.review] key")
    models = read_model_names(own, "models", providers)
    own.close()
    return models
