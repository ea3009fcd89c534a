"""Writing: whole or not at all, nothing but what was asked, and never one change over another."""

import asyncio
import os
import stat
from pathlib import Path
from threading import Event, Thread

import pytest

from tests.unit.tools.files_session import Session, make_session, meanwhile


@pytest.fixture
def session(tmp_path: Path) -> Session:
    return make_session(tmp_path)


def content(session: Session, path: str = "a.txt") -> bytes:
    return (session.cwd / path).read_bytes()


async def test_a_file_is_made_and_replaced(session: Session) -> None:
    made = await session.text("write_file", path="a.txt", content="one\r\nä")
    replaced = await session.text("write_file", path="a.txt", content="")

    assert made == "wrote 7 bytes to a.txt (a new file)"
    assert replaced == "wrote 0 bytes to a.txt (it had 7)"
    assert [path.name for path in session.cwd.iterdir()] == ["a.txt"]


async def test_folders_are_made_only_when_asked(session: Session) -> None:
    said = await session.refusal("write_file", path="a/b/c.txt", content="x")
    await session.text("write_file", path="a/b/c.txt", content="x", make_folders=True)

    assert "make_folders=true" in said
    assert content(session, "a/b/c.txt") == b"x"


async def test_permissions_stay_and_new_files_get_the_usual_ones(session: Session) -> None:
    session.put("run.sh", "echo").chmod(0o755)
    umask = os.umask(0o027)
    try:
        await session.text("write_file", path="run.sh", content="echo 2")
        await session.text("edit_file", path="run.sh", old_text="2", new_text="3")
        await session.text("write_file", path="new.txt", content="x")
    finally:
        os.umask(umask)

    assert stat.S_IMODE((session.cwd / "run.sh").stat().st_mode) == 0o755
    assert stat.S_IMODE((session.cwd / "new.txt").stat().st_mode) == 0o640


async def test_another_name_of_the_same_file_keeps_the_old_content(session: Session) -> None:
    other = session.outside / "other"
    other.hardlink_to(session.put("a.txt", "old"))

    await session.text("write_file", path="a.txt", content="new")

    assert other.read_text(encoding="utf-8") == "old"


@pytest.mark.parametrize("text", ["a\x00b", "a\uffffb"])
async def test_text_that_no_text_file_holds_is_refused(session: Session, text: str) -> None:
    """O-27"""
    session.put("a.txt", "old")

    await session.refusal("write_file", path="a.txt", content=text)
    await session.refusal("edit_file", path="a.txt", old_text="old", new_text=text)

    assert content(session) == b"old"


async def test_a_reader_sees_the_old_or_the_new_file_whole(session: Session) -> None:
    one, two = "a" * 200_000, "b" * 200_000
    file = session.put("a.txt", one)
    seen: set[bytes] = set()
    begun, done = Event(), Event()

    def watch() -> None:
        while not done.is_set():
            seen.add(file.read_bytes())
            begun.set()

    watcher = Thread(target=watch)
    watcher.start()
    assert begun.wait(timeout=60)
    for n in range(40):
        await session.text("write_file", path="a.txt", content=two if n % 2 else one)
    done.set()
    watcher.join()

    assert seen <= {one.encode(), two.encode()}


async def test_a_write_that_fails_leaves_everything_as_it_was(session: Session) -> None:
    session.put("folder/a.txt", "old")
    (session.cwd / "folder").rename(session.cwd / "n")
    long = "n/" + "x" * 255

    await session.text("write_file", path=long, content="fits")
    await session.refusal("write_file", path=long + "y", content="does not")

    assert {path.name for path in (session.cwd / "n").iterdir()} == {"a.txt", "x" * 255}


async def test_a_text_is_replaced_where_it_stands(session: Session) -> None:
    session.put("a.txt", "one\ntwo\nthree\n")

    said = await session.text("edit_file", path="a.txt", old_text="two\nth", new_text="2\nTH")

    assert said == "replaced once in a.txt (line 2)"
    assert content(session) == b"one\n2\nTHree\n"


