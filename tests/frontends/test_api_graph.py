"""The graph of a session: what is said between branches, what returns, and how everything stands now."""

import json

import httpx2

from postroom.daemon.api.guard import Scope
from postroom.domain.keys import NodeKey
from postroom.domain.node import Provenance, Role
from postroom.domain.plain import Json
from postroom.errors import ModelQuota
from postroom.observe.graph import Asked, graph
from postroom.observe.graph_node import node
from postroom.observe.graph_views import GraphEdge, GraphNode, GraphView
from postroom.store.tx import Tx
from postroom.testing.script import Gate, call
from postroom.testing.world import World
from tests.acceptance.branches import address, branch_world, crew, message
from tests.acceptance.family import Worlds, family
from tests.acceptance.statements import effort, statements
from tests.frontends.daemon import serving


def drawn(world: World, profile: str = "a", asked: Asked = Asked()) -> GraphView:  # noqa: B008 -- frozen
    """The graph of the session that an agent is in."""
    return world.room.store.look(graph, world.view(profile).session_id, asked)


def named(view: GraphView, preview: str) -> GraphNode:
    """The one node whose text begins so."""
    (found,) = [node for node in view.nodes if node.preview.startswith(preview)]
    return found


def lines(view: GraphView, kind: str) -> list[GraphEdge]:
    """What lies between nodes beside their order, of one kind."""
    return [edge for edge in view.edges if edge.kind == kind]


def shapes(view: GraphView, branch: int = 0) -> list[str]:
    """What is drawn of a branch, oldest first."""
    return [node.shape for node in view.nodes if node.branch == branch]


async def get(client: httpx2.AsyncClient, path: str, **query: str | list[int]) -> dict[str, Json]:
    """What an endpoint answers."""
    answer = await client.get(path, params=query)
    assert answer.status_code == 200, answer.text
    found: dict[str, Json] = answer.json()
    return found


async def test_a_turn_is_what_was_said_and_its_calls_are_a_count(worlds: Worlds) -> None:
    """systems.md 1.18: the conversation layer; a turn that is unfolded shows its calls."""
    world = branch_world(worlds)
    gate = Gate()
    world.slow_tool("dig", gate)
    a = world.puppet("a", tools=("dig",))
    await world.prompt("a", "the question")
    await a.does(call("todo_create", subject="one"), call("todo_create", subject="two"))
    await a.starts(call("dig"))
    await gate.reached.wait()
    running = drawn(world)
    gate.open()
    await a.says("the answer")
    await world.quiesce()
    ended = drawn(world)

    assert shapes(ended) == ["user", "llm"]
    assert (running.nodes[1].id, running.nodes[1].status) == (ended.nodes[1].id, "running")
    assert (ended.nodes[1].status, ended.nodes[1].preview, ended.nodes[1].calls) == ("done", "the answer", 3)
    assert ended.nodes[1].tokens > 0
    unfolded = drawn(world, asked=Asked(unfolded=(ended.head,))).nodes[1].opened
    assert [(one.tool, one.shape, one.status) for one in unfolded][1:] == [
        ("todo_create", "code", "done"), ("dig", "code", "done"),
    ]  # fmt: skip


async def test_what_an_agent_was_made_for_returns_and_changes_in_place(worlds: Worlds) -> None:
    """OP-20, OP-78, OP-18: one line under one name, whatever becomes of its task; the branch is internal."""
    world = branch_world(worlds)
    a, w = await crew(world, "w")
    before = drawn(world)
    (running,) = lines(before, "return")
    await a.says("it is at work")
    await w.says("the result")
    await a.says("I have it")
    await world.quiesce()
    after = drawn(world)
    (returned,) = lines(after, "return")

    assert (running.id, running.target) == (returned.id, returned.target)
    assert (running.status, returned.status) == ("running", "done")
    assert returned.target == named(after, "it is at work").id
    assert returned.source == after.branches[1].head
    (spawned,) = [branch for branch in after.branches if branch.internal]
    assert (spawned.label, spawned.parent, spawned.merged, after.branches[0].internal) == (
        "w",
        0,
        True,
        False,
    )
    assert [node.link for node in after.nodes if node.branch == 1] == ["spawn", "next"]


async def test_a_merged_branch_comes_back_into_a_node_of_its_own(worlds: Worlds) -> None:
    """systems.md 1.18: the node, and a line to it from the head that was merged."""
    world = branch_world(worlds)
    a, w = await crew(world, "w")
    await a.says("it is at work")
    await w.says("the result")
    await a.says("I have it")
    await world.quiesce()
    view = drawn(world)
    (merge,) = lines(view, "merge")

    assert shapes(view) == ["user", "llm", "merge", "llm"]
    assert (merge.source, merge.target) == (view.branches[1].head, view.nodes[2].id)


async def test_a_failed_agent_comes_back_into_the_answer_it_follows(worlds: Worlds) -> None:
    """systems.md 1.18: what comes back by itself is merged into its anchor; the line says that it failed."""
    world = branch_world(worlds)
    a, w = await crew(world, "w")
    await a.says("it is at work")
    await w.fails(ModelQuota("no more"))
    await a.says("it has failed")
    await world.quiesce()
    view = drawn(world)

    assert shapes(view) == ["user", "llm", "llm"]
    assert named(view, "it is at work").replies == 1
    assert [edge.status for edge in lines(view, "return")] == ["error"]
    assert [node.status for node in view.nodes if node.branch == 1] == ["error"]


