"""CK-31, CK-3, CK-1: agents steer with mail and by a rule only; the person steers with text, as ever."""

import pytest

from postroom.llm.port import ResultItem, UserItem
from postroom.profiles.team import load_team
from postroom.surfaces.tree import TREE
from postroom.testing.script import Gate, call
from postroom.testing.world import World, texts
from tests.acceptance.family import accepted, code, delegate, family, send
from tests.house.tree import ROOT, text, text_files
from tests.unit.profiles.folder import agent, team_folder

REMOVED = "steer_" + "subagent"


def test_no_tool_and_no_text_offers_the_removed_tool() -> None:
    """CK-31: neither in the package nor in its documents, examples, scenarios and other tests."""
    offered = {tool.spec.name for tool in TREE.tools}
    said = "".join(tool.spec.description + str(tool.spec.parameters) for tool in TREE.tools)

    assert not [name for name in offered if "steer" in name]
    assert REMOVED not in said
    assert [str(path.relative_to(ROOT)) for path in text_files() if REMOVED in text(path)] == []


async def test_a_call_of_the_removed_tool_is_one_of_a_tool_that_nobody_has(world: World) -> None:
    """CK-31: it steers nobody, and the child reads nothing of it."""
    root, b = await family(world, "b")
    before = len(world.events("message.accepted"))

    (result,) = await root.does(call(REMOVED, session_id=world.handle("b"), message="go left"))

    assert result.is_error
    assert result.text.startswith(f"unknown tool {REMOVED}")
    assert len(world.events("message.accepted")) == before
    assert b.is_asked
    await world.check()


@pytest.mark.parametrize("mode", ["steer", "queue"])
async def test_the_person_steers_an_agent_that_may_not_be_written_to(world: World, mode: str) -> None:
    """CK-31: text of the person needs no rule, joins at the next boundary and is in no envelope."""
    gate = Gate()
    world.slow_tool("dig", gate)
    root = world.puppet("r", delegates_to=("b",))
    b = world.puppet("b", tools=("dig",))
    await world.prompt("r", "begin")
    await root.does(delegate("b"))
    await b.starts(call("dig"))
    await gate.reached.wait()

    receipt = await world.room.send(world.view("b").session_id, "mind the pipe", mode=mode)
    gate.open()
    second = await world.request("b", 2)
    b.rests()
    await world.turn_end("b", 1 if mode == "steer" else 2)
    later = [texts(request)[-1] for request in world.requests("b")[2:]]

    assert (receipt.mode, receipt.recipient_state) == (mode, "running")
    assert isinstance(second.items[2], ResultItem)
    assert second.items[3:] == ((UserItem(text="mind the pipe"),) if mode == "steer" else ())
    assert later == ([] if mode == "steer" else ["mind the pipe"])
    await world.check()


@pytest.mark.parametrize(
    ("front", "sees"),
    [
        ("", False),
        ("delegates_to: [b]\n", False),
        ("permissions:\n  delegate:\n    b: allow\n", False),
        ("permissions:\n  message: deny\n", False),
        ("permissions:\n  message:\n    '*': deny\n    child: deny\n", False),
        ("permissions:\n  message: { child: allow }\n", True),
        ("permissions:\n  message: { sibling: ask, '*': deny }\n", True),
        ("permissions:\n  message: allow\n", True),
    ],
)
async def test_only_a_rule_that_allows_or_asks_shows_the_tool(
    world: World, front: str, *, sees: bool
) -> None:
    """CK-3, CK-31: denied by default, also for those who may delegate; there is no exemption for anybody."""
    team = load_team(team_folder(world.folder / "written", a=agent("a", front)))
    rules = [rule for rule in team.profiles["a"].permissions if rule.action == "message"]
    root = world.puppet("r", rules=rules)
    await world.prompt("r", "begin")

    shown = "send_message" in {tool.name for tool in (await root.asked()).tools}

    assert shown is sees
    await world.check()


async def test_an_agent_that_delegates_steers_its_child_once_a_rule_lets_it(world: World) -> None:
    """CK-31, CK-1: a right to delegate gives none to write; a rule on `child` does."""
    root = world.puppet("r", may_message=("parent",), delegates_to=("b",))
    free = world.puppet("f", may_message=("child",), delegates_to=("b",))
    world.puppet("b")
    await world.prompt("r", "begin")
    await world.prompt("f", "begin")
    await root.does(delegate("b"))
    await free.does(delegate("b"))

    (denied,) = await root.does(send(world.handle("b", 1), "left"))
    (allowed,) = await free.does(send(world.handle("b", 2), "left"))

    assert code(denied) == "permission_denied"
    accepted(allowed)
    await world.check()
