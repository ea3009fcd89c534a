"""What agents ask the person, decided over HTTP."""

from postroom.testing.puppet import results_of
from postroom.testing.world import World
from tests.acceptance.asking import asking, question, the_ask
from tests.acceptance.family import accepted, code, send
from tests.frontends.api import Reach


async def test_leave_is_given_by_the_end_of_an_id_and_the_call_is_made(world: World, reach: Reach) -> None:
    root, _ = await asking(world)
    await root.starts(send(world.handle("b"), "may I?"))
    ask = await the_ask(world)
    api = await reach()
    (listed,) = await api.listed("/asks", kind="approval")
    told = await api.post(f"/asks/{ask.ask_id[-8:]}/approve", scope="tree")
    (result,) = results_of(await root.asked())
    rights = await api.shown(f"/agents/{listed['session_id']}/rights")

    assert (listed["ask_id"], listed["text"], listed["action"]) == (ask.ask_id, "may I?", "message")
    assert (told["ask_id"], told["state"], told["scope"]) == (ask.ask_id, "approved", "tree")
    assert accepted(result).mode == "steer"
    assert rights["grants"] == [
        {"action": "message", "resource": "child", "to": world.handle("b"), "tool": "send_message"}
    ]
    assert await api.get("/asks") == []


async def test_a_denial_is_read_with_its_reason_and_stays(world: World, reach: Reach) -> None:
    root, _ = await asking(world)
    await root.starts(send(world.handle("b"), "may I?"))
    ask = await the_ask(world)
    api = await reach()
    told = await api.post(f"/asks/{ask.ask_id}/deny", reason="not today")
    (result,) = results_of(await root.asked())

    assert (told["state"], code(result)) == ("denied", "permission_denied")
    assert "not today" in result.text
    for deed in ("approve", "deny"):
        assert await api.refused("POST", f"/asks/{ask.ask_id}/{deed}", {}) == (409, "already_decided")


async def test_two_who_look_see_the_same_and_one_of_them_decides(world: World, reach: Reach) -> None:
    """O-23"""
    a = world.puppet("a")
    await world.prompt("a", "begin")
    await a.starts(question("Blue or green?", "blue", "green"))
    ask = await the_ask(world)
    other = await reach()
    api = await reach()
    lists = [await one.get("/asks") for one in (api, other)]
    told = await api.post(f"/asks/{ask.ask_id}/answer", text=" 2 ")
    (result,) = results_of(await a.asked())

    assert lists[0] == lists[1]
    assert (told["kind"], told["state"], result.text) == (
        "question",
        "answered",
        "The person answered:\ngreen",
    )
    assert await other.refused("POST", f"/asks/{ask.ask_id}/answer", {"text": "blue"}) == (
        409, "already_decided",
    )  # fmt: skip
    assert await other.get("/asks") == []


async def test_each_kind_of_ask_has_its_own_deed(world: World, reach: Reach) -> None:
    a = world.puppet("a")
    await world.prompt("a", "begin")
    await a.starts(question("Blue or green?", "blue", "green"))
    path = f"/asks/{(await the_ask(world)).ask_id}"

    api = await reach()
    for deed in ("approve", "deny"):
        assert await api.refused("POST", f"{path}/{deed}", {}) == (422, "invalid_arguments")
    assert await api.refused("POST", f"{path}/answer", {"text": "3"}) == (422, "invalid_arguments")
    assert await api.refused("POST", f"{path}/answer", {"text": " "}) == (422, "invalid_body")
    assert await api.refused("POST", f"{path}/approve", {"scope": "ever"}) == (422, "invalid_arguments")
    assert await api.refused("GET", "/asks?kind=wish") == (422, "invalid_arguments")
    assert await api.refused("GET", "/asks?session=nobody") == (404, "not_found")
    for unknown in ("1234567", "no such ask at all"):
        assert await api.refused("POST", f"/asks/{unknown}/approve", {}) == (404, "not_found")
    assert len(await api.listed("/asks")) == 1
