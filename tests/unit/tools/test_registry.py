"""Where tools come from, what they are called, and that a name means one thing."""

import itertools
from pathlib import Path

import pytest

from postroom.errors import ConfigFault
from postroom.tools.base import Caller, Tool, Toolset
from postroom.tools.load import ENTRY_POINT_GROUP, installed_toolsets, load_toolset
from postroom.tools.python import tool, tool_from
from postroom.tools.registry import OURS, build_registry

numbers = itertools.count()
CALLER = Caller(session_id="s", branch_id="b", turn_id="t", call_id="c", agent="ada", cwd="/here")

MODULE = '''
from postroom.tools.python import tool_from


def one() -> str:
    """One."""
    return "1"


def two() -> str:
    """Two."""
    return "2"


class Three:
    pass


undocumented = lambda: None
both = [one, tool_from(two)]
mixed = [one, 3]
'''


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A module in the working directory, under a name that no other test has imported."""
    name = f"our_tools_{next(numbers)}"
    (tmp_path / f"{name}.py").write_text(MODULE, encoding="utf-8")
    (tmp_path / f"{name}_broken.py").write_text("1 / 0\n", encoding="utf-8")
    (tmp_path / f"{name}_needy.py").write_text("import not_there_at_all\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return name


def made(name: str) -> Tool:
    @tool(name=name)
    def act() -> str:
        """Act."""
        return name

    return tool_from(act)


def toolset(group: str, *names: str) -> Toolset:
    return Toolset(group=group, origin=f"{group}:x", tools=tuple(made(name) for name in names))


@pytest.mark.parametrize(("attribute", "names"), [("one", ["one"]), ("both", ["one", "two"])])
def test_a_function_or_a_list_of_a_module_is_loaded(module: str, attribute: str, names: list[str]) -> None:
    found = load_toolset(f"{module}:{attribute}")

    assert found.group == module
    assert [entry.spec.name for entry in found.tools] == names


@pytest.mark.parametrize(
    ("reference", "message"),
    [
        ("{module}", "names no tools"),
        (":one", "names no tools"),
        ("not_there:one", "there is no module `not_there`"),
        ("{module}_needy:one", "there is no module `not_there_at_all`"),
        ("{module}_broken:one", "importing `{module}_broken` failed: ZeroDivisionError"),
        ("{module}:four", "`{module}` has no `four`"),
        ("{module}:one.more", "`{module}` has no `more`"),
        ("{module}:Three", "type is no tool"),
        ("{module}:mixed", "int is no tool"),
        ("{module}:undocumented", "cannot be the name of a tool"),
    ],
)
def test_what_cannot_be_loaded_is_explained(module: str, reference: str, message: str) -> None:
    with pytest.raises(ConfigFault) as refused:
        load_toolset(reference.format(module=module))

    assert message.format(module=module) in refused.value.message
    assert refused.value.remedy


def install(folder: Path, module: str, attribute: str) -> None:
    """Lay down what an installer leaves of a package that offers an entry point."""
    info = folder / f"{module}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {module}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[{ENTRY_POINT_GROUP}]\nours = {module}:{attribute}\n")


def test_an_installed_package_offers_its_tools_as_an_entry_point(
    module: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(tmp_path, module, "both")
    monkeypatch.syspath_prepend(tmp_path)

    [found] = [entry for entry in installed_toolsets() if module in entry.origin]

    assert found.group == "ours"
    assert [entry.spec.name for entry in found.tools] == ["one", "two"]


def test_an_installed_package_that_is_broken_is_named(
    module: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(tmp_path, module, "four")
    monkeypatch.syspath_prepend(tmp_path)

    with pytest.raises(ConfigFault, match=f"entry point ours .* of {module} cannot be loaded"):
        installed_toolsets()


def test_a_profile_gets_tools_by_name_and_by_group_each_once() -> None:
    registry = build_registry([toolset("files", "read", "write"), toolset("web", "fetch")])

    assert registry.names == {"files", "web", "read", "write", "fetch"}
    assert list(registry.select(["write", "files"])) == ["write", "read"]
    assert list(registry.select(["web"])) == ["fetch"]
    assert registry.select([]) == {}


def test_an_unknown_name_is_refused_with_the_nearest() -> None:
    registry = build_registry([toolset("files", "read")])

    with pytest.raises(ConfigFault, match=r"no tool or group `raed` \(did you mean read\?\)"):
        registry.select(["raed"])


@pytest.mark.parametrize(
    ("toolsets", "reserved", "message"),
    [
        ([toolset("a", "x"), toolset("b", "x")], (), "`x` is taken twice: by b:x and by a:x"),
        ([toolset("a", "x", "x")], (), "taken twice"),
        ([toolset("a", "send_message")], ("send_message",), "by a:x and by Postroom itself"),
        ([toolset("x", "y", "z"), toolset("b", "x")], (), "`x` is taken twice"),
        ([toolset("send_message", "y")], ("send_message",), "`send_message` is taken twice"),
    ],
)
def test_a_name_that_would_mean_two_things_is_refused(
    toolsets: list[Toolset], reserved: tuple[str, ...], message: str
) -> None:
    with pytest.raises(ConfigFault) as refused:
        build_registry(toolsets, reserved=dict.fromkeys(reserved, OURS))

    assert message in refused.value.message


def test_a_module_with_one_tool_of_its_own_name_is_no_collision() -> None:
    registry = build_registry([toolset("search", "search")])

    assert list(registry.select(["search"])) == ["search"]


def test_two_references_to_one_module_make_one_group() -> None:
    registry = build_registry([toolset("m", "x"), toolset("m", "y")])

    assert list(registry.select(["m"])) == ["x", "y"]


def test_one_tool_may_be_in_several_groups() -> None:
    both = made("both")
    toolsets = [Toolset(group=group, origin="x", tools=(both,)) for group in ("a", "b")]

    registry = build_registry(toolsets)

    assert list(registry.select(["a", "b"])) == ["both"]


def test_a_team_s_own_group_holds_tools_groups_and_patterns() -> None:
    registry = build_registry(
        [toolset("files", "read", "write"), toolset("web", "web__find", "web__fetch")],
        groups={"research": ("read", "web__*"), "all": ("files", "research")},
    )

    assert list(registry.select(["research"])) == ["read", "web__find", "web__fetch"]
    assert list(registry.select(["all"])) == ["read", "write", "web__find", "web__fetch"]
    assert list(registry.select(["w*"])) == ["write", "web__find", "web__fetch"]


@pytest.mark.parametrize(
    ("groups", "names", "message"),
    [
        ({"a": ("b",), "b": ("a",)}, ["a"], "the group `a` holds itself"),
        ({"a": ("a",)}, ["a"], "the group `a` holds itself"),
        ({"a": ("nothing",)}, ["a"], "no tool or group `nothing`"),
        ({}, ["x*"], "no tool is named like `x\\*`"),
        ({}, ["shell"], "`shell` is not allowed here"),
    ],
)
def test_a_group_or_pattern_that_stands_for_nothing_is_refused(
    groups: dict[str, tuple[str, ...]], names: list[str], message: str
) -> None:
    registry = build_registry(
        [toolset("files", "read")], groups=groups, withheld={"shell": "allow it under [shell]"}
    )

    with pytest.raises(ConfigFault, match=message):
        registry.select(names)


@pytest.mark.parametrize("name", ["files", "read"])
def test_a_team_s_group_takes_no_name_that_is_taken(name: str) -> None:
    with pytest.raises(ConfigFault, match=f"`{name}` is taken twice"):
        build_registry([toolset("files", "read")], groups={name: ("read",)})


async def test_a_tool_that_its_server_does_not_offer_now_says_so_when_it_is_called() -> None:
    registry = build_registry([toolset("files", "read")], servers=["web"])

    [missing] = registry.select(["web__find"]).values()
    result = await missing.run(CALLER, {"what": "ever"})

    assert missing.spec.name == "web__find"
    assert result.is_error
    assert "the server `web` does not offer this tool now" in result.text
    assert registry.select(["web__*"]) == {}
    with pytest.raises(ConfigFault):
        registry.select(["other__find"])
