"""The control door: what comes through it, and that nothing which comes through it can break it."""

import asyncio
import json
import stat
from pathlib import Path
from typing import cast

import pytest

from postroom.app import Postroom
from postroom.daemon.client import DoorClient
from postroom.daemon.door import open_door
from postroom.daemon.wire import LINE_BYTES_MAX, Told, socket_path
from postroom.domain.plain import Json
from postroom.observe.logs import RoomLog
from postroom.store.tx import Tx
from tests.cli.cli import write_team
from tests.frontends.visitor import Visitor, code_of, result_of


async def test_every_command_answers_in_the_words_of_its_request(room: Postroom, visitor: Visitor) -> None:
    said = result_of(await visitor.ask("prompt", text="hello", client_id="c-1"))
    session = str(said["session_id"])
    await room.quiesce()

    sent = result_of(await visitor.ask("send", to=session, body="more"))
    await room.quiesce()
    listed = await visitor.ask("ps", session=session)
    shown = result_of(await visitor.ask("show", reference=session))
    logged = await visitor.ask("log", after=2, limit=3)
    status = result_of(await visitor.ask("status"))

    assert sent["recipient_state"] == "waking_finished"
    assert [agent["state"] for agent in cast("list[dict[str, Json]]", listed["result"])] == ["finished"]
    assert cast("dict[str, Json]", shown["session"])["session_id"] == session
    assert [event["pos"] for event in cast("list[dict[str, Json]]", logged["result"])] == [3, 4, 5]
    assert (status["quiet"], status["store"]) == (True, str(room.folder))


async def test_a_prompt_through_the_door_may_spend_so_much(room: Postroom, visitor: Visitor) -> None:
    """The same limits as `run --max-tokens --max-cost`."""
    result_of(await visitor.ask("prompt", text="hello", max_tokens=900, max_cost_usd="0.5"))
    result_of(await visitor.ask("prompt", text="hello", max_tokens=0))
    await room.quiesce()
    first, second = (room.store.look(Tx.chain_of, chain).limits for chain in (1, 2))

    assert (first.tokens_max, first.cost_micros_max) == (900, 500_000)
    assert (second.tokens_max, second.cost_micros_max) == (None, None)


async def test_the_person_s_hand_reaches_through_the_door(tmp_path: Path, slow_team: Path) -> None:
    async with Postroom.open(tmp_path / "store", team=slow_team) as room, open_door(room):
        visitor = await Visitor.come(room.folder)
        session = str(result_of(await visitor.ask("prompt", text="hello"))["session_id"])

        stopped = result_of(await visitor.ask("stop", session=session))
        resumed = result_of(await visitor.ask("resume", session=session))
        cancelled = result_of(await visitor.ask("cancel", session=session))
        retried = await visitor.ask("retry", message_id="none")
        recalled = await visitor.ask("recall", message_id="none")
        await visitor.leave()

    assert (stopped, resumed, cancelled) == ({"paused": 1}, {"resumed": True}, {"cancelled": True})
    assert code_of(retried) == "not_quarantined"
    assert code_of(recalled) == "unknown_reference"


@pytest.mark.parametrize(
    ("line", "code"),
    [
        (b"hello\n", "bad_json"),
        (b"\xff\xfe\n", "bad_json"),
        (b"[1, 2]\n", "bad_json"),
        (b"[" * 100_000 + b"\n", "bad_json"),
        (b"{}\n", "bad_request"),
        (b'{"id": 1}\n', "bad_request"),
        (b'{"id": true, "command": "ps"}\n', "bad_request"),
        (b'{"id": 1, "command": 5}\n', "bad_request"),
        (b'{"id": 1, "command": "ps", "arguments": []}\n', "bad_request"),
        (b'{"id": 1, "command": "ps", "extra": 1}\n', "bad_request"),
        (b'{"id": 1, "command": "fly"}\n', "unknown_command"),
        (b'{"id": 1, "command": "ps", "arguments": {"x": 1}}\n', "invalid_arguments"),
        (b'{"id": 1, "command": "send", "arguments": {"to": "a"}}\n', "invalid_arguments"),
        (b'{"id": 1, "command": "send", "arguments": {"to": "a", "body": 1}}\n', "invalid_arguments"),
        (b'{"id": 1, "command": "tail", "arguments": {"pos": "x"}}\n', "invalid_arguments"),
        (b'{"id": 1, "command": "tail", "arguments": {"pos": 9223372036854775808}}\n', "invalid_arguments"),
        (b'{"id": 1, "command": "log", "arguments": {"after": 9223372036854775808}}\n', "invalid_arguments"),
        (b'{"id": 1, "command": "log", "arguments": {"after": -1}}\n', "invalid_arguments"),
        (b'{"id": 1, "command": "log", "arguments": {"limit": -1}}\n', "invalid_arguments"),
        (b'{"id": 1, "command": "show", "arguments": {"reference": "nobody"}}\n', "not_found"),
        (b"x" * (LINE_BYTES_MAX + 1) + b"\n", "line_too_long"),
        (b"x" * (5 * LINE_BYTES_MAX) + b"\n", "line_too_long"),
    ],
)
async def test_a_bad_line_gets_a_code_and_the_door_lives_on(visitor: Visitor, line: bytes, code: str) -> None:
    assert code_of(await visitor.say(line)) == code
    assert "pid" in result_of(await visitor.ask("status"))


