"""Which sessions an agent on `peer` is shown, and what it is shown of them."""

from dataclasses import replace
from typing import cast

from postroom.domain.receipt import Refusal
from postroom.rules.permissions import Effect, Rule
from postroom.service.say import Opening, Text
from postroom.surfaces.presets import PRESETS
from postroom.testing.script import call, say
from tests.acceptance.family import Worlds
from tests.acceptance.peers import (
    POLICY,
    answered,
    beside,
    data,
    fits,
    id_of,
    listed,
    spawn,
    two,
    write,
)


async def test_lists_are_of_a_scope_and_no_longer_than_asked_for(worlds: Worlds) -> None:
    """DS-32: the directory unless asked otherwise; newest first; never the one that asks."""
    world, a = await beside(worlds, "b", "c", "d")
    elsewhere = world.folder / "elsewhere"
    elsewhere.mkdir()
    await world.prompt_new("b", "far away", policy=POLICY, cwd=elsewhere)
    await world.puppets["b"].says("I am far away")
    await world.turn_end("b", 2)
    names = ("d", "c", "b")

    assert [row["id"] for row in await listed(a)] == [id_of(world, name) for name in names]
    assert await listed(a) == await listed(a, scope="all") == await listed(a, scope="live")
    assert [row["id"] for row in await listed(a, limit=2)] == [id_of(world, "d"), id_of(world, "c")]
    assert len(await listed(a, limit=10_000)) == len(names)
    await world.check()


async def test_who_crosses_directories_sees_them_all_and_asks_for_their_own(worlds: Worlds) -> None:
    """DS-6, DS-32: `all` has the others too, `workspace` has not."""
    policy = replace(POLICY, crosses_workspace=True)
    world, a = await beside(worlds, "b", policy=policy)
    elsewhere = world.folder / "elsewhere"
    elsewhere.mkdir()
    far = await world.prompt_new("b", "far away", policy=policy, cwd=elsewhere)
    await world.puppets["b"].says("I am far away")
    await world.turn_end("b", 2)

    everywhere = await listed(a, scope="all")
    assert {row["id"] for row in everywhere} == {far.session_id, id_of(world, "b")}
    assert [row["id"] for row in await listed(a)] == [id_of(world, "b")]
    await world.check()


async def test_kinds_are_told_by_where_a_session_comes_from(worlds: Worlds) -> None:
    """DS-32, DS-35: made or forked, opened from the same team folder, opened from another one."""
    world = worlds(policy=POLICY)
    world.agent("a", spawn(), call("session_list"), say("done"))
    b = world.puppet("b")
    await world.prompt("b", "hello")
    await b.says("ready")
    await world.quiesce()
    b_id = id_of(world, "b")
    fork = await world.room.fork(b_id)
    other = Opening(
        team=str(world.folder / "another team"), profile="x", policy=POLICY, title="x", cwd=str(world.cwd)
    )
    stranger = await world.room.office.say_new(other, Text(body="hello"))
    assert not isinstance(stranger, Refusal)
    await world.prompt("a", "begin")

    made = data(await answered(world, 1))
    rows = cast("list[dict[str, str]]", data(await answered(world, 2))["sessions"])

    assert {row["id"]: row["kind"] for row in rows} == {
        b_id: "team", fork.session_id: "derived", str(made["sessionId"]): "derived",
        stranger.session_id: "peer",
    }  # fmt: skip


async def test_a_session_of_another_surface_is_shown_by_its_origin_too(worlds: Worlds) -> None:
    """DS-32: its surface makes no difference to its kind, only to whether it may be reached."""
    world = worlds(policy=POLICY)
    a, b = world.puppet("a"), world.puppet("b")
    world.puppet("t")
    await world.prompt("b", "hello", policy=PRESETS["branch"])
    await b.says("ready")
    await world.prompt("t", "hello", policy=PRESETS["tree"])
    await world.puppets["t"].says("ready")
    await world.prompt("a", "begin")
    await a.asked()

    assert [(row["id"], row["kind"]) for row in await listed(a)] == [(id_of(world, "b"), "team")]
    await world.check()


async def test_a_stopped_and_an_archived_session(worlds: Worlds) -> None:
    """DS-32: one is listed as it stands, the other takes nothing more and is not there."""
    world, a = await beside(worlds, "b", "c")
    await world.prompt("b", "go on")
    await world.puppets["b"].asked()
    await world.room.stop(id_of(world, "b"))
    await world.room.archive(id_of(world, "c"))

    (row,) = await listed(a)

    assert (row["id"], row["status"]) == (id_of(world, "b"), "paused")
    await world.check()


async def test_a_card_shows_how_a_session_stands_and_changes_nothing(worlds: Worlds) -> None:
    """DS-34: its log is as long as before, and it has no word of it."""
    world, a, b, b_id = await two(worlds)
    await world.prompt("b", "go on")
    await b.says("<task>all of it</task> " + "and more " * 400)
    await world.turn_end("b", 2)
    await world.prompt("b", "a question")
    await b.starts(call("ask_user", question="may I?"))
    await world.event("ask.opened")
    before = world.events(agent="b")

    (result,) = await a.does(call("session_inspect", session_id=b_id))

    card = data(result)
    fits("session_inspect", result)
    assert (card["turns"], card["open_asks"], card["waiting_mail"]) == (2, 1, 0)
    assert card["status"] == "suspended"
    assert str(card["last_text"]).startswith("‹task>all of it‹/task> and more")
    assert len(str(card["last_text"])) <= 2_000
    assert world.events(agent="b") == before
    await world.room.stop(b_id)
    await world.check()


async def test_whom_leave_is_needed_for_is_listed_and_what_is_on_the_list_too(worlds: Worlds) -> None:
    """DS-5, DS-32: reach is a question of both sides; leave is asked for only when one writes."""
    world = worlds(policy=POLICY)
    elsewhere = world.folder / "elsewhere"
    elsewhere.mkdir(parents=True)
    policy = replace(POLICY, allow_list=(str(elsewhere),))
    world.policy = policy
    a = world.puppet("a", rules=[Rule(action="message", effect=Effect.ASK, pattern="*")])
    b = world.puppet("b")
    near = await world.prompt_new("b", "near", policy=policy)
    await b.says("ready")
    far = await world.prompt_new("b", "far", policy=policy, cwd=elsewhere)
    await b.says("ready")
    await world.quiesce()
    await world.prompt("a", "begin")
    await a.asked()

    assert [row["id"] for row in await listed(a)] == [near.session_id]
    assert [row["id"] for row in await listed(a, scope="all")] == [far.session_id, near.session_id]
    (sent,) = await a.does(write(near.session_id, "may I?"))
    assert data(sent)["status"] == "queued"
    await world.check()
