"""`branch`: what the person sees of sessions with several agents, and how they name one."""

import pytest

from postroom.app import Postroom
from postroom.errors import NotFound
from postroom.observe.event_view import EventView
from postroom.observe.export import Ask, each_record
from postroom.observe.find import find_agent, full_address
from postroom.observe.glance import Glance
from postroom.observe.looks import Names, log_page, show
from postroom.testing.script import call
from postroom.testing.world import World
from tests.acceptance.branches import address, branch_world, branches, crew, message, pair, spawn
from tests.acceptance.family import Worlds


async def found(world: World, reference: str) -> str:
    """The full address of whom the person means."""
    agent = await world.room.store.read(find_agent, reference)
    return await world.room.store.read(full_address, agent)


async def test_an_agent_is_named_in_any_of_its_ways(worlds: Worlds) -> None:
    """By `SESSION:BRANCH`, a name inside a session or alone, the id of its branch, or of a task of it."""
    world = branch_world(worlds)
    await crew(world, "b")
    b_address = address(world, "b")
    session, _, branch = b_address.partition(":")
    (task,) = await world.room.tasks(session)

    for reference in (b_address, f"{session}:b", "b", branch, branch.upper(), task.task_id):
        assert await found(world, reference) == b_address, reference
    assert await found(world, session) == address(world, "a")
    assert await found(world, f"{session}:main") == address(world, "a")
    for reference in ("nobody", f"{session}:nobody", f"{session}:", ":b", "main"):
        with pytest.raises(NotFound):
            await found(world, reference)
    await world.check()


async def test_a_name_that_several_agents_have_is_refused_with_their_addresses(worlds: Worlds) -> None:
    world = branch_world(worlds)
    await pair(world)
    await world.room.rename(world.view("a").session_id, "twin")
    await world.room.rename(world.view("b").session_id, "twin")

    with pytest.raises(NotFound) as refused:
        await found(world, "twin")

    assert "2 agents are called 'twin'" in refused.value.message
    assert address(world, "a") in (refused.value.remedy or "")
    assert address(world, "b") in (refused.value.remedy or "")
    await world.check()


async def test_the_person_talks_to_each_agent_of_a_session_by_itself(worlds: Worlds) -> None:
    """Prompt, send, stop, resume, cancel, history and why mean the agent that was named."""
    world = branch_world(worlds)
    _, b = await crew(world, "b")
    await b.says("done")
    await world.turn_end("b")
    b_address = address(world, "b")

    await world.room.prompt("hello b", session=b_address)
    request = await b.asked()
    await world.room.cancel("b")
    await world.turn_end("b", 2)
    stopped = await world.room.stop("b")
    states = {view.profile: view.state for view in world.views()}
    await world.room.resume("b")
    history = await world.room.history("b")
    why = await world.room.why("b")

    assert "hello b" in [item.text for item in request.items]
    assert stopped == 1
    assert states == {"a": "running", "b": "paused"}
    assert "hello b" in [item.text for item in history]
    assert why.turn is not None
    assert f"{why.turn.agent.session_id}:{why.turn.agent.branch_id}" == b_address
    await world.check()


async def test_agents_of_a_session_stand_once_each_behind_the_one_that_made_them(worlds: Worlds) -> None:
    """`ps`: no row is doubled or hidden, and each has its own mail and state."""
    world = branch_world(worlds)
    _, b, _ = await crew(world, "b", "c")
    await b.says("done")
    await world.turn_end("b")

    views = world.views()

    assert [(view.profile, view.name, view.depth, view.state) for view in views] == [
        ("a", "", 0, "running"), ("b", "b", 1, "finished"), ("c", "c", 1, "running"),
    ]  # fmt: skip
    assert [view.address for view in views] == [
        world.view("a").session_id, address(world, "b"), address(world, "c"),
    ]  # fmt: skip
    await world.check()


async def test_every_line_of_a_log_says_which_agent_it_is_about(worlds: Worlds) -> None:
    world = branch_world(worlds)
    a, b = await crew(world, "b")
    await b.says("done")
    await world.turn_end("b")
    await a.says("so be it")
    await a.says("noted")
    await world.quiesce()

    def told(reference: str) -> list[EventView]:
        return world.room.store.look(log_page, Names(), reference, 0, 1_000)

    whole, of_b = told(world.view("a").session_id), told("b")

    answers = [(event.agent, event.kind) for event in whole if event.kind == "answer.committed"]
    assert ("a", "answer.committed") in answers
    assert ("b", "answer.committed") in answers
    assert {event.agent for event in of_b} == {"b"}
    assert of_b == [event for event in whole if event.agent == "b"]
    assert {"turn.started", "turn.ended", "message.accepted", "message.consumed"} <= {e.kind for e in of_b}
    await world.check()