async def test_an_answer_names_the_request_it_answers(visitor: Visitor) -> None:
    assert (await visitor.say(b'{"id": "a-b", "command": "fly"}\n'))["id"] == "a-b"
    assert (await visitor.say(b"nonsense\n"))["id"] is None


async def test_blank_lines_are_passed_over(visitor: Visitor) -> None:
    assert "pid" in result_of(await visitor.say(b'\n  \n{"id": 1, "command": "status"}\n'))


async def test_visitors_that_leave_in_the_middle_disturb_nobody(room: Postroom, visitor: Visitor) -> None:
    for line in (b"", b'{"id": 1, "comm', b'{"id": 1, "command": "tail"}\n', b"x" * 2_000_000):
        rude = await Visitor.come(room.folder)
        rude._writer.write(line)  # noqa: SLF001 -- what a visitor never says aloud
        await rude.leave()

    assert "pid" in result_of(await visitor.ask("status"))


async def test_many_visitors_are_served_beside_each_other(room: Postroom) -> None:
    visitors = await asyncio.gather(*(Visitor.come(room.folder) for _ in range(50)))

    answers = await asyncio.gather(
        *(visitor.ask("prompt", text=f"n {n}") for n, visitor in enumerate(visitors))
    )

    assert len({str(result_of(answer)["session_id"]) for answer in answers}) == 50
    for visitor in visitors:
        await visitor.leave()


async def test_tail_gives_the_past_and_then_what_happens(room: Postroom, visitor: Visitor) -> None:
    await room.prompt("hello")
    first = await visitor.ask("tail", pos=0)
    seen = [first]
    while cast("dict[str, Json]", seen[-1]["result"])["kind"] != "turn.ended":
        seen.append(await visitor.hear())

    assert all(answer["more"] is True for answer in seen)
    positions = [cast("dict[str, Json]", answer["result"])["pos"] for answer in seen]
    assert positions == list(range(1, len(seen) + 1))


async def test_a_visitor_is_told_when_the_door_closes(tmp_path: Path, team: Path) -> None:
    async with Postroom.open(tmp_path / "store", team=team) as room, open_door(room):
        visitor = await Visitor.come(room.folder)
        await visitor.ask("status")

    assert await visitor.is_hung_up()
    assert not (tmp_path / "store" / "door.sock").exists()
    await visitor.leave()


@pytest.mark.parametrize("folder", ["short", "long" * 30])
async def test_a_socket_that_somebody_deletes_is_made_again(tmp_path: Path, team: Path, folder: str) -> None:
    """And those who are inside stay."""
    store = tmp_path / folder
    async with Postroom.open(store, team=team) as room, open_door(room, remake_s=0.01) as path:
        visitor = await Visitor.come(store)
        path.unlink()
        await until_open(store)
        socket_path(store).unlink()
        await until_open(store)
        other = await Visitor.come(store)

        for each in (visitor, other):
            assert "pid" in result_of(await each.ask("status"))
            await each.leave()

    assert not is_open(store)
    assert not (store / "door").exists()


async def until_open(store: Path) -> None:
    """Wait for a file that appears, which nothing tells of."""
    while not is_open(store):  # noqa: ASYNC110
        await asyncio.sleep(0)


def is_open(store: Path) -> bool:
    """Whether a door is where one would look for it."""
    return socket_path(store).exists()


