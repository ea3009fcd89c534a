"""`delegate_subagent` whole: new children with and without context, and tasks for children that exist."""

import re
from dataclasses import replace

import pytest

from postroom.domain.plain import Json
from postroom.domain.policy import Policy
from postroom.domain.receipt import Refusal
from postroom.errors import ModelFault
from postroom.llm.port import ModelSettings, ResultItem
from postroom.rules.markers import restore
from postroom.rules.permissions import Effect, Rule
from postroom.service.delegate import Order, Spawned
from postroom.store.tx import Tx
from postroom.testing.puppet import Puppet
from postroom.testing.script import ScriptedAnswer, call
from postroom.testing.world import World, texts
from tests.acceptance.family import Worlds, delegate, family, send

COPIED = re.compile(r'<copied_text by="([^"]*)">\n(.*?)\n</copied_text>', re.DOTALL)


def resume(
    session: str, prompt: str = "more", *, profile: str = "b", background: bool = True
) -> ScriptedAnswer:
    """A call that gives an earlier child a new task."""
    return call(
        "delegate_subagent", description="again", prompt=prompt, agent_type=profile, background=background,
        resume_session_id=session,
    )  # fmt: skip


def heir(prompt: str = "work", profile: str = "b") -> ScriptedAnswer:
    """A call that makes a child which inherits the conversation."""
    return call(
        "delegate_subagent", description="heir", prompt=prompt, agent_type=profile, background=True,
        inherit_context=True,
    )  # fmt: skip


def code_of(result: ResultItem) -> str:
    """The code of a refused delegation."""
    assert result.is_error, result.text
    return result.text.removeprefix("delegate_subagent:").partition(":")[0]


async def ended_child(world: World) -> tuple[Puppet, Puppet]:
    """A root at work, and its child `b` that has ended its first task with `first`."""
    root, b = await family(world, "b")
    await b.says("first")
    await world.turn_end("b")
    await root.does(call("get_subagent_result", session_id=world.handle("b")))
    return root, b


@pytest.mark.parametrize("by", ["handle", "session id"])
async def test_an_ended_child_gets_a_new_task_in_a_turn_of_its_own(world: World, by: str) -> None:
    """systems.md 3.8: its conversation goes on, and the new result reaches the parent by itself."""
    root, b = await ended_child(world)
    child = world.handle("b") if by == "handle" else world.view("b").session_id

    (started,) = await root.does(resume(child, "second task"))
    request = await b.asked()
    await b.says("second")
    end = await world.event("task.ended", 2)
    await root.says("waiting")
    notified = await root.asked()

    assert not started.is_error
    assert texts(request)[-1] == "second task"
    assert "first" in texts(request)
    assert end.facts["outcome"] == "succeeded"
    assert len([v for v in world.views() if v.profile == "b"]) == 1
    assert "second" in texts(notified)[-1]
    await world.check()


async def test_a_resumed_child_can_be_waited_for(world: World) -> None:
    root, b = await ended_child(world)

    await root.starts(resume(world.handle("b"), "second task", background=False))
    await b.asked()
    await b.says("second")
    request = await root.asked()

    assert "second" in texts(request)[-1]
    await world.check()


async def test_a_child_that_works_gets_no_second_task(world: World) -> None:
    """`child_running`: its task is open, or later mail has opened a turn."""
    root, b = await family(world, "b")
    (with_task,) = await root.does(resume(world.handle("b")))
    await b.says("first")
    await world.turn_end("b")
    await root.does(send(world.handle("b"), "a word"))
    await b.asked()

    (woken,) = await root.does(resume(world.handle("b")))

    assert code_of(with_task) == code_of(woken) == "child_running"
    assert [e.facts["code"] for e in world.events("delegation.refused")] == ["child_running"] * 2
    assert len(world.events("task.queued")) == 1
    await world.check()


async def test_a_child_that_the_person_stopped_gets_no_task(world: World) -> None:
    """`target_stopped` (G11)."""
    root, _ = await ended_child(world)
    await world.room.stop(world.view("b").session_id)

    (refused,) = await root.does(resume(world.handle("b")))

    assert code_of(refused) == "target_stopped"
    await world.check()


async def test_only_an_own_direct_child_can_be_given_a_task(world: World) -> None:
    """CK-40"""
    root, b = await ended_child(world)
    me, prefix = world.view("r").session_id, world.handle("b")[:-1]

    answers = await root.does(resume("nobody_00000000"), resume(me), resume(prefix))

    assert [code_of(each) for each in answers] == ["not_your_child"] * 3
    assert not b.is_asked
    await world.check()


async def test_the_named_profile_must_be_that_of_the_child(world: World) -> None:
    """The right to delegate is one to a profile, so nobody may name another one."""
    root, a, b = await family(world, "a", "b")
    await b.says("first")
    await world.turn_end("b")

    (refused,) = await root.does(resume(world.handle("b"), profile="a"))

    assert code_of(refused) == "invalid_arguments"
    assert "b" in refused.text
    assert len(world.events("task.queued")) == 2
    a.rests()
    await world.check()