async def test_a_message_between_branches_is_a_node_and_a_line(worlds: Worlds) -> None:
    """OP-20, OP-32: from the answer that sent it to the node where it was read, in its recipient's colour."""
    world = branch_world(worlds)
    a, w = await crew(world, "w")
    await w.says("first")
    await a.does(message(address(world, "w"), "how far along?"))
    await a.says("asked")
    await w.says("half way")
    await world.rest()
    view = drawn(world)
    (sent,) = lines(view, "sent")

    read = named(view, "how far along?")
    assert (sent.target, sent.source, sent.branch, sent.status) == (
        read.id,
        named(view, "asked").id,
        1,
        "done",
    )
    assert (read.provenance, read.agent, read.branch) == ("agent", view.branches[0].label, 1)
    assert [edge.branch for edge in lines(view, "replied")] == [0]


async def test_a_revert_leaves_a_branch_and_a_fork_says_where_it_came_from(worlds: Worlds) -> None:
    """systems.md 1.18: the part left hangs beside; a node says how a fork and a revert name it."""
    world = branch_world(worlds)
    a = world.puppet("a")
    for text in ("one", "two"):
        await world.prompt("a", text)
        await a.says(f"answer {text}")
        await world.quiesce()
    session = world.view("a").session_id
    first = named(drawn(world), "answer one")
    facts = world.room.store.look(node, first.id, drawn(world).branches[0].id)
    await world.room.revert(facts.address, facts.place)
    left = drawn(world)
    fork = await world.room.fork(facts.address, facts.place)
    forked = world.room.store.look(graph, fork.session_id)

    assert (left.head, [branch.sealed for branch in left.branches]) == (first.id, [False, True])
    assert [(one.branch, one.link) for one in left.nodes] == [
        (0, "root"),
        (0, "next"),
        (1, "fork"),
        (1, "next"),
    ]
    assert (left.branches[1].parent, facts.revertible, facts.text) == (0, True, "answer one")
    assert [one.id for one in forked.nodes] == [one.id for one in left.nodes[:2]]
    assert forked.forked_from is not None
    assert forked.forked_from.session_id == session
    sealed = world.room.store.look(node, left.nodes[3].id, left.branches[1].id)
    assert (sealed.revertible, sealed.place) == (False, f"{left.branches[1].id}:4")


async def test_an_agent_in_another_session_is_a_way_out_at_both_ends(world: World) -> None:
    """systems.md 1.18: `↗` on both ends of what crosses sessions."""
    root, b = await family(world, "b")
    await b.says("done")
    await root.says("thanks")
    await world.rest()
    above, below = drawn(world, "r"), drawn(world, "b")
    (spawned,) = lines(above, "spawn")

    assert spawned.elsewhere is not None
    assert spawned.elsewhere.session_id == below.session_id
    assert (spawned.target, spawned.status) == (None, "done")
    assert below.branches[0].elsewhere is not None
    assert below.branches[0].elsewhere.session_id == above.session_id


async def test_the_graph_over_http_is_the_same_and_says_what_is_not_there(worlds: Worlds) -> None:
    world = branch_world(worlds)
    a = world.puppet("a")
    await world.prompt("a", "one")
    await a.says("answer")
    await world.quiesce()
    session = world.view("a").session_id
    async with serving(world.room) as daemon:
        client = daemon.client(Scope.READ)
        found = await get(client, f"/sessions/{session}/graph", opened=[7], unfolded=[1, 2])
        facts = await get(client, f"/nodes/{drawn(world).head}")
        unknown = [await client.get(path) for path in ("/sessions/nobody/graph", "/nodes/9999", "/nodes/0")]

    assert (found["session_id"], found["items"]) == (session, 2)
    assert (facts["text"], facts["place"], facts["shape"]) == ("answer", "2", "llm")
    assert [one.status_code for one in unknown] == [404, 404, 422]


def lengthen(tx: Tx, n: int) -> None:
    """So many turns' worth of nodes behind the newest of the first branch."""
    head, answer = tx.head_of(1), json.dumps({"text": "more", "calls": []})
    for number in range(2 * n):
        role, parts = (Role.ASSISTANT, answer) if number % 2 else (Role.USER, '{"kind": "user"}')
        head = tx.append_node(1, head, role, Provenance.AGENT, parts, 1, 1)
    tx.move_head(1, 1, head or NodeKey(0), 1, 0)


async def test_a_long_session_costs_its_order_and_no_more(worlds: Worlds) -> None:
    """As many statements as a short one, one step of the walk for each node, and a skeleton that opens."""
    world = branch_world(worlds)
    a = world.puppet("a")
    await world.prompt("a", "one")
    await a.says("answer")
    await world.quiesce()

    async def cost(turns: int) -> tuple[int, int]:
        await world.room.store.write(lengthen, turns)
        with statements(world) as heard, effort(world) as spent:
            drawn(world)
        return len(heard), spent[0]

    short, long, longer = [await cost(turns) for turns in (500, 500, 1_000)]
    view = drawn(world)
    (stretch,) = [node for node in view.nodes if node.shape == "stretch"]
    opened = drawn(world, asked=Asked(opened=(stretch.id,)))

    assert short[0] == long[0] == longer[0]
    assert longer[1] <= 2.2 * long[1]
    assert (view.items, len(view.nodes) < 60, stretch.count + len(view.nodes) - 1) == (4_002, True, 4_002)
    assert len(opened.nodes) == len(view.nodes) + 60
