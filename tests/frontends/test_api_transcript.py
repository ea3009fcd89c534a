"""The transcript over HTTP: the same rows live and after a reload, on every surface."""

import json

import httpx2

from postroom.daemon.api.guard import Scope
from postroom.domain.keys import NodeKey
from postroom.domain.node import Provenance, Role
from postroom.domain.plain import Json
from postroom.errors import ModelFault
from postroom.store.tx import Tx
from postroom.testing.script import call, say
from postroom.testing.world import World
from tests.acceptance import branches, bus_team, peers, team_work
from tests.acceptance.family import Worlds, family, send
from tests.acceptance.statements import effort, statements
from tests.frontends.daemon import serving
from tests.frontends.transcripts import Row, kinds, of, page_of, parts, rows_in, rows_of, sender

NODES = 3_000


async def get(client: httpx2.AsyncClient, path: str, **query: int) -> dict[str, Json]:
    """What an endpoint answers."""
    answer = await client.get(path, params=query)
    assert answer.status_code == 200, answer.text
    found: dict[str, Json] = answer.json()
    return found


class Watcher:
    """Reads what is new after each step, as a page does that stays open."""

    def __init__(self) -> None:
        self.rows: list[Row] = []
        self._settled: list[Row] = []
        self._after = 0

    def look(self, world: World, profile: str) -> None:
        """Take what lies behind the last settled item in place of what was there."""
        fresh = rows_of(world, profile, after=self._after) if self._after else rows_of(world, profile)
        self.rows = [*self._settled, *fresh]

    def settle(self, row: Row) -> None:
        """From now on only what lies behind this row's item is read anew."""
        node = row["node_id"]
        assert isinstance(node, int)
        self._after = node
        self._settled = [one for one in self.rows if isinstance(at := one["node_id"], int) and at <= node]


async def test_the_transcript_is_there_over_http_with_the_whole_of_what_it_cuts(world: World) -> None:
    root, _ = await family(world, "b")
    await root.does(send(world.handle("b"), "look here " * 300))
    async with serving(world.room) as daemon:
        client = daemon.client(Scope.READ)
        live = rows_in(await get(client, f"/agents/{world.view('r').session_id}/transcript"))
        await world.rest()
        rows = rows_in(await get(client, f"/agents/{world.view('r').branch_id}/transcript"))
        (made,) = parts(of(rows, "calls", 1), "calls")
        whole = await get(client, f"/calls/{made['call_id']}")
        turn = await get(client, f"/turns/{of(rows, 'turn_end')['turn_id']}")
        said = await get(client, f"/nodes/{of(rows, 'answer')['node_id']}/text")
        unknown = [
            await client.get(path)
            for path in ("/calls/c_1_1_99", "/calls/one", "/turns/one", "/nodes/99/text")
        ]

    assert kinds(live) == ["text", "calls", "spawn", "calls", "mail_out"]
    assert [row["id"] for row in rows][: len(live)] == [row["id"] for row in live]
    assert len(str(made["arguments"])) == 2_000
    assert len(str(whole["arguments"])) == 2_000 + int(str(made["arguments_missing_chars"]))
    assert (whole["tool"], whole["state"], turn["state"]) == ("send_message", "ended", "finished")
    assert [answer.status_code for answer in unknown] == [404, 404, 404, 404]
    assert said["text"] == of(rows, "answer")["text"]
    await world.check()


async def test_a_tree_tells_of_mail_in_both_directions_and_the_card_of_a_child(world: World) -> None:
    """OP-32, OP-78: the card stands where it was made, and shows another state."""
    root, child = await family(world, "b")
    await root.does(send(world.handle("b"), "look here"))
    card = of(rows_of(world, "r"), "spawn")
    await child.says("read")
    await world.rest()

    rows, given = rows_of(world, "r"), rows_of(world, "b")
    later = of(rows, "spawn")
    assert (card["status"], card["node_id"]) == ("running", later["node_id"])
    assert (later["status"], later["outcome"], later["preview"]) == ("done", "succeeded", "I rest now.")
    (to,) = parts(of(rows, "mail_out"), "to")
    assert (to["state"], to["read_round"]) == ("consumed", 2)
    assert kinds(given) == ["mail_in", "answer", "mail_in", "answer", "mail_out", "turn_end"]
    assert [one["provenance"] for one in given] == ["agent"] * 5 + ["system"]
    assert sender(parts(given[0])[0]) == ("agent", "r")
    assert (given[4]["what"], given[4]["message_kind"]) == ("replied", "result")
    await world.check()