async def test_one_visitor_too_many_is_told_so_and_the_next_is_let_in(tmp_path: Path, team: Path) -> None:
    async with Postroom.open(tmp_path / "store", team=team) as room, open_door(room, connections_max=2):
        visitors = [await Visitor.come(room.folder) for _ in range(2)]
        for visitor in visitors:
            await visitor.ask("status")
        third = await Visitor.come(room.folder)
        refused = await third.hear()
        told = await asyncio.to_thread(ask_status, room.folder)
        assert await third.is_hung_up()

        await visitors[0].leave()
        again: Json | Told = told
        while isinstance(again, Told):
            again = await asyncio.to_thread(ask_status, room.folder)

        assert code_of(refused) == "door_full"
        assert isinstance(told, Told)
        assert told.failure.code == "door_full"
        assert isinstance(again, dict)
        await visitors[1].leave()
        await third.leave()


def ask_status(folder: Path) -> Json | Told:
    """One question of one client."""
    client = DoorClient.connect(folder)
    assert client is not None
    with client:
        try:
            return client.ask("status", {})
        except Told as told:
            return told


class Broken(Postroom):
    """A room with a bug."""

    async def stop(self, session: str) -> int:
        """Fail as no code of ours means to."""
        raise ZeroDivisionError(session)


async def test_a_fault_that_no_request_should_cause_is_answered_and_logged(
    tmp_path: Path, team: Path
) -> None:
    log = RoomLog(tmp_path / "store")
    async with Broken.open(tmp_path / "store", team=team) as room, open_door(room, on_fault=log.fault):
        visitor = await Visitor.come(room.folder)
        crashed = await visitor.ask("stop", session="x")
        await visitor.ask("stop")
        await visitor.leave()
    log.close()

    (line,) = (tmp_path / "store" / "logs" / "postroom.log").read_text().splitlines()
    assert code_of(crashed) == "crashed"
    assert json.loads(line)["event"] == "door.crashed"
    assert json.loads(line)["code"] == "ZeroDivisionError"
    assert json.loads(line)["place"].startswith("test_door.py:")


async def test_only_the_owner_may_open_the_door(room: Postroom) -> None:
    mode = socket_path(room.folder).stat().st_mode

    assert stat.S_ISSOCK(mode)
    assert stat.S_IMODE(mode) == 0o600


async def test_a_store_with_a_long_path_names_a_private_place(tmp_path: Path, team: Path) -> None:
    folder = tmp_path / ("deep" * 20) / ("deeper" * 10)
    async with Postroom.open(folder, team=team) as room, open_door(room) as path:
        private = path.parent
        mode = stat.S_IMODE(private.stat().st_mode)
        client = await asyncio.to_thread(DoorClient.connect, folder)
        assert client is not None
        with client:
            status = await asyncio.to_thread(client.ask, "status", {})

        assert (folder / "door").read_text().strip() == str(path)
        assert mode == 0o700

    assert isinstance(status, dict)
    assert status["store"] == str(folder)
    assert not private.exists()
    assert not (folder / "door").exists()


@pytest.mark.parametrize("folder", ["short", "long" * 30])
async def test_what_a_dead_process_left_is_replaced(tmp_path: Path, team: Path, folder: str) -> None:
    store = tmp_path / folder
    store.mkdir()
    (store / "door.sock").write_text("left")
    (store / "door").write_text(str(tmp_path / "postroom-door-gone" / "door.sock"))

    async with Postroom.open(store, team=team) as room, open_door(room):
        visitor = await Visitor.come(store)
        assert "pid" in result_of(await visitor.ask("status"))
        await visitor.leave()


async def test_a_forged_pointer_removes_nothing(tmp_path: Path, team: Path) -> None:
    store, precious = tmp_path / "store", tmp_path / "precious"
    store.mkdir()
    precious.mkdir()
    (precious / "door.sock").write_text("keep me")
    (store / "door").write_text(str(precious / "door.sock"))

    async with Postroom.open(store, team=team) as room, open_door(room):
        assert (precious / "door.sock").read_text() == "keep me"


async def test_two_stores_have_two_doors(tmp_path: Path, room: Postroom) -> None:
    other = write_team(tmp_path / "other", {"bob": "- text: x\n"})
    async with Postroom.open(tmp_path / "second", team=other) as second, open_door(second):
        visitor = await Visitor.come(second.folder)

        assert result_of(await visitor.ask("status"))["store"] == str(second.folder)
        await visitor.leave()
