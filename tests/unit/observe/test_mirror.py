"""The mirror's files: a line for each event, where it belongs, and whole after whatever a crash leaves."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from postroom.domain.bus import BusEvent, Origin, Reason, Verdict
from postroom.domain.plain import Json
from postroom.observe.mirror import Mirror
from postroom.observe.mirror_file import append, mend

SESSION = "0192f0c0-0000-7000-8000-000000000001"
MEBIBYTES_5 = 5 * 1024 * 1024


def event(number: int, *, session_id: str = SESSION, verdict: Verdict | None = None) -> BusEvent:
    """One event, told by its number."""
    return BusEvent(
        id=f"e{number}", ts_us=number, type="turn.start", origin=Origin.AGENT, payload={"text": "é\u2028}{"},
        metadata={"session_id": session_id} if session_id else {}, verdict=verdict,
    )  # fmt: skip


def records(file: Path) -> list[dict[str, Json]]:
    """Every line of a file, each of which must be whole."""
    return [json.loads(line) for line in file.read_bytes().split(b"\n")[:-1]]


async def written(folder: Path, *events: BusEvent, bytes_max: int = MEBIBYTES_5) -> list[str]:
    """Let one process write these; what it warned of."""
    warned: list[str] = []
    mirror = Mirror(folder, bytes_max, warned.append)
    for one in events:
        mirror.put(one)
    await mirror.close()
    return warned


def session_file(folder: Path) -> Path:
    """Where the events of `SESSION` are."""
    return folder / "events" / f"{SESSION}.jsonl"


async def test_an_event_is_a_line_in_the_file_of_its_session_or_in_another(tmp_path: Path) -> None:
    """OP-90."""
    denied = Verdict(reasons=(Reason(by="keeper", text="not yet"),), duration_ms=1.5, subscribers=2)
    warned = await written(
        tmp_path, event(1), event(2, session_id=""), event(3, verdict=denied), event(4, session_id="../../x")
    )

    mine, others = records(session_file(tmp_path)), records(tmp_path / "logs" / "events.jsonl")
    assert [one["id"] for one in mine] == ["e1", "e3"]
    assert [one["id"] for one in others] == ["e2", "e4"]
    assert mine[0]["payload"] == {"text": "é\u2028}{"}
    assert mine[1]["verdict"] == {
        "allowed": False, "reasons": [{"by": "keeper", "text": "not yet"}], "duration_ms": 1.5,
        "subscribers": 2,
    }  # fmt: skip
    assert warned == []
    assert session_file(tmp_path).stat().st_mode & 0o777 == 0o600


async def test_a_full_file_becomes_the_first_one_and_no_line_is_cut(tmp_path: Path) -> None:
    """OP-90: the limit of the setting is 5 MB; here it is less."""
    await written(tmp_path, *map(event, range(200)), bytes_max=4096)

    file = session_file(tmp_path)
    older = file.with_name(f"{file.name}.1")
    assert max(file.stat().st_size, older.stat().st_size) <= 4096
    numbers = [int(str(one["id"])[1:]) for one in (*records(older), *records(file))]
    assert numbers == list(range(numbers[0], 200))
    assert [path.name for path in file.parent.iterdir() if path not in (file, older)] == []


async def test_half_a_line_at_the_end_is_dropped_with_a_warning_and_the_next_is_whole(tmp_path: Path) -> None:
    """O-34: for every length that a kill may leave of the last line."""
    await written(tmp_path, event(1), event(2))
    file = session_file(tmp_path)
    whole = file.read_bytes()
    first = whole.index(b"\n") + 1

    for cut in range(first + 1, len(whole) - 1):
        file.write_bytes(whole[:cut])
        warned = await written(tmp_path, event(3))

        assert [one["id"] for one in records(file)] == ["e1", "e3"], cut
        assert len(warned) == 1
        assert f"{cut - first} bytes of a line that was never finished are dropped" in warned[0]


DAMAGES: dict[str, tuple[Callable[[bytes], bytes], list[str]]] = {
    "zeros behind it": (lambda data: data + bytes(512), ["e1", "e2"]),
    "zeros in place of the last line end": (lambda data: data[:-1] + bytes(7), ["e1", "e2"]),
    "zeros in place of its end": (lambda data: data[:-9] + bytes(9), ["e1"]),
    "no last line end": (lambda data: data[:-1], ["e1", "e2"]),
    "no line end between two": (lambda data: data.replace(b"\n", b"", 1), ["e1", "e2"]),
    "no line end at all": (lambda data: data.replace(b"\n", b""), ["e1", "e2"]),
    "nothing but zeros": (lambda data: bytes(len(data)), []),
    "empty": (lambda _: b"", []),
}


@pytest.mark.parametrize("how", list(DAMAGES))
async def test_other_damage_costs_no_whole_line_and_the_next_is_whole(how: str, tmp_path: Path) -> None:
    """O-34."""
    damage, left = DAMAGES[how]
    await written(tmp_path, event(1), event(2))
    file = session_file(tmp_path)
    file.write_bytes(damage(file.read_bytes()))

    warned = await written(tmp_path, event(3))
    again = await written(tmp_path, event(4))

    assert [one["id"] for one in records(file)] == [*left, "e3", "e4"]
    assert len(warned) == (how != "empty")
    assert again == []


def test_a_whole_file_is_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "x.jsonl"
    append(file, [b'{"id":"}{\\"id\\":"}\n', b'{"id":"b"}\n'], MEBIBYTES_5)
    before = (file.read_bytes(), file.stat().st_mtime_ns)

    assert mend(file) is None
    assert (file.read_bytes(), file.stat().st_mtime_ns) == before


async def test_a_folder_that_cannot_be_written_warns_and_stops_nobody(tmp_path: Path) -> None:
    (tmp_path / "events").write_text("in the way", encoding="utf-8")

    warned = await written(tmp_path, event(1), event(2, session_id=""))

    assert len(warned) == 1
    assert warned[0].startswith("the mirror of events cannot be written")


async def test_what_the_person_deletes_is_not_kept_in_the_mirror(tmp_path: Path) -> None:
    gone = BusEvent(
        id="e2", ts_us=2, type="session.end", origin=Origin.USER, payload={"session_id": SESSION},
        metadata={"session_id": SESSION},
    )  # fmt: skip

    await written(tmp_path, event(1), gone)

    assert not session_file(tmp_path).exists()
    assert [one["id"] for one in records(tmp_path / "logs" / "events.jsonl")] == ["e2"]