@pytest.mark.parametrize(
    "extra", [{"resume_session_id": "b_00000000", "inherit_context": True}, {"resume_session_id": ""}]
)
async def test_options_that_exclude_each_other_are_refused(world: World, extra: dict[str, Json]) -> None:
    """CK-40"""
    root, _ = await family(world, "b")

    (refused,) = await root.does(
        call("delegate_subagent", description="x", prompt="x", agent_type="b", background=True, **extra)
    )

    assert code_of(refused) == "invalid_arguments"
    await world.check()


async def test_a_resume_adds_no_depth(worlds: Worlds) -> None:
    """Depth counts agents below each other, not their tasks."""
    world = worlds(policy=Policy(surface="tree", depth_max=1))
    root, b = await ended_child(world)

    (started,) = await root.does(resume(world.handle("b")))

    assert not started.is_error
    await b.asked()
    await world.check()


async def test_a_child_inherits_texts_as_an_agents_and_in_front_of_its_task(world: World) -> None:
    """G10: what the person said to the parent is no word of the person to the child."""
    root = world.puppet("r", delegates_to=("b",))
    b = world.puppet("b")
    await world.prompt("r", "begin with <agent_message> care")
    await root.says("I shall")
    await world.turn_end("r")
    await world.prompt("r", "now go")
    await root.does(heir("the task"))
    request = await b.asked()
    inherited, task = texts(request)

    assert inherited.startswith(f'<inherited_context from="{world.view("r").session_id}">\n')
    assert inherited.endswith("</inherited_context>")
    assert [(by, restore(text)) for by, text in COPIED.findall(inherited)] == [
        ("user", "begin with <agent_message> care"),
        (world.view("r").session_id, "I shall"),
        ("user", "now go"),
    ]
    assert task == "the task"
    history = await world.room.history(world.view("b").session_id)
    assert {item.provenance for item in history} == {"agent"}
    await world.check()


async def test_what_is_inherited_is_the_newest_64_kib(worlds: Worlds) -> None:
    """systems.md 3.8: bytes, cut at a character, and it says that there was more."""
    world = worlds(policy=Policy(surface="tree", body_bytes_max=200_000))
    root = world.puppet("r", delegates_to=("b",))
    b = world.puppet("b")
    await world.prompt("r", "€" * 40_000)
    await root.says("the last word")
    await world.turn_end("r")
    await world.prompt("r", "go")
    await root.does(heir())
    (inherited, _) = texts(await b.asked())
    copied = [text for _, text in COPIED.findall(inherited)]

    assert copied[1:] == ["the last word", "go"]
    assert set(copied[0]) == {"€"}
    assert 64 * 1024 - 3 < len("".join(copied).encode()) <= 64 * 1024
    assert "(older text is left out)" in inherited
    await world.check()


async def test_the_prompt_of_an_heir_is_stored_as_it_was_sent(world: World) -> None:
    """product.md section 6: stored text is untouched."""
    root, b = world.puppet("r", delegates_to=("b",)), world.puppet("b")
    await world.prompt("r", "begin")
    await root.does(heir("[notice] do it"))
    await b.asked()

    queued = await world.event("task.queued")
    (stored,) = world.room.store.look(Tx.deliveries_of_message, int(str(queued.facts["task"])))

    assert stored.body == "[notice] do it"
    await world.check()


async def test_a_child_with_a_small_window_inherits_what_fits(worlds: Worlds) -> None:
    """A quarter of its window at most, so that its task always fits."""
    world = worlds(policy=Policy(surface="tree", body_bytes_max=200_000))
    root = world.puppet("r", delegates_to=("b",))
    b = world.puppet("b", settings=ModelSettings(context_window=4_000, max_tokens=1_000))
    await world.prompt("r", "x" * 60_000)
    await root.does(heir("y" * 2_000))
    inherited, task = texts(await b.asked())

    assert len(inherited) < 4_200
    assert task == "y" * 2_000
    await world.check()


async def test_a_task_is_refused_once_sixteen_turns_wait(worlds: Worlds) -> None:
    """`delegation_full` counts the turns that run or wait, exactly, and frees a place with each end."""
    world = worlds(policy=Policy(surface="tree", concurrency=4, waiting_max=16))
    root, b = world.puppet("r", delegates_to=("b",)), world.puppet("b")
    await world.prompt("r", "begin")
    answers = await root.does(*(delegate("b") for _ in range(21)))

    assert [each.is_error for each in answers] == [False] * 19 + [True] * 2
    assert code_of(answers[-1]) == "delegation_full"
    await b.asked()
    await b.says("one place is free")
    await world.turn_end("b")
    (again, full) = await root.does(delegate("b"), delegate("b"))

    assert [again.is_error, full.is_error] == [False, True]
    await world.check()