async def test_the_result_of_a_task_that_failed_says_why(world: World) -> None:
    """OP-32: such a message has no text, so its reader would see an empty row."""
    root, child = await family(world, "b")
    await root.does(send(world.handle("b"), "look here"))
    await child.fails(ModelFault("the model refused"))
    await root.says("I wait")
    await world.rest()

    (result,) = parts(of(rows_of(world, "r"), "mail_in"))
    assert (result["message_kind"], result["outcome"], result["text"]) == ("result", "failed", "")
    assert str(result["code"]).startswith("model_failed")
    await world.check()


async def test_what_waits_unread_is_told_until_it_is_read(world: World) -> None:
    """OP-32: it is no part of the conversation yet, and the heading counts it."""
    root, child = await family(world, "b")
    await root.does(send(world.handle("b"), "at your next step"))

    waits = of(rows_of(world, "b"), "waiting")
    letter = waits["letter"]
    assert isinstance(letter, dict)
    assert (letter["text"], letter["state"], waits["node_id"]) == ("at your next step", "accepted", None)
    await child.says("first")
    await child.asked()
    assert "waiting" not in kinds(rows_of(world, "b"))
    await world.check()


async def test_what_one_sees_live_is_what_a_reload_shows(world: World) -> None:
    """KK-47: whoever has followed step by step holds the same rows as who opens the page at the end."""
    root, child = await family(world, "b")
    watcher = Watcher()
    watcher.look(world, "r")
    await root.does(send(world.handle("b"), "one"))
    watcher.look(world, "r")
    watcher.settle(of(watcher.rows, "text"))
    await child.says("two")
    await child.asked()
    watcher.look(world, "r")
    await world.rest()
    watcher.look(world, "r")

    assert watcher.rows == rows_of(world, "r")
    live = rows_of(world, "r")
    await world.reopen()
    assert rows_of(world, "r") == live
    await world.check()


async def test_branches_tell_of_mail_to_the_one_beside(worlds: Worlds) -> None:
    """OP-18, OP-78: the card names the branch, not a session of its own."""
    world = branches.branch_world(worlds)
    a, b = await branches.crew(world, "b")
    await a.does(branches.message(branches.address(world, "b"), "are you there?"))
    await b.says("at work")
    await world.rest()

    rows = rows_of(world, "a")
    card = of(rows, "spawn")
    agent = card["agent"]
    assert isinstance(agent, dict)
    assert agent["session_id"] == world.view("a").session_id
    assert card["status"] == "done"
    assert of(rows, "mail_out")["summary"] == "are you there?"
    await world.check()


async def test_peers_tell_of_mail_between_sessions(worlds: Worlds) -> None:
    """OP-9, OP-32: each of both sides has the row that is its own."""
    world, a, b, at = await peers.two(worlds)
    await a.does(peers.write(at, "the beginning of a long text " + "x" * 500))
    await a.says("sent")
    await b.says("thank you")
    await world.quiesce()

    out, came = of(rows_of(world, "a"), "mail_out"), of(rows_of(world, "b"), "mail_in")
    assert len(str(out["summary"])) == 120
    assert out["message_id"] == parts(came)[0]["message_id"]
    assert (came["provenance"], sender(parts(came)[0])) == ("agent", ("agent", "a"))
    await world.check()


async def test_a_team_tells_of_each_recipient_of_a_group(worlds: Worlds) -> None:
    """OP-32: one row, and how it stands with each."""
    world = team_work.world_of(worlds)
    team = await team_work.crew(world, "b", "c")
    await team.a.does(call("send_message", to=list(team.addresses), message="to both"))
    await team.others[0].says("one")
    await team.others[0].asked()

    row = of(rows_of(world, "a"), "mail_out")
    assert sorted(str(one["state"]) for one in parts(row, "to")) == ["accepted", "claimed"]
    await world.check()


async def test_words_of_the_person_and_of_an_agent_are_kept_apart(worlds: Worlds) -> None:
    """KK-21: a shared item is mixed, and each part says whose it is."""
    world = bus_team.roster_world(worlds)
    a = bus_team.assistant(world)
    await world.prompt("assistant", "begin")
    await a.asked()
    await world.prompt("assistant", "be quick")
    await a.does(bus_team.post("everyone", "a note"))
    await a.says("noted")
    await world.quiesce()

    mixed = next(row for row in rows_of(world, "assistant") if row["provenance"] == "mixed")
    assert mixed["kind"] == "mail_in"
    assert [(part["provenance"], part["text"]) for part in parts(mixed)] == [
        ("user", "be quick"), ("agent", "a note"),
    ]  # fmt: skip
    await world.check()


