"""What a person does with agents over HTTP, each deed with what it does and when it is refused."""

from postroom.daemon.api.guard import Scope
from postroom.domain.plain import Json
from postroom.testing.script import call
from postroom.testing.world import World, texts
from tests.acceptance.family import family, idle_family, send
from tests.frontends.api import Reach, objects, the

NOBODY = "nobody_00000000"


async def test_texts_are_read_in_the_order_in_which_they_arrive(world: World, reach: Reach) -> None:
    """O-22: whatever clock a client has; it has no way to say its own time."""
    a = world.puppet("a")
    await world.prompt("a", "begin")
    await a.asked()
    agent = world.view("a").session_id
    api = await reach()
    receipts = [await api.post(f"/agents/{agent}/send", body=text) for text in ("one", "two", "three")]
    dated = await api.refused("POST", f"/agents/{agent}/send", {"body": "four", "sent_us": 1})
    await a.does(call("current_time"))
    shown = texts(await a.asked())

    assert dated == (422, "invalid_arguments")
    assert [one["recipient_state"] for one in receipts] == ["running"] * 3
    assert [one["number"] for one in receipts] == [2, 3, 4]
    assert [text for text in shown if text in ("one", "two", "three")] == ["one", "two", "three"]


async def test_a_prompt_and_a_text_said_again_give_the_first_receipt(world: World, reach: Reach) -> None:
    a = world.puppet("a")
    await world.prompt("a", "begin")
    await a.asked()
    path = f"/agents/{world.view('a').session_id}"
    api = await reach()
    prompts = [await api.post(f"{path}/prompt", text="more", client_id="p-1") for _ in "12"]
    sends = [await api.post(f"{path}/send", body="more", mode="queue", client_id="s-1") for _ in "12"]
    other = await api.refused("POST", f"{path}/send", {"body": "other", "client_id": "s-1"})

    assert the(prompts[0]["receipt"])["message_id"] == the(prompts[1]["receipt"])["message_id"]
    assert the(prompts[0]["receipt"])["waits"] is False
    assert sends[0] == sends[1]
    assert (sends[0]["mode"], other) == ("queue", (409, "idempotency_conflict"))


async def test_what_no_model_can_read_is_not_sent(world: World, reach: Reach) -> None:
    world.puppet("a")
    await world.prompt("a", "begin")
    api, path = await reach(), f"/agents/{world.view('a').session_id}"
    for body in ("", " ", "a\0", "\ufffe"):
        assert await api.refused("POST", f"{path}/send", {"body": body}) == (422, "invalid_body")
        assert await api.refused("POST", f"{path}/prompt", {"text": body}) == (422, "invalid_body")


async def test_a_stop_holds_until_the_person_goes_on(world: World, reach: Reach) -> None:
    root, child = await family(world, "b")
    path = f"/agents/{world.view('r').session_id}"

    api = await reach()
    assert await api.post(f"{path}/stop") == {"paused": 2}
    assert {agent.state for agent in world.views()} == {"paused"}
    assert await api.post(f"{path}/stop") == {"paused": 0}
    await api.post(f"{path}/resume")
    assert await api.refused("POST", f"{path}/resume") == (409, "nothing_to_resume")
    root.rests()
    child.rests()


async def test_a_cancelled_turn_ends_and_nothing_is_paused(world: World, reach: Reach) -> None:
    a = world.puppet("a")
    await world.prompt("a", "begin")
    await a.asked()
    path = f"/agents/{world.view('a').session_id}"
    api = await reach()
    await api.post(f"{path}/cancel")

    assert (await world.turn_end("a")).facts["state"] == "cancelled"
    assert world.view("a").state == "cancelled"
    assert await api.refused("POST", f"{path}/cancel") == (409, "already_ended")


