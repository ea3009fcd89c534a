"""Plugins in Python: how they are found, named, ordered and treated."""

import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
from pluggy import HookimplMarker

from postroom.errors import ConfigFault
from postroom.profiles.hook_settings import OnFailure, PluginSettings
from postroom.testing.clock import FakeClock
from postroom.tools.hooks.plugins import Plugins, find_plugins
from tests.unit.tools.hook_rig import ask, gate

hookimpl = HookimplMarker("postroom")


def found(*given: object, **settings: PluginSettings) -> Plugins:
    return find_plugins(given, settings, FakeClock())


class Denies:
    """Denies with its own name."""

    def __init__(self, name: str, **more: object) -> None:
        self.name = name
        self.__dict__.update(more)

    @hookimpl
    def postroom_before_call(self) -> str:
        return self.name


class First(Denies):
    """Wants to be asked first."""

    @hookimpl(tryfirst=True)
    def postroom_before_call(self) -> str:
        return self.name


def test_a_room_without_plugins_loads_no_pluggy() -> None:
    """The command line starts without it."""
    look = "import sys, postroom.frontends.cli, postroom.app; sys.exit('pluggy' in sys.modules)"

    assert subprocess.run([sys.executable, "-c", look], check=False).returncode == 0
    assert found() == Plugins()


async def test_plugins_are_asked_in_the_order_in_which_they_stand() -> None:
    assert (await ask(*found(Denies("a"), Denies("b")).hooks)).denied_by == ("a", "b")
    assert (await ask(*found(Denies("b"), Denies("a")).hooks)).denied_by == ("b", "a")
    assert (await ask(*found(Denies("a"), First("b")).hooks)).denied_by == ("b", "a")


def test_a_plugin_has_two_seconds_and_fails_open_unless_it_says_otherwise() -> None:
    settings = {"c": PluginSettings(timeout_s=9.0, on_failure=OnFailure.ALLOW)}
    plain, own, said = found(
        Denies("a"), Denies("b", timeout_s=5, on_failure="deny"), Denies("c", on_failure="deny"), **settings
    ).hooks

    assert (plain.timeout_s, plain.on_failure) == (2.0, OnFailure.ALLOW)
    assert (own.timeout_s, own.on_failure) == (5, OnFailure.DENY)
    assert (said.timeout_s, said.on_failure) == (9.0, OnFailure.ALLOW)


class Nothing:
    """No hook at all."""


class Unknown:
    """A hook that there is not."""

    @hookimpl
    def postroom_after_call(self) -> None: ...


class Misspelt:
    """A hook with a slip in its name."""

    @hookimpl
    def postroom_befor_call(self) -> None: ...


class HalfMarked:
    """Would look on at calls, but nobody asks it."""

    name = "half"

    @hookimpl
    def postroom_event(self) -> None: ...

    def postroom_before_call(self) -> None: ...


class Wraps:
    """Wants to stand around others."""

    name = "wraps"

    @hookimpl(wrapper=True)
    def postroom_before_call(self) -> Iterator[None]:
        return (yield)


class TooMany:
    """Wants what it is not given."""

    @hookimpl
    def postroom_before_call(self, call: object, more: object) -> None: ...


@pytest.mark.parametrize(
    "given",
    [
        [Nothing()], [Unknown()], [Wraps()], [TooMany()], [Denies("a"), Denies("a")], [Denies("no name")],
        [Denies("person")], [Denies("a", timeout_s=0)], [Denies("a", timeout_s="2")],
        [Denies("a", on_failure="perhaps")], [7], [None],
    ],
)  # fmt: skip
def test_what_is_no_plugin_is_a_fault_of_the_settings(given: Iterable[object]) -> None:
    with pytest.raises(ConfigFault):
        found(*given)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ([Unknown()], "the plugin Unknown has postroom_after_call, which is no hook"),
        ([Denies("a"), Denies("a")], "two plugins have the name a"),
    ],
)
def test_a_plugin_that_cannot_be_used_is_told_by_its_name(given: Iterable[object], told: str) -> None:
    """A person finds a name in their files, but no place in memory."""
    with pytest.raises(ConfigFault) as raised:
        found(*given)

    assert raised.value.message == told
    assert " at 0x" not in f"{raised.value.message} {raised.value.remedy}"


def test_a_misspelt_hook_is_told_with_what_may_be_meant() -> None:
    with pytest.raises(ConfigFault) as raised:
        found(Misspelt())

    assert raised.value.remedy == "did you mean postroom_before_call?"


def test_settings_of_a_plugin_that_is_not_there_are_a_trouble() -> None:
    """A name with a slip in it would switch a guard off that should fail closed."""
    deny = PluginSettings(on_failure=OnFailure.DENY)

    assert found(Denies("guard"), guard=deny).troubles == ()
    (trouble,) = found(Denies("guard"), gaurd=deny).troubles
    assert trouble.startswith("[plugins.gaurd] of your config.toml has no effect: no plugin here has")
    assert trouble.endswith("(did you mean guard?)")
    (alone,) = found(gaurd=deny).troubles
    assert "[plugins.gaurd]" in alone


def test_a_hook_without_the_mark_is_a_trouble() -> None:
    assert found(HalfMarked()).troubles == (
        "the plugin half has postroom_before_call without the mark `hookimpl`: it is never called",
    )


PACKAGE = """
from pluggy import HookimplMarker
hookimpl = HookimplMarker("postroom")

class Plugin:
    @hookimpl
    async def postroom_before_call(self, call):
        return "installed"
"""


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A package with an entry point, as an installer leaves it."""
    (tmp_path / "some_plugin.py").write_text(PACKAGE, encoding="utf-8")
    info = tmp_path / "some_plugin-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: some-plugin\nVersion: 1.0\n", encoding="utf-8"
    )
    (info / "entry_points.txt").write_text(
        "[postroom.plugins]\nsome = some_plugin:Plugin\n", encoding="utf-8"
    )
    monkeypatch.syspath_prepend(tmp_path)


@pytest.mark.usefixtures("installed")
async def test_an_installed_plugin_is_found_by_its_entry_point() -> None:
    verdict = await ask(*found().hooks)

    assert (verdict.hook, verdict.reason) == ("some", "installed")
    assert (await ask(*found(Denies("given")).hooks)).denied_by == ("given", "some")


@pytest.mark.usefixtures("installed")
def test_an_installed_plugin_can_be_turned_off() -> None:
    turned_off = found(some=PluginSettings(enabled=False))

    assert gate(*turned_off.hooks).is_idle
    assert turned_off.troubles == ()


def test_a_plugin_that_cannot_be_imported_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    info = tmp_path / "bad_plugin-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: bad-plugin\nVersion: 1.0\n", encoding="utf-8"
    )
    (info / "entry_points.txt").write_text("[postroom.plugins]\nbad = no_such_module\n", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)

    with pytest.raises(ConfigFault, match=r"the plugin bad \(no_such_module\) cannot be loaded") as raised:
        found()
    assert "under [plugins.bad] of your own config.toml" in raised.value.remedy
