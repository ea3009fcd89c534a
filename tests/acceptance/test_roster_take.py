"""`roster`: when mail of the bus enters a context, and as whose text (systems.md 2.4, 2.6, 2.9)."""

from postroom.domain.node import Node, Provenance, Role, is_joined, parts_of
from postroom.llm.port import AssistantItem, ModelRequest, ModelSettings, ResultItem, UserItem
from postroom.observe.paths import places
from postroom.store.tx import Tx
from postroom.store.tx_rosters import PAGE
from postroom.testing.script import Gate, ScriptedAnswer, call, held, say
from postroom.testing.world import World, texts, times
from tests.acceptance.bus_team import assistant, look, make, post, roster_world, workers
from tests.acceptance.family import Worlds


def nodes(world: World, profile: str, nth: int = 1) -> list[Node]:
    """The conversation of an agent."""
    session = world.view(profile, nth).session_id

    def read(tx: Tx) -> list[Node]:
        found = tx.recipient_by_public_id(None, session)
        assert found is not None
        return tx.path_to_head(tx.head_of(found.branch) or 0)

    return world.room.store.look(read)


def kinds(request: ModelRequest) -> list[str]:
    """What stands in a request, item by item."""
    return [type(item).__name__.removesuffix("Item").lower() for item in request.items]


async def test_mail_never_stands_between_a_call_and_its_result(worlds: Worlds) -> None:
    """KK-33: what comes while a tool works stands behind the results of its round."""
    world = roster_world(worlds)
    gate = Gate()
    world.slow_tool("slow", gate)
    a = world.puppet("assistant", tools=("messaging", "slow"))
    await world.prompt("assistant", "begin")
    await a.starts(call("slow"), call("slow"))
    await gate.reached.wait()
    await world.prompt("assistant", "while you work")
    gate.open()
    request = await a.asked()

    assert [type(item) for item in request.items[-4:]] == [AssistantItem, ResultItem, ResultItem, UserItem]
    assert texts(request)[-1] == "while you work"
    await world.check()


async def test_what_is_for_a_reader_is_found_behind_any_number_of_others(worlds: Worlds) -> None:
    """KK-18, KK-34: one boundary looks at the bus to its end, and asks for no summary on the way."""
    world = roster_world(worlds)
    a = assistant(world, "researcher")
    workers(world, {"work": [say("done")]})
    await world.prompt("assistant", "begin")
    await a.does(make("researcher", "work"))
    await a.does(*[post("researcher", "not for you")] * 2 * PAGE, post("assistant", "for you"))

    assert texts(await a.asked())[-1] == "[message from assistant] for you"
    await world.check()


async def test_mail_at_the_last_answer_buys_one_more_round(worlds: Worlds) -> None:
    """KK-34: the answer is kept, and stands before it."""
    world = roster_world(worlds)
    a = assistant(world)
    await world.prompt("assistant", "begin")
    await a.asked()
    await world.prompt("assistant", "not so fast")
    await a.says("this is my answer")
    request = await a.asked()

    assert texts(request)[-2:] == ["this is my answer", "not so fast"]
    await a.says("now it is")
    ended = await world.turn_end("assistant")
    assert ended.facts["end_reason"] == "answered"
    assert len(world.events("turn.started")) == 1
    await world.check()


async def test_mail_stands_in_the_place_of_an_empty_answer(worlds: Worlds) -> None:
    """KK-35: a turn that said nothing goes on with it, and nothing is told in between."""
    world = roster_world(worlds)
    a = assistant(world)
    await world.prompt("assistant", "begin")
    await a.asked()
    await world.prompt("assistant", "say something")
    await a.says("")
    request = await a.asked()

    assert kinds(request) == ["user", "user"]
    assert texts(request) == ["begin", "say something"]
    await world.check()


async def test_several_messages_of_one_round_are_one_item(worlds: Worlds) -> None:
    """KK-36: a paragraph each, in the order of the bus."""
    world = roster_world(worlds)
    a = assistant(world)
    await world.prompt("assistant", "begin")
    await a.does(post("everyone", "one line"), post("assistant", "another line"))
    request = await a.asked()

    assert kinds(request)[-1] == "user"
    assert texts(request)[-1] == (
        "[message from assistant] one line\n\n[message from assistant] another line"
    )
    joined = [node for node in nodes(world, "assistant") if is_joined(node.parts)]
    assert [len(parts_of(node.parts, node.body or "")) for node in joined] == [2]
    await world.check()