async def test_a_bus_that_has_closed_tells_what_nobody_read(worlds: Worlds) -> None:
    """KK-42: the sentence and the record, each with the beginning of a long text and how much is missing."""
    world = bus_team.roster_world(worlds)
    a = bus_team.assistant(world, "researcher")
    bus_team.workers(world, {"work": [say("done")]})
    await world.prompt("assistant", "begin")
    await a.does(bus_team.make("researcher", "work"))
    await a.does(bus_team.post("researcher#1", "x" * 2_500))
    (posted,) = parts(of(rows_of(world, "assistant"), "mail_out"), "to") or [{}]
    await a.says("over")
    await world.quiesce()

    report = of(rows_of(world, "assistant"), "close_report")
    (unread,) = parts(report, "undelivered")
    assert posted == {}
    assert (unread["sender"], unread["to"], unread["missing_chars"]) == ("assistant", "researcher#1", 500)
    assert len(str(unread["text"])) == 2_000
    sentence = str(report["sentence"])
    assert sentence.startswith("One message between agents was not delivered:")
    assert "(500 more characters)" in sentence
    (to,) = parts(of(rows_of(world, "assistant"), "mail_out"), "to")
    assert to["state"] == "undelivered"
    await world.check()


async def test_a_bus_that_a_stop_has_closed_tells_its_record_and_says_no_sentence(worlds: Worlds) -> None:
    """KK-43: nothing is said of it to the person; what was not read stands there all the same."""
    world = bus_team.roster_world(worlds)
    a = bus_team.assistant(world, "researcher")
    bus_team.workers(world, {"work": [say("done")]})
    await world.prompt("assistant", "begin")
    await a.does(bus_team.make("researcher", "work"))
    await a.does(bus_team.post("researcher#1", "too late"))
    await world.room.stop(world.view("assistant").session_id)
    await world.turn_end("assistant")

    report = of(rows_of(world, "assistant"), "close_report")
    assert report["sentence"] == ""
    assert [unread["text"] for unread in parts(report, "undelivered")] == ["too late"]
    await world.check()


async def test_a_message_that_is_taken_back_says_why_it_ended_unread(world: World) -> None:
    """OP-32: on the side of whoever has sent it."""
    root, _ = await family(world, "b")
    await root.does(send(world.handle("b"), "never mind"))
    await world.room.recall(str(of(rows_of(world, "r"), "mail_out")["message_id"]))

    (to,) = parts(of(rows_of(world, "r"), "mail_out"), "to")
    assert (to["state"], to["reason"]) == ("discarded", "recalled")
    assert "waiting" not in kinds(rows_of(world, "b"))
    await world.check()


async def test_text_on_a_bus_waits_until_its_reader_takes_it(worlds: Worlds) -> None:
    """KK-47: no mailbox has it, and the person sees that it lies there."""
    world = bus_team.roster_world(worlds)
    a = bus_team.assistant(world)
    await world.prompt("assistant", "begin")
    await a.asked()
    await world.prompt("assistant", "more")

    waits = of(rows_of(world, "assistant"), "waiting")
    assert waits["provenance"] == "user"
    await a.says("read")
    await a.asked()
    assert "waiting" not in kinds(rows_of(world, "assistant"))
    await world.check()


async def test_a_page_of_a_long_conversation_costs_as_much_as_one_of_a_short_one(world: World) -> None:
    """Ten thousand items behind a page are not walked; the pages together are the conversation."""
    root = world.puppet("r")
    await world.prompt("r", "begin")
    await root.says("first")
    await world.quiesce()
    await world.room.store.write(_lengthen, 20)
    short = _cost(world)
    await world.room.store.write(_lengthen, NODES)
    long = _cost(world)

    assert long[0] == short[0]
    assert long[1] <= short[1] * 2
    found, query = list[Row](), {"limit": 500}
    while True:
        page = world.room.store.look(page_of, world.view("r").branch_id, query)
        found = [*rows_in(page), *found]
        assert isinstance(page, dict)
        if not isinstance(older := page["older"], int):
            break
        query = {"limit": 500, "before": older}
    answers = [row["model"] for row in found if row["kind"] == "answer"]
    assert (len(answers), set(answers)) == (NODES + 21, {"an older", "scripted:r"})
    assert len({str(row["id"]) for row in found}) == len(found)
    assert kinds(found)[-1] == "turn_end"


def _lengthen(tx: Tx, n: int) -> None:
    """So many answers behind the newest item of the first branch."""
    head = tx.head_of(1)
    parts_ = json.dumps({"text": "more", "calls": [], "provider": "an older", "provider_parts": None})
    for _ in range(n):
        head = tx.append_node(1, head, Role.ASSISTANT, Provenance.AGENT, parts_, 1, 1)
    tx.move_head(1, 1, head or NodeKey(0), 1, 0)


def _cost(world: World) -> tuple[int, int]:
    """How many statements a page takes, and how many of the database's instructions."""
    with statements(world) as heard, effort(world) as spent:
        rows_of(world, "r", limit=10)
    return len(heard), spent[0]