async def test_an_agent_is_opened_named_and_retired(world: World, reach: Reach) -> None:
    a = world.puppet("a")
    session = (await world.prompt("a", "begin")).session_id
    await a.says("done")
    await world.quiesce()
    admin = await reach(Scope.ADMIN)
    api = await reach()
    await api.post(f"/agents/{session}/open")
    named = await api.post(f"/agents/{session}/rename", name="the dig")
    titled = await api.post("/sessions/the dig/retitle", title="What lies under it ")
    retired = await admin.post(f"/agents/{session}/archive", reason="all is dug")
    again = await admin.post("/agents/the dig/archive")

    assert (named["name"], world.view("a").name) == ("the dig", "the dig")
    assert (titled["before"], world.view("a").title) == ("begin", "What lies under it")
    assert [event.actor for event in world.events("session.titled")] == ["person"]
    assert (retired["already"], again["already"], world.view("a").archived) == (False, True, True)
    assert await api.refused("POST", f"/agents/{session}/rename", {"name": "a:b"}) == (422, "invalid_name")
    for title in ("", " \u200b", "a\nb", "a\x1bb", "a" * 81):
        path = f"/sessions/{session}/retitle"
        assert await api.refused("POST", path, {"title": title}) == (422, "invalid_title")
    assert await api.refused("POST", f"/agents/{session}/send", {"body": "x"}) == (409, "archived")
    assert await api.refused("POST", f"/agents/{session}/archive") == (403, "forbidden_scope")


async def test_a_conversation_goes_on_beside_and_back(world: World, reach: Reach) -> None:
    a = world.puppet("a")
    session = (await world.prompt("a", "begin")).session_id
    path = f"/agents/{session}"
    for text in ("one", "two"):
        await a.says(text)
        await world.quiesce()
        await world.room.send(session, "more")
    await a.asked()
    api = await reach()
    busy = await api.refused("POST", f"{path}/revert", {"to": "2"})
    await a.says("three")
    await world.quiesce()
    places = await api.listed(f"{path}/places", limit=3)
    forked = await api.post(f"{path}/fork", to="2")
    tried = await api.post(f"{path}/revert", to="2", dry_run=True)
    done = await api.post(f"{path}/revert", to="2")

    assert busy == (409, "not_idle")
    assert [(one["place"], one["role"]) for one in places] == [
        ("4", "assistant"), ("5", "user"), ("6", "assistant"),
    ]  # fmt: skip
    assert (forked["place"], forked["nodes_shared"]) == ("2", 2)
    assert (tried["nodes_left"], tried["sealed_id"]) == (4, "")
    assert done["nodes_left"] == 4
    assert done["sealed_id"] in [
        one["branch_id"] for one in await api.listed(f"/sessions/{session}/branches") if one["sealed"]
    ]
    for deed in ("fork", "revert"):
        assert await api.refused("POST", f"{path}/{deed}", {"to": "99"}) == (404, "not_found")


async def test_a_goal_is_set_paused_gone_on_with_and_given_up(world: World, reach: Reach) -> None:
    root, child = await idle_family(world, "b")
    path = f"/agents/{world.view('r').session_id}/goal"

    api = await reach()
    assert await api.get(path) is None
    assert await api.refused("POST", f"{path}/pause") == (409, "no_goal")
    assert (await api.post(path, text="dig a well"))["state"] == "active"
    assert await api.refused("POST", path, {"text": "another"}) == (409, "goal_open")
    for deed, state in (("pause", "paused"), ("resume", "active"), ("cancel", "cancelled")):
        assert (await api.post(f"{path}/{deed}"))["state"] == state
    assert (await api.shown(path))["text"] == "dig a well"
    below = f"/agents/{world.view('b').session_id}/goal"
    assert await api.refused("POST", below, {"text": "dig"}) == (409, "not_a_root")
    root.rests()
    child.rests()


async def test_a_short_conversation_is_not_summed_up(world: World, reach: Reach) -> None:
    a = world.puppet("a")
    session = (await world.prompt("a", "begin")).session_id
    await a.asked()
    api = await reach()
    busy = await api.refused("POST", f"/agents/{session}/compact")
    await a.says("done")
    await world.quiesce()

    assert busy == (409, "not_idle")
    assert await api.refused("POST", f"/agents/{session}/compact") == (400, "config_invalid")


async def test_mail_is_taken_back_while_nobody_has_read_it(world: World, reach: Reach) -> None:
    root, _ = await family(world, "b")
    await root.does(send(world.handle("b"), "look here", "queue"))
    message = (await world.event("message.accepted", 3)).message_id
    api = await reach()
    await api.post(f"/messages/{message}/recall")
    (dead,) = objects((await api.shown("/dead-letters"))["letters"])

    assert (dead["message_id"], dead["state"], dead["reason"]) == (message, "discarded", "recalled")
    assert (dead["sender"], dead["excerpt"], dead["retriable"]) == ("r", "look here", False)
    assert await api.refused("POST", f"/messages/{message}/retry") == (409, "not_quarantined")
    assert await api.refused("POST", "/messages/none/recall") == (404, "unknown_reference")


