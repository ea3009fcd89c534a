"""A refusal of `peer` says nothing and costs nothing that would tell one reason from another (DS-2, DS-7)."""

from dataclasses import dataclass, replace

import pytest

from postroom.domain.event import visibility_of
from postroom.domain.plain import Json
from postroom.llm.port import ResultItem
from postroom.observe.export import Ask, each_record
from postroom.observe.glance import Glance
from postroom.rules.permissions import Effect, Rule
from postroom.surfaces.peer.preset import PEER_POLICY
from postroom.testing.puppet import Puppet
from postroom.testing.script import ScriptedAnswer, call
from postroom.testing.world import World
from tests.acceptance.family import Worlds
from tests.acceptance.peer_places import apart, directory, kinds, log_of, true_reasons
from tests.acceptance.peers import NOWHERE, POLICY, code, id_of, spawn, write
from tests.acceptance.statements import statements

OTHER = replace(POLICY, ask_s=31)
"""A policy of its own, which nothing has looked at in a process that has just started."""


@dataclass
class Scene:
    """A world in which `a` may reach nobody, and the ids of whom it may not."""

    world: World
    a: Puppet
    ids: dict[str, str]


async def closed_to_all(worlds: Worlds) -> Scene:
    """Whoever is there, for every reason for which one is not reached."""
    world = worlds(policy=POLICY)
    a, b = world.puppet("a"), world.puppet("b", delegates_to=("b",))
    gone, old = world.puppet("gone"), world.puppet("old")
    place = directory(world, "one")
    for name, puppet, where in (("b", b, "two"), ("gone", gone, "one"), ("old", old, "one")):
        await world.prompt(name, f"the task of {name}", policy=OTHER, cwd=directory(world, where))
        await puppet.says("done")
    lost = await world.prompt_new("gone", "lose it", policy=OTHER, cwd=directory(world, "lost"))
    await gone.says("lost")
    await world.prompt("b", "make one")
    await b.does(spawn("work"))
    ids = {
        "absent": NOWHERE, "no id": "boss", "other workspace": id_of(world, "b"), "self": "",
        "subagent of another": id_of(world, "b", 2), "unknown directory": lost.session_id,
        "archived": id_of(world, "old"), "deleted": id_of(world, "gone"),
    }  # fmt: skip
    directory(world, "lost").rmdir()
    b.rests()
    await world.quiesce()
    await world.room.archive(ids["archived"])
    await world.room.delete(ids["deleted"])
    await world.prompt("a", "the task of a", cwd=place)
    await a.says("I am here")
    await world.quiesce()
    ids["self"] = id_of(world, "a")
    return Scene(world, a, ids)


async def asked_in_a_new_life(scene: Scene, asked: ScriptedAnswer) -> tuple[ResultItem, list[str]]:
    """What a call returns in a process that knows nothing yet, and what was asked of the store for it."""
    await scene.world.reopen()
    await scene.world.prompt("a", "go on")
    await scene.a.asked()
    with statements(scene.world) as heard:
        (result,) = await scene.a.does(asked)
    await scene.a.says("it was refused")
    await scene.world.quiesce()
    return result, heard


WHO = (
    "no id", "other workspace", "self", "subagent of another", "unknown directory", "archived", "deleted",
)  # fmt: skip


@pytest.mark.parametrize("who", WHO)
async def test_a_masked_send_costs_the_same_whatever_is_behind_it(worlds: Worlds, who: str) -> None:
    """DS-2, DS-3, DS-7"""
    scene = await closed_to_all(worlds)

    absent, cost_of_nothing = await asked_in_a_new_life(scene, write(NOWHERE, "hello"))
    denied, cost = await asked_in_a_new_life(scene, write(scene.ids[who], "hello"))

    assert (denied.text, denied.is_error) == (absent.text, absent.is_error)
    assert code(denied) == "not_found"
    assert cost == cost_of_nothing
    assert len(cost) > 5
    await scene.world.check()


