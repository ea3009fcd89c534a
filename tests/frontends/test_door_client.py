"""The other side of the door: what went wrong is told, and nobody waits without end."""

import asyncio
import contextlib
import socket
import threading
from pathlib import Path

import pytest

from postroom.app import Postroom
from postroom.daemon.client import DoorClient
from postroom.daemon.door import open_door
from postroom.daemon.line import DoorLine
from postroom.daemon.wire import DoorClosed, DoorSilent, Told, socket_path
from postroom.domain.plain import Json

PATIENCE_S = 60.0


async def test_the_client_says_what_the_door_said(tmp_path: Path, team: Path) -> None:
    def talk() -> tuple[Told, Json]:
        client = DoorClient.connect(tmp_path / "store")
        assert client is not None
        with client:
            with pytest.raises(Told) as caught:
                client.ask("stop", {"session": "nobody"})
            return caught.value, client.ask("ps", {})

    async with Postroom.open(tmp_path / "store", team=team) as room, open_door(room):
        told, after = await asyncio.to_thread(talk)

    assert (told.failure.code, after) == ("not_found", [])
    assert told.failure.remedy


async def test_there_is_no_client_without_a_door(tmp_path: Path) -> None:
    assert DoorClient.connect(tmp_path) is None


def test_a_full_queue_before_a_door_is_waited_for(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as listening, contextlib.ExitStack() as waiting:
        listening.bind(str(socket_path(tmp_path)))
        listening.listen(0)
        waiting.enter_context(_connected(tmp_path))

        with pytest.raises(DoorSilent):
            DoorClient.connect(tmp_path, answer_s=0.1)

        letting_in = threading.Timer(0.1, _let_in, (listening,))
        letting_in.start()
        waiting.enter_context(_connected(tmp_path))
        letting_in.join()


async def test_a_talk_gives_up_a_process_that_has_frozen_and_asks_it_nothing_more(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(socket_path(tmp_path)))
        listening.listen()
        line = await DoorLine.connect(tmp_path, answer_s=0.05)

        async with asyncio.timeout(PATIENCE_S):
            with pytest.raises(DoorSilent):
                await line.ask("ps", {})
            with pytest.raises(DoorClosed):
                await line.ask("ps", {})
            await line.close()


def _let_in(listening: socket.socket) -> None:
    connection, _ = listening.accept()
    connection.close()


def _connected(folder: Path) -> DoorClient:
    client = DoorClient.connect(folder, answer_s=PATIENCE_S)
    assert client is not None
    return client