DEEDS = ("prompt", "send", "stop", "cancel", "resume", "open", "compact", "rename", "fork", "revert", "goal")
GIVEN = {
    "prompt": {"text": "x"}, "send": {"body": "x"}, "rename": {"name": "x"}, "revert": {"to": "1"},
    "fork": {}, "goal": {"text": "x"},
}  # fmt: skip


async def test_no_deed_is_done_to_an_agent_that_there_is_not(world: World, reach: Reach) -> None:
    world.puppet("a")
    api = await reach()
    said = {deed: await api.refused("POST", f"/agents/{NOBODY}/{deed}", GIVEN.get(deed)) for deed in DEEDS}

    assert said == dict.fromkeys(DEEDS, (404, "not_found"))


async def test_a_name_that_nobody_can_have_is_refused_and_crashes_nothing(world: World, reach: Reach) -> None:
    world.puppet("a")
    api = await reach()
    paths = [f"/agents/{name}/rights" for name in ("%00", "a%00b", "%EF%BF%BE", "x" * 600)]
    paths += ["/asks?session=%00", "/spend?session=%00", "/search?words=%00", "/log?session=a"]
    said = {path: await api.refused("GET", path) for path in paths}

    assert set(said.values()) == {(422, "invalid_arguments"), (404, "not_found")}
    assert said["/log?session=a"] == (404, "not_found")


async def test_rights_are_changed_by_who_may_do_everything(world: World, reach: Reach) -> None:
    world.puppet("a")
    session = (await world.prompt("a", "begin")).session_id
    admin, path = await reach(Scope.ADMIN), f"/agents/{session}"
    allowed: dict[str, Json] = {"action": "message", "pattern": "child", "effect": "deny"}
    other: dict[str, Json] = {"action": "write", "pattern": "*", "effect": "ask"}

    assert (await admin.post(f"{path}/mode", mode="yolo"))["mode"] == "yolo"
    assert (await admin.post(f"{path}/attended", attended=False))["attended"] is False
    assert (await admin.post(f"{path}/overlay", rules=[allowed]))["overlay"] == [allowed]
    assert (await admin.post(f"{path}/overlay/set", **other))["overlay"] == [allowed, other]
    assert (await admin.post(f"{path}/overlay/set", **{**allowed, "effect": "ask"}))["overlay"] == [
        other, {**allowed, "effect": "ask"},
    ]  # fmt: skip
    assert (await admin.post(f"{path}/overlay/unset", action="write", pattern="*"))["overlay"] == [
        {**allowed, "effect": "ask"}
    ]
    assert (await admin.post(f"{path}/overlay", rules=[]))["overlay"] == []
    api = await reach()
    assert await api.shown(f"{path}/rights") == {
        "session_id": session, "mode": "yolo", "attended": False, "overlay": [], "grants": [],
    }  # fmt: skip
    for deed, given in (
        ("mode", {"mode": "ask"}),
        ("attended", {"attended": True}),
        ("overlay", {"rules": []}),
    ):
        assert await api.refused("POST", f"{path}/{deed}", given) == (403, "forbidden_scope")


NO_RULES: tuple[tuple[str, dict[str, Json]], ...] = (
    ("overlay/set", {"action": "fly", "pattern": "*", "effect": "deny"}),
    ("overlay/set", {"action": "message", "pattern": "cousin", "effect": "deny"}),
    ("overlay/set", {"action": "message", "pattern": "", "effect": "deny"}),
    ("overlay/set", {"action": "message", "pattern": "*", "effect": "perhaps"}),
    ("overlay/unset", {"action": "message", "pattern": "child"}),
    ("overlay", {"rules": [{"action": "message", "pattern": "*"}]}),
    ("overlay", {"rules": "none"}),
    ("mode", {"mode": "maybe"}),
    ("attended", {"attended": "no"}),
)


async def test_what_is_no_rule_changes_nothing(world: World, reach: Reach) -> None:
    world.puppet("a")
    session = (await world.prompt("a", "begin")).session_id
    admin = await reach(Scope.ADMIN)
    before = await admin.get(f"/agents/{session}/rights")
    said = [await admin.refused("POST", f"/agents/{session}/{deed}", given) for deed, given in NO_RULES]

    assert said == [(422, "invalid_arguments")] * len(NO_RULES)
    assert await admin.get(f"/agents/{session}/rights") == before
