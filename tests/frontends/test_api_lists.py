"""What a person looks up over HTTP: tasks, boards, texts for later, what was spent, found, told and set."""

from postroom.daemon.api.guard import Scope
from postroom.domain.plain import Json
from postroom.domain.policy import Policy
from postroom.errors import ModelAuth
from postroom.testing.script import call, say
from postroom.testing.world import World
from tests.acceptance.branches import branch_world
from tests.acceptance.family import Worlds, family
from tests.frontends.api import Api, Reach, objects, the
from tests.frontends.daemon import serving

NEXT_CENTURY_US = 4_100_000_000_000_000


async def test_a_task_is_shown_with_its_text_and_its_result_and_can_be_stopped(
    world: World, reach: Reach
) -> None:
    root, b, c = await family(world, "b", "c")
    api = await reach()
    newest, oldest = await api.listed("/tasks")
    await b.says("all is dug")
    await world.turn_end("b")
    done = await api.shown(f"/tasks/{oldest['task_id']}")
    own = await api.listed("/tasks", session=world.view("c").branch_id)
    await api.post(f"/tasks/{newest['task_id']}/stop")
    stopped = await api.shown(f"/tasks/{newest['task_id']}")

    assert [the(one["task"])["state"] for one in (done, stopped)] == ["completed", "cancelled"]
    assert (done["body"], done["result"], done["background"]) == ("work", "all is dug", True)
    assert (done["parent_task_id"], done["below"]) == ("", [])
    assert [one["task_id"] for one in own] == [newest["task_id"]]
    assert await api.refused("POST", f"/tasks/{newest['task_id']}/stop") == (409, "already_ended")
    for unknown in ("t_00000000000000", "nothing"):
        assert await api.refused("POST", f"/tasks/{unknown}/stop") == (404, "unknown_task")
        assert await api.refused("GET", f"/tasks/{unknown}") == (404, "not_found")
    root.rests()
    c.rests()


async def test_a_board_is_shown_and_without_a_session_an_empty_one(worlds: Worlds) -> None:
    world = branch_world(worlds)
    a = world.puppet("a")
    async with serving(await world.open()) as daemon:
        api = Api(daemon.client(Scope.READ))
        empty = await api.shown("/todos")
        session = (await world.prompt("a", "begin")).session_id
        await a.does(call("todo_create", subject="dig"), call("todo_create", subject="drink", blocked_by="1"))
        board = await api.shown("/todos", session=session)
        unknown = await api.refused("GET", "/todos?session=nobody")

    assert empty == {"session_id": "", "todos": []}
    assert [(one["id"], one["subject"], one["blocked_by"]) for one in objects(board["todos"])] == [
        (1, "dig", []), (2, "drink", [1]),
    ]  # fmt: skip
    assert unknown == (404, "not_found")
    a.rests()


async def test_a_text_for_later_waits_and_can_be_taken_back(world: World, reach: Reach) -> None:
    world.agent("a", say("hello"))
    session = (await world.prompt("a", "begin")).session_id
    await world.quiesce()
    api = await reach()
    given: dict[str, Json] = {
        "to": session,
        "body": "ten bytes!",
        "due_us": NEXT_CENTURY_US,
        "client_id": "t-1",
    }
    first, again = [await api.post("/timers", **given) for _ in "12"]
    listed = await api.listed("/timers")
    path = f"/timers/{first['timer_id']}"
    await api.delete(path)

    assert first == again == {"timer_id": first["timer_id"], "due_us": NEXT_CENTURY_US}
    assert listed == [
        {
            "timer_id": first["timer_id"], "due_us": NEXT_CENTURY_US, "to": session, "session_id": session,
            "mode": "steer", "body_bytes": 10,
        }
    ]  # fmt: skip
    assert await api.get("/timers") == []
    assert await api.refused("DELETE", path) == (404, "not_found")
    for more, refused in (
        ({"body": " ", "client_id": None}, (422, "invalid_body")),
        ({"due_us": 1 << 70}, (422, "invalid_arguments")),
        ({"due_us": "soon"}, (422, "invalid_arguments")),
        ({"to": "nobody"}, (404, "not_found")),
        ({"body": "other"}, (409, "idempotency_conflict")),
    ):
        assert await api.refused("POST", "/timers", {**given, **more}) == refused


