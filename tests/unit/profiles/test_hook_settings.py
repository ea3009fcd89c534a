"""`[hooks.NAME]` and `[plugins.NAME]`: what is read, and that every slip is named by its place."""

from pathlib import Path

import pytest

from postroom.config import read_config
from postroom.errors import ConfigFault
from postroom.profiles.hook_settings import HookSettings, Moment, OnFailure, PluginSettings
from postroom.profiles.team import load_team
from tests.unit.profiles.folder import complaints, team_folder, write

ENTRY = 'entry = "a"\n'
GUARD = '[hooks.guard]\ncommand = "./guard.sh"\non = ["tool_before_call"]\n'


def test_a_team_without_hooks_has_none(tmp_path: Path) -> None:
    assert load_team(team_folder(tmp_path)).tooling.hooks == ()


def test_hooks_are_read_in_the_order_of_the_file(tmp_path: Path) -> None:
    settings = f"""{ENTRY}{GUARD}
[hooks.audit]
command = "cat >> audit"
on = ["event", "tool_before_call"]
events = ["message.*"]
tools = ["shell"]
timeout_s = 5
on_failure = "deny"
env = ["PLACE"]
"""

    guard, audit = load_team(team_folder(tmp_path, settings=settings)).tooling.hooks

    assert guard == HookSettings(
        name="guard", command="./guard.sh", on=(Moment.BEFORE_CALL,), timeout_s=60.0, folder=tmp_path
    )
    assert audit == HookSettings(
        name="audit", command="cat >> audit", on=(Moment.EVENT, Moment.BEFORE_CALL), events=("message.*",),
        tools=("shell",), timeout_s=5.0, on_failure=OnFailure.DENY, env=("PLACE",), folder=tmp_path,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("settings", "complaint"),
    [
        ('[hooks.guard]\non = ["event"]\n', "`command` is missing"),
        ('[hooks.guard]\ncommand = "x"\n', "`on` is missing"),
        (
            '[hooks.guard]\ncommand = "x"\non = ["events"]\n',
            "`events` is neither a moment nor an event of the bus",
        ),
        ('[hooks.guard]\ncommand = "x"\non = "event"\n', "must be a list of names"),
        (f'{GUARD}on_failure = "perhaps"\n', "`perhaps` is neither allow nor deny"),
        (f"{GUARD}timeout_s = 0\n", "0 is out of range"),
        (f"{GUARD}timeout = 3\n", "unknown [hooks.guard] key `timeout`"),
        ('[hooks."a b"]\ncommand = "x"\non = ["event"]\n', "`a b` is no name"),
        ('[hooks.person]\ncommand = "x"\non = ["event"]\n', "`person` is no name"),
        ("hooks = 3\n", "must be a table"),
        ("[plugins.watch]\nenabled = false\n", "unknown key `plugins`"),
    ],
)
def test_a_slip_is_named_by_its_place(tmp_path: Path, settings: str, complaint: str) -> None:
    found = complaints(team_folder(tmp_path, settings=ENTRY + settings))

    assert any(complaint in one for one in found), found
    assert all(one.startswith("postroom.toml:") for one in found)


def test_a_person_has_hooks_and_settings_of_plugins_of_their_own(tmp_path: Path) -> None:
    file = write(
        tmp_path / "config.toml",
        f"{GUARD}\n[plugins.watch]\nenabled = false\n[plugins.bell]\ntimeout_s = 9\n",
    )

    hooks = read_config(environ={}, person_file=file).hooks

    assert [(hook.name, hook.folder) for hook in hooks.hooks] == [("guard", tmp_path)]
    assert hooks.plugins == {
        "watch": PluginSettings(enabled=False), "bell": PluginSettings(timeout_s=9.0),
    }  # fmt: skip


def test_a_person_s_hooks_are_not_those_of_a_team(tmp_path: Path) -> None:
    """They are asked all the same, by the room; a team folder cannot cover them."""
    file = write(tmp_path / "config.toml", GUARD)
    config = read_config(environ={}, person_file=file)

    team = load_team(team_folder(tmp_path / "team"), under=config.under_team, over=config.over_team)

    assert team.tooling.hooks == ()
    assert len(config.hooks.hooks) == 1


def test_a_wrong_hook_of_the_person_is_named(tmp_path: Path) -> None:
    file = write(tmp_path / "config.toml", '[plugins.watch]\non_failure = "no"\n')

    with pytest.raises(
        ConfigFault, match=r"config\.toml:2: plugins?\S*: `no` is neither allow nor deny|on_failure"
    ):
        read_config(environ={}, person_file=file)
