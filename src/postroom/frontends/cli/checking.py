"""Everything that is wrong with a team folder, its tools included, found without starting anything."""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from postroom.app.outfit import Outfit
from postroom.app.staff import Staff
from postroom.clock import SystemClock
from postroom.config import Config
from postroom.errors import ConfigFault
from postroom.llm.assumed import has_price
from postroom.llm.provider import model_for
from postroom.profiles.team import Problem, Team, check_team, load_team
from postroom.tools.hooks.plugins import find_plugins
from postroom.tools.registry import Registry


def check_folder(folder: Path, config: Config, tools: Sequence[str]) -> tuple[Problem, ...]:
    """The problems of the folder; of its tools only when it is in order otherwise.

    Raises `ConfigFault` when a toolset itself cannot be loaded.
    """
    problems = check_team(folder, under=config.under_team, over=config.over_team)
    if problems:
        return problems
    team = load_team(folder, under=config.under_team, over=config.over_team)
    staff = Staff(config.store, Outfit(tools=tuple(tools), config=config), SystemClock())
    return tuple(_tool_problems(team, staff.registry(team)))


def plugin_troubles(config: Config) -> tuple[str, ...]:
    """What is odd about this machine's plugins and their settings. Raises `ConfigFault` for a broken one."""
    return find_plugins((), config.hooks.plugins, SystemClock()).troubles


def missing_means(folder: Path, config: Config) -> tuple[str, ...]:
    """Keys, extras and prices that the models of a team in order need and this machine does not have."""
    team = load_team(folder, under=config.under_team, over=config.over_team)
    return tuple(line for model in dict.fromkeys(team.models) if (line := _lacks(model, team, config)))


def _lacks(model: str, team: Team, config: Config) -> str:
    try:
        found = model_for(
            model, env=os.environ, clock=SystemClock(), scripts=team.path / "scripts",
            providers=config.providers,
        )  # fmt: skip
    except ConfigFault as fault:
        return f"{fault.message} ({fault.remedy})"
    has_money = team.policy.cost_micros_max is not None and team.assume_price is None
    if has_money and not has_price(found):
        return f"nobody knows what {model} costs, so budget.max_cost_usd refuses it (set budget.assume_price)"
    return ""


def _tool_problems(team: Team, registry: Registry) -> Iterator[Problem]:
    for profile in team.profiles.values():
        for name in profile.tools:
            try:
                registry.select((name,))
            except ConfigFault as fault:
                yield Problem(
                    file=str(profile.source), line=0, key="tools", message=fault.message, remedy=fault.remedy
                )
