"""The mail timeline and why over HTTP: who wrote to whom, how it stands as it changes, page by page."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias, cast

import httpx2
import pytest

from postroom.daemon.api.guard import Scope
from postroom.domain.plain import Json
from postroom.errors import ModelAuth
from postroom.observe.mail_timeline import MailQuery, mail_page
from postroom.observe.mail_views import MailPage
from postroom.testing.clock import FakeClock
from postroom.testing.world import World
from tests.acceptance import branches, bus_team, teams
from tests.acceptance.family import Worlds, family, send
from tests.frontends.daemon import serving

Object: TypeAlias = Mapping[str, Json]


class Mail:
    """The endpoints of messages, as a client with the least scope sees them."""

    def __init__(self, client: httpx2.AsyncClient) -> None:
        self._client = client

    async def page(self, **query: str | int) -> dict[str, Json]:
        """A page of the timeline."""
        answer = await self._client.get("/messages", params=query)
        assert answer.status_code == 200, answer.text
        found: dict[str, Json] = answer.json()
        return found

    async def listed(self, **query: str | int) -> list[Object]:
        """The messages of a page."""
        return objects((await self.page(**query))["messages"])

    async def code(self, path: str, **query: str) -> tuple[int, str]:
        """The status and the code of a failure."""
        answer = await self._client.get(path, params=query)
        failure: dict[str, dict[str, str]] = answer.json()
        assert set(failure["error"]) == {"code", "message", "remedy"}
        return answer.status_code, failure["error"]["code"]

    async def one(self, message_id: Json) -> tuple[Object, str]:
        """A message and its whole text."""
        answer = await self._client.get(f"/messages/{message_id}")
        assert answer.status_code == 200, answer.text
        found: dict[str, Json] = answer.json()
        return the(found["mail"]), str(found["body"])


def objects(value: Json) -> list[Object]:
    """A JSON list of objects."""
    return [the(one) for one in cast("list[Json]", value)]


def the(value: Json) -> Object:
    """A JSON object."""
    return cast("Object", value)


def saying(mail: Sequence[Object], text: str) -> Object:
    """The one message whose text begins so."""
    (found,) = (one for one in mail if str(one["preview"]).startswith(text))
    return found


def stands(message: Object) -> list[tuple[Json, Json]]:
    """(recipient, state) of each."""
    return [(the(one["to"])["label"], one["state"]) for one in objects(message["recipients"])]


def only(message: Object) -> Object:
    """How it stands with its one recipient."""
    (found,) = objects(message["recipients"])
    return found


def number(value: Json) -> int:
    """A whole number."""
    assert isinstance(value, int)
    return value


async def test_mail_is_shown_as_it_is_accepted_and_read(world: World) -> None:
    """OP-19 on the page: who wrote it, to whom, how it entered, when it was read, and how long that took."""
    root, b = await family(world, "b")
    clock = world.clock
    assert isinstance(clock, FakeClock)
    async with serving(world.room) as daemon:
        mail = Mail(daemon.client(Scope.READ))
        await root.does(send(world.handle("b"), "look\n\nhere   please", "queue"))
        waits = saying(await mail.listed(), "look")
        await clock.advance(2)
        await b.says("done with the first")
        await b.asked()
        held = saying(await mail.listed(), "look")
        await b.says("looked")
        await world.turn_end("b", 2)
        read = only(saying(await mail.listed(), "look"))

    assert (waits["preview"], waits["body_bytes"]) == ("look here please", len("look\n\nhere   please"))
    assert (waits["mode"], the(waits["sender"])["by"]) == ("queue", "agent")
    assert the(waits["sender"])["session_id"] == world.view("r").session_id
    assert stands(waits) == [(world.handle("b"), "accepted")]
    assert (only(waits)["latency_us"], only(held)["state"]) == (None, "claimed")
    assert (read["state"], read["round"], read["attempts"]) == ("consumed", 1, 1)
    assert number(read["latency_us"]) == number(read["consumed_us"]) - number(read["accepted_us"])
    assert number(read["latency_us"]) >= 2_000_000
    assert number(read["accepted_us"]) <= number(read["claimed_us"]) <= number(read["consumed_us"])
    await world.check()


async def test_a_task_is_tied_to_its_message_and_to_its_result(world: World) -> None:
    """It is found by its own id, too."""
    _, b = await family(world, "b")
    async with serving(world.room) as daemon:
        mail = Mail(daemon.client(Scope.READ))
        given = saying(await mail.listed(kind="prompt"), "work")
        await b.says("done")
        await world.turn_end("b")
        task, body = await mail.one(given["task_id"])
        (result,) = await mail.listed(kind="result")

    assert (given["task_state"], given["answered_by"]) == ("running", [])
    assert (task["message_id"], body) == (given["message_id"], "work")
    assert (task["task_state"], task["task_outcome"]) == ("completed", "succeeded")
    assert task["answered_by"] == [result["message_id"]]
    assert result["reply_to"] == task["message_id"]
    assert the(result["sender"])["by"] == "runtime"
    assert the(result["sender"])["branch_id"] == world.view("b").branch_id
    await world.check()


async def test_the_result_of_a_task_that_failed_says_why(world: World) -> None:
    """It has no text: without its code nobody could tell what happened."""
    _, b = await family(world, "b")
    async with serving(world.room) as daemon:
        mail = Mail(daemon.client(Scope.READ))
        await b.fails(ModelAuth("the provider does not accept the key"))
        await world.turn_end("b")
        (result,) = await mail.listed(kind="result")
        one, body = await mail.one(result["message_id"])
        (given,) = await mail.listed(kind="prompt")

    assert (result["preview"], body, result["outcome"]) == ("", "", "failed")
    assert str(result["code"]) == "model_auth: the provider does not accept the key"
    assert one["code"] == result["code"]
    assert (given["outcome"], given["code"]) == ("", "")
    await world.check()


async def test_the_filters_of_the_timeline_let_through_what_they_say(world: World) -> None:
    root, b, c = await family(world, "b", "c")
    await root.does(send(world.handle("b"), "for b"))
    await root.does(send(world.handle("c"), "for c"))
    await b.does(send(world.handle("c"), "from b to c"))
    del c
    async with serving(world.room) as daemon:
        mail = Mail(daemon.client(Scope.READ))
        sent = {"for b", "for c", "from b to c"}

        async def found(**query: str) -> set[str]:
            return {str(one["preview"]) for one in await mail.listed(kind="mail", **query)}

        assert await found() == sent
        assert await found(session=world.view("c").session_id) == sent
        assert await found(agent=world.handle("b")) == {"for b", "from b to c"}
        assert await found(agent=world.handle("c"), between=world.handle("b")) == {"from b to c"}
        assert await found(state="held") == set()
        assert await found(state="accepted") | await found(state="claimed") == sent
        assert [the(one["sender"])["by"] for one in await mail.listed(kind="user")] == ["user"]
        assert await mail.code("/messages", agent="nobody") == (404, "not_found")
        assert await mail.code("/messages", between="b") == (400, "bad_request")
        assert await mail.code("/messages", state="lost") == (422, "invalid_arguments")
        assert await mail.code("/messages", before="0") == (422, "invalid_arguments")
    await world.check()


@pytest.mark.parametrize("of", ["", "agent", "session"])
async def test_pages_have_no_gap_and_no_double_while_mail_arrives(world: World, of: str) -> None:
    """The newest page grows; those behind it stay as they were."""
    root, b = await family(world, "b")
    await root.does(send(world.handle("b"), "between agents"))
    query = {of: world.handle("b")} if of else {}

    async def arrives(text: str) -> None:
        await world.room.send(world.handle("b"), text, mode="queue")

    for index in range(5):
        await arrives(f"early {index}")
    seen = list[Json]()
    before: dict[str, int] = {}
    async with serving(world.room) as daemon:
        mail = Mail(daemon.client(Scope.READ))
        while True:
            page = await mail.page(limit=2, **query, **before)
            seen += [one["message_id"] for one in objects(page["messages"])]
            if page["next"] is None:
                break
            before = {"before": number(page["next"])}
            await arrives(f"late, behind {len(seen)}")
        whole = [one["message_id"] for one in await mail.listed(limit=200, **query)]

    assert len(seen) == len(set(seen)) == (7 if of == "agent" else 8)
    assert seen == whole[-len(seen) :]
    assert len(whole) > len(seen)
    await b.asked()
    await world.check()


async def test_a_page_looks_at_a_bounded_number_of_messages(world: World) -> None:
    """Where a filter lets nothing through, the next page goes on behind what was looked at."""
    root, b = await family(world, "b")
    await root.does(send(world.handle("b"), "the only one"))
    for index in range(70):
        await world.room.send(world.handle("b"), f"{index}", mode="queue")

    def look(before: int | None) -> MailPage:
        query = MailQuery(agent=world.handle("b"), kind="mail", before=before)
        return world.room.store.look(mail_page, query, 64)

    first = look(None)
    second = look(first.next)

    assert first.messages == []
    assert [one.preview for one in second.messages] == ["the only one"]
    assert second.next is None
    await b.asked()


async def test_one_message_to_several_stands_with_each_on_its_own(worlds: Worlds) -> None:
    """One line of the timeline, also where its recipients are asked for."""
    world = teams.team_world(worlds)
    a, b, c = await teams.crew(world, "b", "c")
    to: list[Json] = [teams.address(world, "b"), teams.address(world, "c")]
    await a.does(teams.message(to, "to both of you"))
    await b.asked()
    await b.says("read")
    await world.turn_end("b")
    async with serving(world.room) as daemon:
        mail = Mail(daemon.client(Scope.READ))
        everywhere = saying(await mail.listed(), "to both")
        of_c = saying(await mail.listed(agent=teams.address(world, "c")), "to both")
        in_tree = saying(await mail.listed(session=world.view("a").session_id), "to both")
        one, _ = await mail.one(everywhere["message_id"])
    del c
    assert [state for _, state in stands(everywhere)] == ["consumed", "claimed"]
    assert everywhere == of_c == in_tree == one
    await world.check()


async def test_mail_on_a_bus_names_its_selector_and_whoever_took_it(worlds: Worlds) -> None:
    """Posted, then taken by a reader; what nobody takes before the turn is over is undelivered."""
    world = bus_team.roster_world(worlds)
    a = bus_team.assistant(world, "researcher")
    r = world.puppet("researcher", tools=("messaging",))
    await world.prompt("assistant", "begin")
    await a.starts(bus_team.make("researcher", "north"))
    await r.does(bus_team.post("assistant", "for the entry agent"))
    async with serving(world.room) as daemon:
        mail = Mail(daemon.client(Scope.READ))
        posted = saying(await mail.listed(state="posted"), "for the entry")
        await r.says("done")
        await a.does(bus_team.post("researcher#1", "too late"))
        taken = saying(await mail.listed(agent=world.view("assistant").session_id), "for the entry")
        await a.says("done")
        await world.quiesce()
        gone = saying(await mail.listed(state="undelivered"), "too late")

    assert (posted["selector"], posted["recipients"], posted["waits_on_bus"]) == ("assistant", [], True)
    assert the(posted["sender"])["branch_id"] == world.view("researcher").branch_id
    assert taken["selector"] == "assistant"
    assert the(only(taken)["to"])["branch_id"] == world.view("assistant").branch_id
    assert (the(only(gone)["to"])["branch_id"], only(gone)["state"]) == ("", "undelivered")
    assert not gone["waits_on_bus"]
    await world.check()


async def test_what_the_person_says_on_a_bus_is_there_before_anybody_has_taken_it(worlds: Worlds) -> None:
    """In the mail of the agent that reads it, and in that of its session."""
    world = bus_team.roster_world(worlds)
    a = bus_team.assistant(world)
    prompt = await world.prompt("assistant", "begin")
    await a.asked()
    await world.room.send(prompt.session_id, "one more thing")
    async with serving(world.room) as daemon:
        mail = Mail(daemon.client(Scope.READ))
        of_agent = await mail.listed(agent=prompt.session_id)
        of_session = await mail.listed(session=prompt.session_id)
        await a.does(bus_team.look())
        taken = await mail.listed(session=prompt.session_id)

    assert [one["preview"] for one in of_agent] == ["one more thing", "begin"]
    assert of_agent == of_session
    assert (of_agent[0]["selector"], of_agent[0]["recipients"]) != ("", [])
    assert stands(saying(taken, "one more")) == [("assistant", "claimed")]
    assert len(taken) == len(of_session)
    await world.check()


@pytest.mark.parametrize(("decision", "state"), [("approve", "claimed"), ("deny", "discarded")])
async def test_a_held_message_says_what_it_waits_for_and_how_it_ended(
    worlds: Worlds, decision: str, state: str
) -> None:
    world = branches.branch_world(worlds, replace(branches.POLICY, unattended_sends="hold"))
    a, b = world.puppet("a"), world.puppet("b")
    await world.prompt("b", "hello")
    await b.says("hello")
    await world.quiesce()
    await world.room.prompt("begin", profile="a", attended=False)
    await a.does(branches.message(branches.address(world, "b"), "may I?"))
    await world.event("ask.opened")
    async with serving(world.room) as daemon:
        mail = Mail(daemon.client(Scope.READ))
        held = only(saying(await mail.listed(state="held"), "may I?"))
        (ask,) = await world.room.asks()
        if decision == "approve":
            await world.room.approve(ask.ask_id)
            await b.asked()
        else:
            await world.room.deny(ask.ask_id)
        after = only(saying(await mail.listed(agent=branches.address(world, "b")), "may I?"))
    assert (held["held_for"], held["reason"], held["accepted_us"]) == ("approval", "", None)
    assert number(held["held_us"]) > 0
    assert (after["state"], after["held_for"], after["held_us"]) == (state, "", None)
    assert after["reason"] == ("" if decision == "approve" else "denied")
    assert (after["accepted_us"] is None) == (decision == "deny")
    await world.check()


async def test_mail_that_goes_out_of_date_says_when_and_then_that_it_has(worlds: Worlds) -> None:
    world = teams.team_world(worlds)
    a, b = await teams.crew(world, "b")
    await a.does(teams.message(teams.address(world, "b"), "keep busy"))
    await b.asked()
    await a.does(teams.message(teams.address(world, "b"), "only today", expires_in_s=60))
    clock = world.clock
    assert isinstance(clock, FakeClock)
    async with serving(world.room) as daemon:
        mail = Mail(daemon.client(Scope.READ))
        waits = only(saying(await mail.listed(), "only today"))
        await clock.advance(61)
        await world.event("message.discarded")
        gone = only(saying(await mail.listed(state="discarded"), "only today"))
    assert number(waits["expires_us"]) - number(waits["accepted_us"]) == 60_000_000
    assert (gone["reason"], gone["consumed_us"], gone["latency_us"]) == ("expired", None, None)
    assert number(gone["ended_us"]) >= number(waits["expires_us"])
    await world.check()


async def test_why_gives_the_same_over_http_as_in_the_room(world: World) -> None:
    root, b = await family(world, "b")
    await root.does(send(world.handle("b"), "look here"))
    await b.asked()
    async with serving(world.room) as daemon:
        client = daemon.client(Scope.READ)
        mail = Mail(client)
        message = saying(await mail.listed(), "look here")
        why: dict[str, Json] = (await client.get(f"/why/{message['message_id']}")).json()
        of_turn: dict[str, Json] = (await client.get(f"/why/{world.handle('b')}")).json()
        assert await mail.code("/why/nothing") == (404, "not_found")
        assert await mail.code("/messages/nothing") == (404, "not_found")
    known = await world.room.why(str(message["message_id"]))
    assert known.message is not None
    assert (why["what"], of_turn["what"]) == ("message", "turn")
    assert the(why["message"])["call_id"] == known.message.call_id
    assert objects(the(why["message"])["life"])[0]["what"] == "accepted"
    assert objects(why["because"])[-1]["kind"] == "user"
    assert of_turn["message"] is None
    await world.check()
