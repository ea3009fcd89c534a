"""The store contract: what is left of a transaction that was not wholly on the disk (O-34)."""

import shutil
import subprocess
import sys
from pathlib import Path
from signal import SIGKILL

import pytest

from postroom.clock import SystemClock
from postroom.domain.policy import Policy
from postroom.ids import SystemIds
from postroom.observe.doctor import examine
from postroom.service.say import Opening, Said, Text, say_new
from postroom.store.connect import DATABASE_NAME
from postroom.store.sqlite import SqliteStore
from postroom.store.tx import Tx
from tests.conformance.process import ROOT

POSITIONS = 50
OPENING = Opening(team="", profile="p", policy=Policy(surface="tree"), title="", cwd="")
WRITE = """
import asyncio, sys, pathlib
from postroom.clock import SystemClock
from postroom.ids import SystemIds
from postroom.service.say import Text, say_new
from postroom.store.sqlite import SqliteStore
from tests.conformance.test_torn_log import OPENING

async def run(store):
    for n in range(6):
        said = await store.write(say_new, OPENING, Text(body=f"text {n}"))
        print(said.receipt.message_id, flush=True)

asyncio.run(run(SqliteStore.open(pathlib.Path(sys.argv[1]), SystemClock(), SystemIds())))
"""
WAL_HEADER_BYTES = 32
FRAME_HEADER_BYTES = 24


@pytest.fixture(scope="module")
def killed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str]]:
    """A store killed after the sixth commit and before its receipt; and the five ids that were receipted."""
    folder = tmp_path_factory.mktemp("torn") / "store"
    run = subprocess.run(
        [sys.executable, "-c", WRITE, str(folder)], env={"POSTROOM_FAULT": "say_new.after:6"}, cwd=ROOT,
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert run.returncode == -SIGKILL, run.stderr
    receipts = run.stdout.split()
    assert len(receipts) == 5
    return folder, receipts


def last_transaction(wal: bytes) -> tuple[int, int]:
    """Where the frames of the newest transaction begin and end: a commit frame says the size of the file."""
    page_bytes = int.from_bytes(wal[8:12], "big")
    frame_bytes = FRAME_HEADER_BYTES + page_bytes
    starts = range(WAL_HEADER_BYTES, len(wal) - frame_bytes + 1, frame_bytes)
    commits = [s for s in starts if int.from_bytes(wal[s + 4 : s + 8], "big")]
    return commits[-2] + frame_bytes, commits[-1] + frame_bytes


def torn(wal: bytes, how: str, position: int, end: int) -> bytes:
    """The log with its last transaction cut off or zeroed from a position on."""
    return wal[:position] if how == "cut" else wal[:position] + bytes(end - position) + wal[end:]


def bodies(tx: Tx) -> dict[str, str]:
    """Message id -> body, of every message of the store."""
    rows = [tx.message_view(key) for key in tx.message_keys_after(0, 1_000)]
    return {row.public_id: row.body for row in rows if row is not None}


def open_store(folder: Path) -> SqliteStore:
    return SqliteStore.open(folder, SystemClock(), SystemIds())


async def boot_send_boot(folder: Path) -> tuple[dict[str, str], dict[str, str]]:
    """What the first boot loads, and what the second one does after one more message."""
    first = open_store(folder)
    loaded = first.look(bodies)
    said = await first.write(say_new, OPENING, Text(body="after the tear"))
    first.close()
    second = open_store(folder)
    after = second.look(bodies)
    second.close()
    assert isinstance(said, Said)
    assert said.receipt.message_id in after
    return loaded, after


@pytest.mark.parametrize("how", ["cut", "zero"])
async def test_a_torn_last_transaction_is_whole_or_gone_and_blocks_nothing(
    killed: tuple[Path, list[str]], tmp_path: Path, how: str
) -> None:
    """O-34, G1: 50 byte positions; boot, send one message, boot again."""
    source, receipts = killed
    wal = (source / f"{DATABASE_NAME}-wal").read_bytes()
    start, end = last_transaction(wal)
    gone = 0
    for n in range(POSITIONS):
        folder = tmp_path / str(n)
        folder.mkdir()
        shutil.copy(source / DATABASE_NAME, folder)
        position = start + n * (end - start) // POSITIONS
        (folder / f"{DATABASE_NAME}-wal").write_bytes(torn(wal, how, position, end))

        loaded, after = await boot_send_boot(folder)

        assert set(receipts) <= set(loaded)
        assert {loaded[i] for i in receipts} == {f"text {k}" for k in range(5)}
        assert set(loaded.values()) - {"text 5"} == {f"text {k}" for k in range(5)}
        assert list(after.values()) == [*loaded.values(), "after the tear"]
        assert examine(folder).ok
        gone += "text 5" not in loaded.values()
    assert gone >= POSITIONS - 5