async def test_a_text_that_is_not_unique_is_refused_with_its_places(session: Session) -> None:
    session.put("a.txt", "x\ny\nx x\n")

    said = await session.refusal("edit_file", path="a.txt", old_text="x", new_text="z")
    done = await session.text("edit_file", path="a.txt", old_text="x", new_text="z", replace_all=True)

    assert "3 times in a.txt (lines 1, 3, 3)" in said
    assert "replace_all" in said
    assert done == "replaced 3 times in a.txt (lines 1, 3, 3)"
    assert content(session) == b"z\ny\nz z\n"


@pytest.mark.parametrize(
    ("old", "hint"),
    [
        ("def start(self):", "the nearest is line 2: def started(self):"),
        ("    return  1", "the nearest is line 3: return 1"),
        ("return 1\n    end", "its first line is line 3"),
        ("     2\tdef started(self):", "leave out the line numbers"),
        ("zzzzzzzz", "old_text is not in a.py"),
        ("\n\n\n", "old_text is not in a.py"),
    ],
)
async def test_a_text_that_is_not_there_is_refused_with_a_hint(session: Session, old: str, hint: str) -> None:
    session.put("a.py", "class A:\n  def started(self):\n    return 1\n")

    assert hint in await session.refusal("edit_file", path="a.py", old_text=old, new_text="x")


@pytest.mark.parametrize(("old", "new"), [("", "x"), ("x", "x")])
async def test_an_edit_that_changes_nothing_is_refused(session: Session, old: str, new: str) -> None:
    session.put("a.txt", "x")

    await session.refusal("edit_file", path="a.txt", old_text=old, new_text=new)


async def test_line_ends_and_a_byte_order_mark_survive_an_edit(session: Session) -> None:
    session.put("a.txt", b"\xef\xbb\xbfone\r\ntwo\r\nthree\r\n")

    await session.text("edit_file", path="a.txt", old_text="one\ntwo", new_text="1\n\n2")

    assert content(session) == b"\xef\xbb\xbf1\r\n\r\n2\r\nthree\r\n"


async def test_mixed_line_ends_stay_mixed(session: Session) -> None:
    session.put("a.txt", b"one\r\ntwo\nthree\r\n")

    await session.text("edit_file", path="a.txt", old_text="two", new_text="2")

    assert content(session) == b"one\r\n2\nthree\r\n"


async def test_what_is_no_text_is_not_edited(session: Session) -> None:
    session.put("a.bin", b"a\x00b")
    session.put("a.txt", b"caf\xe9")

    assert "binary" in await session.refusal("edit_file", path="a.bin", old_text="a", new_text="b")
    assert "not UTF-8" in await session.refusal("edit_file", path="a.txt", old_text="c", new_text="b")


async def test_an_edit_that_would_fill_the_disk_is_refused(session: Session) -> None:
    session.put("a.txt", "a" * 100_000)

    said = await session.refusal(
        "edit_file", path="a.txt", old_text="a", new_text="b" * 100_000, replace_all=True
    )

    assert "too large" in said
    assert content(session) == b"a" * 100_000


async def test_an_edit_does_not_replace_what_another_program_wrote_meanwhile(session: Session) -> None:
    file = session.put("a.txt", "one\n" + "x" * 1_000_000)
    said: list[str] = []

    with meanwhile(lambda: os.utime(file)):
        while not any("changed meanwhile; read it again" in text for text in said):
            said.append((await session.call("edit_file", path="a.txt", old_text="one", new_text="one.")).text)

    assert all("replaced once" in text or "meanwhile" in text for text in said)


async def test_edits_of_one_file_at_the_same_time_all_stay(session: Session) -> None:
    session.put("a.txt", "".join(f"<{n}>\n" for n in range(30)))

    await asyncio.gather(
        *(session.text("edit_file", path="a.txt", old_text=f"<{n}>", new_text=f"[{n}]") for n in range(30))
    )

    assert content(session) == "".join(f"[{n}]\n" for n in range(30)).encode()


async def test_changes_keep_their_order_in_an_answer() -> None:
    """Several changes of one answer run one after the other, as the model wrote them."""
    from postroom.tools.files.toolset import file_toolsets  # noqa: PLC0415 - only here

    parallel = {tool.spec.name: tool.parallel for kit in file_toolsets() for tool in kit.tools}

    assert parallel == {
        "read_file": True, "list_files": True, "search_files": True, "write_file": False, "edit_file": False,
    }  # fmt: skip