@pytest.mark.parametrize("who", WHO)
async def test_a_masked_look_costs_the_same_whatever_is_behind_it(worlds: Worlds, who: str) -> None:
    """DS-2, DS-7, DS-34"""
    scene = await closed_to_all(worlds)

    look = call("session_inspect", session_id=NOWHERE)
    absent, cost_of_nothing = await asked_in_a_new_life(scene, look)
    look = call("session_inspect", session_id=scene.ids[who])
    denied, cost = await asked_in_a_new_life(scene, look)

    assert (denied.text, denied.is_error) == (absent.text, absent.is_error)
    assert cost == cost_of_nothing
    await scene.world.check()


async def test_the_true_reason_is_for_the_operator_alone(worlds: Worlds) -> None:
    """DS-9, G12: it is in the log, and in nothing that any model or an export for others reads."""
    scene = await closed_to_all(worlds)
    world, a = scene.world, scene.a
    await world.prompt("a", "go on")
    await a.asked()

    for who in ("absent", *WHO):
        await a.does(write(scene.ids[who], "hello"))

    reasons = true_reasons(world, "a")
    assert reasons == [
        "absent", "absent", "other_workspace", "self", "not_own_subagent", "no_directory", "archived",
        "absent",
    ]  # fmt: skip
    read = str([request.items for name in world.puppets for request in world.requests(name)])
    given = str(shared(world))
    for reason in {*reasons, "message.masked"} - {"self", "absent", "archived"}:  # words of other things, too
        assert reason not in read
        assert reason not in given
    await a.says("enough")
    await world.check()


def shared(world: World) -> list[dict[str, Json]]:
    """What an export holds that may be given away."""
    found: list[dict[str, Json]] = []
    with Glance(world.folder) as glance:
        each_record(glance, Ask(), found.append)
    return found


async def test_a_refused_send_leaves_nothing_but_its_refusal(worlds: Worlds) -> None:
    """DS-18: for every reason, and nothing of it is sent, held or delivered."""
    world = worlds(policy=POLICY)
    mine = replace(POLICY, body_bytes_max=10)
    theirs = replace(POLICY, pair_cap=1)
    a, b, b_id = await apart(world, "one", "one", mine=mine, theirs=theirs)
    await a.does(write(b_id, "first"))
    before = kinds(log_of(world, "a"), "message.sent", "message.held", "message.delivered")

    results = await a.does(
        write(NOWHERE, "hello"), write(id_of(world, "a"), "hello"), write(b_id, "x" * 11), write(b_id, " "),
        write(b_id, "second"),
    )  # fmt: skip

    assert [code(result) for result in results] == [
        "not_found", "not_found", "message_too_large", "invalid_body", "mailbox_full",
    ]  # fmt: skip
    log = log_of(world, "a")
    assert kinds(log, "message.sent", "message.held", "message.delivered") == before
    assert len(kinds(log, "message.refused")) == 5
    masked = [event for event in log if event.kind == "message.masked"]
    assert [visibility_of(event.kind) for event in masked] == ["operator", "operator"]
    assert {visibility_of(event.kind) for event in log if event not in masked} == {"agent"}
    await b.asked()
    await b.says("read")
    await world.rest()
    await world.check()


async def test_rules_of_the_call_come_before_the_address_and_this_before_the_mailbox(worlds: Worlds) -> None:
    """DS-7: a call that is wrong in itself reads the same, whoever it names."""
    world = worlds(policy=POLICY)
    a, _, b_id = await apart(world, "one", "two", theirs=replace(POLICY, pair_cap=0))
    too_long = "x" * (PEER_POLICY.body_bytes_max + 1)

    for message, expected in ((too_long, "message_too_large"), (" ", "invalid_body"), ("hello", "not_found")):
        results = await a.does(
            write(b_id, message), write(NOWHERE, message), write(id_of(world, "a"), message)
        )
        assert {code(result) for result in results} == {expected}
        assert len({result.text for result in results}) == 1
    await a.says("enough")
    await world.check()


async def test_what_the_own_rules_forbid_reads_like_nobody_too(worlds: Worlds) -> None:
    """DS-2, DS-9"""
    world = worlds(policy=POLICY)
    a, _, b_id = await apart(world, "one", "one")
    await world.room.set_overlay(id_of(world, "a"), [Rule(action="message", effect=Effect.DENY)])

    denied, absent = await a.does(write(b_id, "hello"), write(NOWHERE, "hello"))

    assert denied.text == absent.text
    assert true_reasons(world, "a") == ["rules", "absent"]
    await a.says("enough")
    await world.check()
