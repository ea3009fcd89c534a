"""CK-7, CK-26, CK-40 and the tool itself: what children get, and who counts as one."""

from collections.abc import Mapping

import pytest

from postroom.domain.plain import Json
from postroom.domain.policy import Policy
from postroom.errors import ModelFault
from postroom.testing.script import Gate, call
from postroom.testing.world import World, texts, times
from tests.acceptance.family import EVERYBODY, Worlds, accepted, delegate, family, send


async def test_a_send_beside_a_slow_tool_is_accepted_before_that_ends(world: World) -> None:
    """systems.md 3.2: the tool runs beside others, and its message is durable while they still work."""
    gate = Gate()
    world.slow_tool("slow", gate)
    root = world.puppet("r", may_message=("child",), delegates_to=("b",), tools=("slow",))
    b = world.puppet("b")
    await world.prompt("r", "begin")
    await root.does(delegate("b"))
    await b.says("idle")
    await world.turn_end("b")

    await root.starts(call("slow"), send(world.handle("b"), "meanwhile"))
    request = await world.request("b", 2)
    waits = not root.is_asked
    gate.open()

    assert waits
    assert "meanwhile" in texts(request)[-1]
    await world.check()


async def test_queued_mail_opens_a_turn_of_an_idle_recipient_at_once(world: World) -> None:
    """CK-26, CK-7: where nothing runs there is nothing to stay out of."""
    root, b = await family(world, "b")
    await b.says("idle")
    await world.turn_end("b")

    (receipt,) = await root.does(send(world.handle("b"), "for later", "queue"))
    request = await world.request("b", 2)

    assert (accepted(receipt).mode, accepted(receipt).recipient_state) == ("queue", "waking_finished")
    assert "for later" in texts(request)[-1]
    await world.check()


@pytest.mark.parametrize("how", ["succeeded", "failed", "cancelled"])
async def test_whatever_became_of_its_task_mail_wakes_a_child_and_changes_nothing_of_it(
    world: World, how: str
) -> None:
    """CK-7: one end, one notice, one outcome; the woken turn belongs to no task and reports nothing."""
    root, b = await family(world, "b")
    match how:
        case "succeeded":
            await b.says("the result")
        case "failed":
            await b.fails(ModelFault("broken"))
        case _:
            await world.room.cancel(world.view("b").session_id)
    ended = await world.event("task.ended")
    (before,) = await root.does(call("get_subagent_result", session_id=world.handle("b")))

    await root.does(send(world.handle("b"), "one more thing"))
    await b.says("a second answer")
    await world.turn_end("b", 2)
    for _ in range(2):
        await root.does(call("nothing"))

    assert ended.facts["outcome"] == how
    assert [e.facts["outcome"] for e in world.events("task.ended")] == [how]
    assert before.is_error is (how != "succeeded")
    assert times("<subagent_notification", [await root.asked()]) <= 1
    assert times("a second answer", world.requests("r")) == 0
    assert len([e for e in world.events("message.accepted", agent="r") if e.facts["kind"] == "result"]) == 1
    await world.check()


@pytest.mark.parametrize("who", ["parent", "self", "sibling", "grandchild", "cousin", "prefix", "name"])
@pytest.mark.parametrize("by", ["handle", "id"])
async def test_only_a_direct_child_is_asked_for_cancelled_or_given_a_task(
    world: World, who: str, by: str
) -> None:
    """CK-40: nobody else's, by whatever address, and no matter what one may write to them."""
    root = world.puppet("r", may_message=EVERYBODY, delegates_to=("a", "s"))
    a = world.puppet("a", may_message=EVERYBODY, delegates_to=("k", "a"))
    s = world.puppet("s", delegates_to=("c",))
    k, _ = world.puppet("k", delegates_to=("g",)), world.puppet("c")
    world.puppet("g")
    await world.prompt("r", "begin")
    await root.does(delegate("a"), delegate("s"))
    await a.does(delegate("k"))
    await s.does(delegate("c"))
    await k.does(delegate("g"))
    profile = {"parent": "r", "self": "a", "sibling": "s", "grandchild": "g", "cousin": "c"}.get(who, "k")
    address = world.handle(profile) if by == "handle" else world.view(profile).session_id
    address = {"prefix": address[:-1], "name": profile}.get(who, address)
    before = len(world.events("message.accepted"))

    results = await a.does(
        call("get_subagent_result", session_id=address),
        call("get_subagent_result", session_id=address, wait=True),
        call("cancel_subagent", session_id=address),
        call(
            "delegate_subagent", description="x", prompt="x", agent_type="a", background=True,
            resume_session_id=address,
        ),
    )  # fmt: skip

    assert ["not_your_child" in r.text for r in results] == [True] * 4
    assert len(world.events("message.accepted")) == before
    assert not world.events("task.ended")
    await world.check()


