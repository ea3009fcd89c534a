"""O-34: the last transaction is half written. It is dropped whole; nothing before it and nothing after is."""

import asyncio
import shutil
import signal
import struct
from pathlib import Path

import pytest

from postroom.testing.crash import Journal, audit, play
from postroom.testing.crash.record import Record
from postroom.testing.crash.scenario import run
from tests.fault.scenes import mail

WAL = "postroom.db-wal"
WAL_HEADER_BYTES = 32  # SQLite file format, section 4.1: the header, then frames of 24 bytes and a page
FRAME_HEADER_BYTES = 24
PLACES = 50


def last_transaction(wal: bytes) -> tuple[int, int]:
    """Where the frames of the last commit begin and end: a commit's last frame names the file's size."""
    (page_bytes,) = struct.unpack(">I", wal[8:12])
    salts, step = wal[16:24], FRAME_HEADER_BYTES + page_bytes
    frames = [
        at for at in range(WAL_HEADER_BYTES, len(wal) - step + 1, step) if wal[at + 8 : at + 16] == salts
    ]
    commits = [at + step for at in frames if struct.unpack(">I", wal[at + 4 : at + 8])[0]]
    return commits[-2], commits[-1]


def keep(source: Path, folder: Path) -> None:
    """A copy of a store with its journal."""
    shutil.copytree(source, folder)
    shutil.copy(Journal(source).path, Journal(folder).path)


def bodies(folder: Path) -> list[str]:
    """Every message, oldest first."""
    return [message.txt("body") for message in Record(folder).messages]


@pytest.fixture(scope="module")
def killed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store whose process died after it had written a message and before it had told the sender."""
    folder = tmp_path_factory.mktemp("killed") / "store"
    assert play(mail, folder, fault="accept.after:1") == -signal.SIGKILL
    return folder


@pytest.mark.parametrize("place", range(PLACES))
def test_a_torn_transaction_is_dropped_and_everything_else_stays(
    place: int, killed: Path, tmp_path: Path
) -> None:
    """O-34: cut or zeroed from this place on; boot, one more message, boot again."""
    whole, torn = tmp_path / "whole", tmp_path / "store"
    keep(killed, torn)
    keep(killed, whole)
    wal = (torn / WAL).read_bytes()
    begin, end = last_transaction(wal)
    at = begin + (end - begin) * place // PLACES
    (torn / WAL).write_bytes(wal[:at] + (bytes(end - at) + wal[end:] if place % 2 else b""))

    before = bodies(torn)
    assert bodies(whole)[: len(before)] == before
    assert len(bodies(whole)) > len(before), "nothing was torn"
    for _ in range(2):
        journal = Journal(torn)
        asyncio.run(run(mail(journal), torn, journal))

    assert bodies(torn)[: len(before)] == before
    assert "Anything else?" in bodies(torn)
    assert audit(torn) == []