async def test_agent_text_is_marked_and_the_person_s_is_bare_in_one_item(worlds: Worlds) -> None:
    """KK-19, KK-21, KK-22: the record keeps the parts apart; the whole is mixed, and nobody's turn."""
    world = roster_world(worlds)
    gate = Gate()
    world.slow_tool("slow", gate)
    a = world.puppet("assistant", tools=("messaging", "slow"))
    await world.prompt("assistant", "begin")
    await a.starts(post("assistant", "from an agent"), call("slow"))
    await gate.reached.wait()
    await world.event("bus.posted")
    await world.prompt("assistant", "from the person")
    gate.open()
    request = await a.asked()

    assert sorted(texts(request)[-1].split("\n\n")) == [
        "[message from assistant] from an agent",
        "from the person",
    ]
    (mixed,) = [node for node in nodes(world, "assistant") if node.provenance == Provenance.MIXED]
    parts = parts_of(mixed.parts, mixed.body or "")
    assert sorted((part.facts.kind, part.body) for part in parts) == [
        ("mail", "from an agent"), ("user", "from the person"),
    ]  # fmt: skip
    await world.check()


async def test_what_is_older_than_its_reader_says_so_and_the_person_s_text_does_not(worlds: Worlds) -> None:
    """KK-20: the mark says that it was sent before its reader began."""
    world = roster_world(worlds)
    a = assistant(world, "researcher")
    workers(world, {"work": [say("done")]})
    await world.prompt("assistant", "begin")
    await a.asked()
    await world.prompt("assistant", "the person's")
    await a.does(post("everyone", "an agent's"))
    await a.does(make("researcher", "work"))

    first = world.requests("researcher")[0]
    assert texts(first) == [
        "work", "the person's\n\n[message from assistant, sent before you started] an agent's",
    ]  # fmt: skip
    await world.check()


async def test_only_agents_only_the_person_or_both(worlds: Worlds) -> None:
    """KK-21: each take is a node of its own, with whose text it is; of nothing there is none."""
    world = roster_world(worlds)
    a = assistant(world)
    await world.prompt("assistant", "begin")
    await a.does(post("assistant", "from me"), post("assistant", "and again"))
    await a.asked()
    await world.prompt("assistant", "one")
    await world.prompt("assistant", "two")
    await a.does(look())
    await a.does(look())

    said = [node.provenance for node in nodes(world, "assistant") if node.role == Role.USER]
    assert said == [Provenance.USER, Provenance.AGENT, Provenance.USER]
    await world.check()


async def test_a_turn_of_the_person_begins_at_nothing_that_an_agent_wrote(worlds: Worlds) -> None:
    """KK-48: a note of the bus is no turn of the person's, and no conversation can be cut at it."""
    world = roster_world(worlds)
    a = assistant(world)
    await world.prompt("assistant", "begin")
    await a.does(post("assistant", "from me"))
    await a.says("done")
    await world.turn_end("assistant")
    await world.quiesce()

    session = world.view("assistant").session_id
    listed = [place.text for place in world.room.store.look(places, session, 50)]
    own = [node.provenance for node in nodes(world, "assistant") if node.role == Role.USER]
    note = (await world.event("bus.posted")).message_id
    view = await world.room.revert(session, note, dry_run=True)
    assert own == [Provenance.USER, Provenance.AGENT]
    assert listed == ["begin", "results of send_message", "done"]
    assert view.nodes_left == 2
    await world.check()


async def test_a_sibling_reads_between_two_of_its_rounds_while_their_parent_waits(worlds: Worlds) -> None:
    """KK-39: and the parent, which is on the same bus, reads it when both have returned (KK-40)."""
    world = roster_world(worlds)
    a = assistant(world, "researcher", "writer")
    gate = Gate()
    workers(world, {"tell": [held(gate, post("everyone", "listen all")), say("told")]})

    async def lets_it_speak(_request: ModelRequest) -> ScriptedAnswer:
        gate.open()
        await world.event("bus.posted")
        return look()

    workers(world, {"hear": [look(), lets_it_speak, say("heard")]}, "writer")
    await world.prompt("assistant", "begin")
    await a.does(make("researcher", "tell"), make("writer", "hear"))

    heard, parent = world.requests("writer"), world.requests("assistant")
    assert ["listen all" in "".join(texts(request)) for request in heard] == [False, False, True]
    assert kinds(parent[-1]) == ["user", "assistant", "result", "result", "user"]
    assert times("listen all", parent) == 1
    await world.check()


async def test_what_has_no_room_stays_behind_the_cursor(worlds: Worlds) -> None:
    """The window rule: what does not fit waits on the bus for a later boundary, in order."""
    world = roster_world(worlds)
    small = ModelSettings(context_window=4_000, max_tokens=400)
    a = world.puppet("assistant", tools=("messaging",), settings=small)
    await world.prompt("assistant", "begin")
    await a.asked()
    for n in range(6):
        await world.prompt("assistant", f"{n}" * 3_000)
    await a.starts(look())
    await world.event("bus.read")

    reader = world.room.store.look(lambda tx: tx.readers_of_bus(1)[0])
    posts = world.room.store.look(lambda tx: tx.posts_behind(1, 0))
    taken = [len(world.room.store.look(Tx.deliveries_of_message, post.message)) for post in posts]
    assert 0 < reader.cursor_seq < 6
    assert taken == [1] * reader.cursor_seq + [0] * (6 - reader.cursor_seq)
    await world.close()