@pytest.mark.parametrize(
    ("tool", "given"),
    [
        ("delegate_subagent", {"description": "x", "prompt": "x", "agent_type": "b", "foreground": False}),
        ("delegate_subagent", {"prompt": "x", "agent_type": "b"}),
        ("delegate_subagent", {"description": "x", "prompt": "x"}),
        ("delegate_subagent", {"description": "x", "prompt": "x", "agent_type": "b", "background": "yes"}),
        ("delegate_subagent", {"description": "x", "prompt": ["x"], "agent_type": "b"}),
        ("get_subagent_result", {}),
        ("get_subagent_result", {"session_id": "b", "timeout": 3}),
        ("get_subagent_result", {"session_id": "b", "offset": "0"}),
        ("get_subagent_result", {"session_id": "b", "offset": -1}),
        ("get_subagent_result", {"session_id": "b", "limit": 0}),
        ("get_subagent_result", {"session_id": "b", "limit": 1.5}),
        ("cancel_subagent", {"handle": "b"}),
        ("cancel_subagent", {"session_id": "b", "reason": 7}),
    ],
)
async def test_the_tools_of_delegation_are_as_strict(
    world: World, tool: str, given: Mapping[str, Json]
) -> None:
    """CK-40, CK-21: nothing is guessed, and a refused one makes and ends nothing."""
    root, _ = await family(world, "b")
    before = len(world.events("session.created"))

    (refused,) = await root.does(call(tool, **given))

    assert refused.text.startswith(f"{tool}:invalid_arguments:")
    assert len(world.events("session.created")) == before
    assert not world.events("task.ended")
    await world.check()


async def test_a_background_child_reports_the_same_as_one_that_was_waited_for(world: World) -> None:
    """CK-40, systems.md 3.8: twenty lines of the answer, how many there are, and where the rest is."""
    root = world.puppet("r", delegates_to=("b",))
    b = world.puppet("b")
    await world.prompt("r", "begin")
    answer = "\n".join(f"line {n}" for n in range(1, 31))
    await root.starts(delegate("b", background=False))
    await b.says(answer)
    waited = texts(await root.asked())[-1]
    await root.does(delegate("b"))
    await b.says(answer)
    await world.turn_end("b", 2)
    await root.does(call("nothing"))
    noticed = texts(await root.asked())[-1]

    first, second = world.handle("b", 1), world.handle("b", 2)
    for text, handle in ((waited, first), (noticed, second)):
        assert "line 20\n" in text
        assert "line 21" not in text
        assert "30 lines" in text
        assert f'get_subagent_result(session_id="{handle}"' in text
    assert noticed.startswith("<subagent_notification")
    assert noticed.replace(second, first).count(waited.strip()) == 1
    await world.check()


async def test_turns_get_the_slots_of_their_tree_in_the_order_in_which_they_came(worlds: Worlds) -> None:
    """CK-40, systems.md 3.8: first come, first served, whether a task or mail has opened the turn."""
    names = ("a", "b", "c", "d")
    world = worlds(policy=Policy(surface="tree", concurrency=1, pair_window=None))
    root = world.puppet("r", may_message=EVERYBODY, delegates_to=names)
    for name in names:
        world.puppet(name).rests()
    await world.prompt("r", "begin")
    await root.does(*(delegate(name) for name in names))
    await root.says("over to you")
    await world.turn_end("d")
    await root.does(*(send(world.handle(name), "again") for name in reversed(names)))
    root.rests()
    await world.quiesce()

    branches = {str(e.facts["branch"]): e.facts["profile"] for e in world.events("session.created")}
    started = [branches[str(e.facts["branch"])] for e in world.events("turn.started")]
    assert [name for name in started if name != "r"] == [*names, *reversed(names)]
    await world.check()


async def test_an_agent_that_may_delegate_to_nobody_has_none_of_the_tools(world: World) -> None:
    """CK-40, CK-3: they are not shown, and a call of one is refused for want of a right, whatever it says."""
    _, b = await family(world, "b")
    tools = ("delegate_subagent", "get_subagent_result", "cancel_subagent")
    request = await b.asked()

    results = await b.does(delegate("b"), *(call(tool, session_id="x") for tool in tools[1:]), call(tools[0]))

    assert not {tool.name for tool in request.tools} & set(tools)
    assert [r.text.partition(":")[2].partition(":")[0] for r in results] == ["permission_denied"] * 4
    assert len(world.views()) == 2
    await world.check()