async def test_a_renamed_agent_is_called_so_from_then_on(worlds: Worlds) -> None:
    world = branch_world(worlds)
    await crew(world, "b")
    names = Names()
    before = world.room.store.look(log_page, names, "b", 0, 1_000)
    await world.room.rename("b", "scribe")

    after = world.room.store.look(log_page, names, "scribe", before[-1].seq, 1_000)

    assert [(event.kind, event.agent) for event in after] == [("branch.named", "scribe")]
    await world.check()


async def test_a_conversation_and_its_mail_are_shown_of_one_agent(worlds: Worlds) -> None:
    world = branch_world(worlds)
    a, b = await crew(world, "b")
    await a.does(message("b", "for b alone"))
    await b.says("first")
    await b.says("second")
    await world.turn_end("b", 2)

    of_a, of_b = (world.room.store.look(show, name) for name in (world.view("a").session_id, "b"))

    assert "for b alone" in str(of_b["history"])
    assert "for b alone" not in str(of_a["history"]).replace("'text': ''", "")
    assert str(of_b["messages"]).count("'message_id'") == 2
    await world.check()


async def test_an_export_has_every_agent_with_its_own_conversation(worlds: Worlds) -> None:
    world = branch_world(worlds)
    a, b = await crew(world, "b")
    await b.says("what b said")
    await world.turn_end("b")
    await a.says("what a said")
    await world.rest()
    b_branch = address(world, "b").partition(":")[2]
    records = list[dict[str, object]]()
    with Glance(world.folder) as glance:
        end = each_record(glance, Ask(), lambda record: records.append(dict(record)))

    said = [
        (r.get("branch_id"), r["text"]) for r in records if r["type"] == "item" and r["role"] == "assistant"
    ]
    (branch,) = [r for r in records if r["type"] == "branch"]
    assert (end["sessions"], end["branches"]) == (1, 1)
    assert (branch["branch_id"], branch["name"]) == (b_branch, "b")
    assert (b_branch, "what b said") in said
    assert (None, "what a said") in said
    assert (None, "what b said") not in said
    await world.check()


async def test_bills_and_hits_name_the_agent(worlds: Worlds) -> None:
    world = branch_world(worlds)
    a, b = await crew(world, "b")
    await b.says("a needle in hay")
    await world.turn_end("b")
    await a.says("done")
    await world.rest()
    room: Postroom = world.room

    spent = {line.title: line.key for line in await room.spend()}
    hits = {(hit.where, hit.who): hit.agent for hit in await room.search("needle")}

    assert spent == {"a": world.view("a").session_id, "b": address(world, "b")}
    assert hits["answer", "b"] == address(world, "b")
    await world.check()


async def test_the_person_lists_agents_tasks_and_boards(worlds: Worlds) -> None:
    """The lists of `postroom agents`, `tasks` and `todo`, as a program gets them."""
    world = branch_world(worlds)
    a, b = await crew(world, "b")
    await a.does(call("todo_create", subject="dig"))
    await a.does(call("archive_agent", to="b", reason="enough"))
    await b.says("done")
    await world.turn_end("b")
    session = world.view("a").session_id

    (live,), (retired,) = (
        await world.room.agent_lists(),
        await world.room.agent_lists(session, scope="archived"),
    )
    tasks, board = await world.room.tasks(session), await world.room.todos("b")

    assert [agent.profile for agent in live.agents] == ["a"]
    assert [(one.name, one.archived_reason, one.state) for one in retired.agents] == [
        ("b", "enough", "archived")
    ]
    assert retired.agents[0].address == address(world, "b")
    assert [(task.dispatcher, task.target, task.state) for task in tasks] == [("a", "b", "completed")]
    assert board is not None
    assert [(todo.id, todo.subject, todo.owner) for todo in board.todos] == [(1, "dig", "main")]
    assert len(branches(world)) == 2
    await world.check()


async def test_a_stop_of_a_session_stops_all_its_agents(worlds: Worlds) -> None:
    """product.md section 4, Stop: on a session it acts on all branches, also those that others made there."""
    world = branch_world(worlds)
    c = world.puppet("c")
    a, _ = await pair(world)
    b_session = world.view("b").session_id
    (row,) = [row for row in branches(world) if row.profile == "b"]
    head = world.room.store.look(lambda tx: tx.branch_row(row.branch).head)
    await a.does(spawn("go on from there", agent_id="c", start_from=f"{b_session}:{head}"))
    await c.asked()

    whole = await world.room.stop(b_session)

    assert address(world, "c").startswith(f"{b_session}:")
    assert whole == 2
    assert {view.profile: view.state for view in world.views()} == {
        "a": "running", "b": "paused", "c": "paused",
    }  # fmt: skip
    await world.room.resume(b_session)
    assert [view.state for view in world.views() if view.profile != "a"] == ["finished", "stopped"]
    await world.check()


async def test_a_task_is_told_of_by_its_id(worlds: Worlds) -> None:
    world = branch_world(worlds)
    await crew(world, "b")
    (task,) = await world.room.tasks()

    why = await world.room.why(task.task_id)

    assert why.message is not None
    assert why.message.message_id == task.message_id
    assert why.message.kind == "prompt"
    await world.check()