async def test_what_was_spent_is_told_by_agent_chain_and_day_and_what_is_left(worlds: Worlds) -> None:
    world = worlds(policy=Policy(surface="tree", tokens_max=10_000))
    world.agent("a", say("hello"), say("hello"), say("hello"))
    session = (await world.prompt("a", "one")).session_id
    await world.quiesce()
    await world.prompt("a", "two")
    await world.quiesce()
    async with serving(world.room) as daemon:
        api = Api(daemon.client(Scope.READ))
        lines = {by: await api.listed("/spend", by=by, session=session) for by in ("agent", "chain", "day")}
        page = await api.shown("/budgets", session=session, limit=1)
        rest = await api.shown("/budgets", session=session, before=str(page["next"]))
        every = await api.shown("/budgets")
        unknown = [
            await api.refused("GET", "/spend?by=year"),
            await api.refused("GET", "/spend?session=nobody"),
            await api.refused("GET", "/budgets?before=0"),
        ]
    (chain,) = objects(page["chains"])
    tokens = the(chain["tokens"])

    assert {by: len(found) for by, found in lines.items()} == {"agent": 1, "chain": 2, "day": 1}
    assert (chain["title"], chain["session_id"], chain["spent"]) == ("two", session, False)
    assert (tokens["most"], tokens["left"]) == (10_000, 10_000 - int(str(tokens["spent"])))
    assert [one["title"] for one in objects(rest["chains"])] == ["one"]
    assert [one["title"] for one in objects(every["chains"])] == ["two", "one"]
    assert (rest["next"], every["next"]) == (None, None)
    assert unknown == [(422, "invalid_arguments"), (404, "not_found"), (422, "invalid_arguments")]


async def test_texts_are_found_by_their_words(world: World, reach: Reach) -> None:
    world.agent("a", say("a well of water"))
    session = (await world.prompt("a", "dig deep")).session_id
    await world.quiesce()
    api = await reach(Scope.READ)
    (hit,) = await api.listed("/search", words="wat*", session=session)

    assert (hit["where"], hit["session_id"], hit["excerpt"]) == ("answer", session, "a well of water")
    assert hit["title"] == "dig deep"
    assert await api.get("/search", words="nothing here") == []
    assert await api.refused("GET", "/search?words=!") == (422, "invalid_query")
    assert await api.refused("GET", "/search") == (422, "invalid_arguments")
    assert await api.refused("GET", "/search?words=x&limit=501") == (422, "invalid_arguments")


async def test_notices_that_nobody_has_read_come_first(worlds: Worlds) -> None:
    world = worlds(policy=Policy(surface="tree", tokens_max=1))
    world.agent("a", *[say("hello")] * 3)
    sessions: list[str] = []
    for text in ("one", "two", "three"):  # one after the other: their ends would come in any order
        sessions.append((await world.prompt_new("a", text)).session_id)
        await world.quiesce()
    async with serving(world.room) as daemon:
        api = Api(daemon.client(Scope.OPERATE))
        first, second, third = reversed(objects((await api.shown("/notices"))["notices"]))
        seen = await api.post("/notices/seen", notices=[second["notice"]])
        pages = [await api.shown("/notices", limit=2)]
        pages.append(await api.shown("/notices", limit=2, before=str(pages[0]["next"])))
        rest = await api.post("/notices/seen", through=first["notice"])
        again = await api.post("/notices/seen", through=first["notice"])
        refused = [
            await api.refused("POST", "/notices/seen", {"notices": [0]}),
            await api.refused("POST", "/notices/seen", {"notices": list(range(1, 502))}),
            await api.refused("GET", "/notices?before=all-1"),
        ]

    assert [one["session_id"] for one in (first, second, third)] == sessions
    assert (first["code"], first["seen_us"], seen) == ("budget_spent", None, {"seen": 1})
    assert [one["notice"] for page in pages for one in objects(page["notices"])] == [
        third["notice"], first["notice"], second["notice"],
    ]  # fmt: skip
    assert [page["unseen"] for page in pages] == [2, 2]
    assert (pages[1]["next"], rest, again) == (None, {"seen": 1}, {"seen": 0})
    assert refused == [(422, "invalid_arguments")] * 3


async def test_mail_that_was_set_aside_can_be_sent_again_once(world: World, reach: Reach) -> None:
    a = world.puppet("a")
    session = (await world.prompt("a", "poison")).session_id
    api = await reach()
    for _ in range(5):
        await a.fails(ModelAuth("the provider wants no poison"))
        await world.quiesce()
        if world.room.store.look(lambda tx: tx.branch_row(1).n_parked):
            await api.post(f"/agents/{session}/resume")
    (dead,) = objects((await api.shown("/dead-letters"))["letters"])
    receipt = await api.post(f"/messages/{dead['message_id']}/retry")
    (after,) = objects((await api.shown("/dead-letters", limit=1))["letters"])
    again = await api.post(f"/messages/{dead['message_id']}/retry")

    assert (dead["reason"], dead["attempts"], dead["retriable"]) == ("quarantined", 5, True)
    assert (dead["sender"], dead["recipient"], dead["recipient_address"]) == ("user", "a", session)
    assert (after["retriable"], after["retried_as"]) == (False, receipt["message_id"])
    assert again["message_id"] == receipt["message_id"]
    assert await api.refused("GET", "/dead-letters?before=x") == (422, "invalid_arguments")
    a.rests()


async def test_settings_are_shown_with_their_places_and_without_keys(world: World, reach: Reach) -> None:
    world.agent("a", say("hello"))
    api = await reach(Scope.READ)
    shown = await api.shown("/config")
    settings = {str(one["key"]): one for one in objects(shown["settings"])}

    assert settings["store"]["value"] == str(world.folder)
    assert settings["mode"] == {"key": "mode", "value": "ask", "place": "default"}
    assert {"daemon.port", "policy.rounds_max", "providers.openai.api_key_file"} <= settings.keys()