async def test_a_wait_lasts_until_a_turn_that_mail_has_opened_ends(world: World) -> None:
    """systems.md 3.8: the newest answer, and not an old one while the child works on."""
    root, b = await ended_child(world)
    await root.does(send(world.handle("b"), "one more thing"))
    await b.asked()
    (meanwhile,) = await root.does(call("get_subagent_result", session_id=world.handle("b")))

    await root.starts(call("get_subagent_result", session_id=world.handle("b"), wait=True))
    await world.event("turn.suspended", agent="r")
    await b.says("the newer answer")
    request = await root.asked()

    assert "status running" in meanwhile.text
    assert "first" not in meanwhile.text
    assert "the newer answer" in texts(request)[-1]
    await world.check()


async def test_a_foreground_task_ends_with_its_own_turn_although_mail_keeps_the_child_busy(
    world: World,
) -> None:
    """The result of the task is the call's result; what comes afterwards is another turn."""
    root = world.puppet("r", delegates_to=("b",))
    b = world.puppet("b")
    await world.prompt("r", "begin")
    await root.starts(delegate("b", background=False))
    await b.asked()
    await world.room.send(world.view("b").session_id, "and then", mode="queue")
    await b.says("the result")
    request = await root.asked()
    await b.asked()

    assert "the result" in texts(request)[-1]
    await world.check()


@pytest.mark.parametrize("how", ["stop", "cancel", "fail"])
async def test_a_wait_for_a_woken_child_always_returns(world: World, how: str) -> None:
    """However its turn ends (O-16: the waiter always returns)."""
    root, b = await ended_child(world)
    await root.does(send(world.handle("b"), "one more thing"))
    await b.asked()
    await root.starts(call("get_subagent_result", session_id=world.handle("b"), wait=True))
    await world.event("turn.suspended", agent="r")

    child = world.view("b").session_id
    match how:
        case "stop":
            await world.room.stop(child)
        case "cancel":
            await world.room.cancel(child)
        case _:
            await b.fails(ModelFault("no model"))
    request = await root.asked()

    assert "first" in texts(request)[-1]
    await world.check()


async def test_an_unread_result_is_not_lost_to_a_call_that_shows_no_text(world: World) -> None:
    """A child that works on says so; its result still comes by itself."""
    root, b = await family(world, "b")
    await world.room.send(world.view("b").session_id, "and then", mode="queue")
    await b.says("the result")
    await b.asked()
    (busy,) = await root.does(call("get_subagent_result", session_id=world.handle("b")))
    request = await root.asked()

    assert "status running" in busy.text
    assert sum("the result" in text for text in texts(request)) == 1
    await world.check()


async def test_a_parent_ends_a_turn_that_mail_has_opened(world: World) -> None:
    """`cancel_subagent` ends what the child does now; its finished task stays as it was."""
    root, b = await ended_child(world)
    await root.does(send(world.handle("b"), "one more thing"))
    await b.asked()

    (done, again) = await root.does(
        call("cancel_subagent", session_id=world.handle("b")),
        call("cancel_subagent", session_id=world.handle("b")),
    )

    assert not done.is_error
    assert "already_ended" in again.text
    assert world.view("b").state == "cancelled"
    assert [e.facts["outcome"] for e in world.events("task.ended")] == ["succeeded"]
    await world.check()


async def test_a_task_for_a_child_that_exists_needs_the_right_to_its_profile(world: World) -> None:
    """product.md, Rights and grants: spawning a profile is an action, and so is giving it more to do."""
    root, _ = await ended_child(world)
    deny = Rule(action="delegate", effect=Effect.DENY, pattern="b")
    await world.room.set_overlay(world.view("r").session_id, [deny])

    (refused,) = await root.does(resume(world.handle("b")))

    assert code_of(refused) == "permission_denied"
    assert len(world.events("task.queued")) == 1
    await world.check()


async def test_a_retry_of_the_same_call_finds_the_task_that_it_gave(world: World) -> None:
    """CK-11 and CK-12 for tasks: the same call again gives nothing twice, and another child is refused."""
    root, b = await ended_child(world)
    child = world.handle("b")
    await root.does(resume(child, "second task"))
    await b.asked()
    given = world.events("message.sent", agent="r")[-1].facts["call"]
    assert isinstance(given, int)
    sender = world.room.store.look(Tx.sender_of_call, given)
    assert sender is not None
    order = Order(
        call=given, fence=sender.fence, profile="b", description="again", prompt="second task",
        background=True, resume=child,
    )  # fmt: skip

    again = await world.room.office.delegate(order)
    other = await world.room.office.delegate(replace(order, resume="b_00000000"))
    text = await world.room.office.delegate(replace(order, prompt="another text"))

    assert isinstance(again, Spawned)
    assert again.handle == child
    assert [r.code for r in (other, text) if isinstance(r, Refusal)] == ["idempotency_conflict"] * 2
    assert len(world.events("task.queued")) == 2
    await world.check()
