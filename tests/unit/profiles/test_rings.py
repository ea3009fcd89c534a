"""A team in which delegation would go round in a ring, and names that would mean somebody else (KK-49)."""

from pathlib import Path

import pytest

from postroom.app.outfit import Outfit
from postroom.app.staff import Staff
from postroom.clock import SystemClock
from postroom.errors import ConfigFault
from postroom.profiles.team import load_team
from tests.unit.profiles.folder import agent, complaints, team_folder

RING = "agents delegate in a ring: "
ROSTER = 'surface = "roster"\nentry = "a"\n'


def to(*names: str) -> str:
    return f"delegates_to: [{', '.join(names)}]\n"


def staffed(path: Path) -> Staff:
    """The agents of a folder, put together as a room does it."""
    staff = Staff(path / "store", Outfit(env={"OPENAI_API_KEY": "k"}), SystemClock())
    staff.prepare(load_team(path))
    return staff


@pytest.mark.parametrize(
    ("agents", "ring"),
    [
        ({"a": to("a")}, f"agents/a.md:5: delegates_to: {RING}`a` -> `a`;"),
        ({"a": to("b"), "b": to("a")}, f"agents/a.md:5: delegates_to: {RING}`a` -> `b` -> `a`;"),
        (
            {"a": to("b"), "b": to("c"), "c": to("d"), "d": to("b")},
            f"agents/b.md:5: delegates_to: {RING}`b` -> `c` -> `d` -> `b`;",
        ),
    ],
)  # fmt: skip
def test_a_team_that_delegates_in_a_ring_is_refused_with_its_place(
    tmp_path: Path, agents: dict[str, str], ring: str
) -> None:
    """Systems.md 2.11: acyclic; the ring is named with file and line, once."""
    folder = team_folder(
        tmp_path, settings=ROSTER, **{name: agent(name, more) for name, more in agents.items()}
    )

    [complaint] = complaints(folder)
    assert complaint.startswith(ring)
    with pytest.raises(ConfigFault, match="delegate in a ring"):
        load_team(folder)


def test_two_ways_to_one_agent_are_no_ring(tmp_path: Path) -> None:
    folder = team_folder(
        tmp_path, settings=ROSTER, a=agent("a", to("b", "c")), b=agent("b", to("c")), c=agent("c")
    )

    assert complaints(folder) == []


def test_where_agents_do_not_wait_a_ring_is_allowed(tmp_path: Path) -> None:
    """A field of the policy says it, and no surface by its name."""
    folder = team_folder(tmp_path, a=agent("a", to("b")), b=agent("b", to("a")))

    assert complaints(folder) == []


@pytest.mark.parametrize(
    "name", ["user", "everyone", "User", "EVERYONE", "subagent-user", "subagent-Everyone"]
)
def test_nobody_may_be_called_like_the_person_or_like_all(tmp_path: Path, name: str) -> None:
    """KK-49, KK-1: the sender `user` and the selector `everyone` are reserved, however they are written, and
    as what is left of a name on a bus.
    """
    folder = team_folder(tmp_path, settings=ROSTER, b=agent(name))

    assert [found for found in complaints(folder) if f"`{name}` is a reserved word" in found]
    with pytest.raises(ConfigFault, match="reserved word"):
        load_team(folder)


def test_the_group_messaging_is_known_where_the_surface_has_it(tmp_path: Path) -> None:
    """KK-50, systems.md 2.11: nothing is implicit."""
    folder = team_folder(tmp_path, settings=ROSTER, a=agent("a", "tools: [messaging]\n"))

    agents = staffed(folder).teams()[0].profiles
    assert agents["a"].tools == ("messaging",)


@pytest.mark.parametrize("surface", ["tree", "branch", "team", "peer"])
def test_the_group_messaging_is_unknown_where_mail_tools_follow_from_rules(
    tmp_path: Path, surface: str
) -> None:
    folder = team_folder(
        tmp_path, settings=f'surface = "{surface}"\nentry = "a"\n', a=agent("a", "tools: [messaging]\n")
    )

    with pytest.raises(ConfigFault, match="`messaging` is not allowed here"):
        staffed(folder)


def test_a_group_of_the_teams_own_may_hold_messaging_but_not_be_called_so(tmp_path: Path) -> None:
    talk = '[groups]\ntalk = ["messaging"]\n'
    folder = team_folder(tmp_path, settings=f"{ROSTER}{talk}", a=agent("a", "tools: [talk]\n"))
    staffed(folder)

    team_folder(tmp_path, settings=f'{ROSTER}[groups]\nmessaging = ["ls"]\n')
    with pytest.raises(ConfigFault, match="`messaging` is taken twice"):
        staffed(folder)


@pytest.mark.parametrize("name", ["send_message", "list_agents", "ask_user", "messaging", "send message"])
def test_an_agent_whose_tool_would_have_the_name_of_another_is_refused(tmp_path: Path, name: str) -> None:
    """The tool that makes an agent is called like the agent."""
    folder = team_folder(
        tmp_path, settings=ROSTER, a=agent("a", f'delegates_to: ["{name}"]\n'), b=agent(name)
    )

    with pytest.raises(ConfigFault, match=r"b\.md: name: the tool `\w+`, which makes `[\w ]+`, has the name"):
        staffed(folder)


def test_two_agents_whose_tools_would_have_one_name_are_refused(tmp_path: Path) -> None:
    both = agent("a", 'delegates_to: ["x y", x_y]\n')
    folder = team_folder(tmp_path, settings=ROSTER, a=both, b=agent("x y"), c=agent("x_y"))

    with pytest.raises(ConfigFault, match="that of the agent `x y`"):
        staffed(folder)
