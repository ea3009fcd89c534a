"""Finding: listings and searches that are in order, within bounds, and never hang."""

import asyncio
import os
from pathlib import Path

import pytest

from postroom.tools.files.confine import Bounds, session_folder
from postroom.tools.files.glob import Glob
from postroom.tools.files.listing import LINES_MAX
from postroom.tools.files.paths import PathRefused
from postroom.tools.files.searching import FILE_BYTES_MAX, MATCHES_MAX, Search, search
from postroom.tools.files.walk import DEPTH_MAX
from tests.unit.tools.files_session import Session, make_session


@pytest.fixture
def session(tmp_path: Path) -> Session:
    return make_session(tmp_path)


@pytest.mark.parametrize(
    ("pattern", "path", "fits"),
    [
        ("*.py", "a.py", True),
        ("*.py", "src/deep/a.py", True),
        ("*.py", "a.pyc", False),
        ("src/*.py", "src/a.py", True),
        ("src/*.py", "src/deep/a.py", False),
        ("src/**/*.py", "src/a.py", True),
        ("src/**/*.py", "src/x/y/a.py", True),
        ("**/test/**", "a/test/b/c", True),
        ("src/**", "src", True),
        ("*.{ts,tsx}", "a.tsx", True),
        ("*.{ts,tsx}", "a.t", False),
        ("{a,b}/{c,d}.x", "b/c.x", True),
        ("[ab].x", "b.x", True),
        ("?.x", ".x", False),
        ("*", ".hidden", True),
        ("A.py", "a.py", False),
    ],
)
def test_file_patterns(pattern: str, path: str, fits: bool) -> None:
    assert Glob.of(pattern).matches(path.split("/")) is fits


def test_a_pattern_made_to_take_for_ever_does_not() -> None:
    assert not Glob.of("**/a/" * 60 + "b").matches(["a"] * 64)
    assert not Glob.of("*a" * 200 + "b").matches(["a" * 255])


@pytest.mark.parametrize("pattern", ["{a,b}" * 7, "x" * 501])
def test_a_pattern_that_stands_for_too_much_is_refused(pattern: str) -> None:
    with pytest.raises(PathRefused):
        Glob.of(pattern)


async def test_a_folder_is_listed_in_order(session: Session) -> None:
    session.put("b.txt", "123")
    session.put("a/inner.txt")
    session.put(".env", "x")

    assert await session.text("list_files") == ".env (1 bytes)\na/\nb.txt (3 bytes)"
    assert await session.text("list_files", path="a") == "a/inner.txt (0 bytes)"
    assert await session.text("list_files", deep=True) == (
        ".env (1 bytes)\na/\na/inner.txt (0 bytes)\nb.txt (3 bytes)"
    )


async def test_a_pattern_is_looked_for_at_any_depth_from_the_folder_on(session: Session) -> None:
    session.put("src/app/main.py")
    session.put("src/app/main.txt")

    assert await session.text("list_files", pattern="*.py") == "src/app/main.py (0 bytes)"
    assert await session.text("list_files", path="src", pattern="app/*.py") == "src/app/main.py (0 bytes)"
    assert await session.text("list_files", pattern="*.rs") == "(nothing fits the pattern)"


async def test_an_empty_folder_says_so(session: Session) -> None:
    assert await session.text("list_files") == "(the folder is empty)"


async def test_folders_of_machines_are_entered_only_by_name(session: Session) -> None:
    session.put(".git/config", "needle")
    session.put("node_modules/x/index.js", "needle")
    session.put("src/a.py", "needle")

    listed = await session.text("list_files", deep=True)
    found = await session.text("search_files", pattern="needle")
    named = await session.text("search_files", pattern="needle", path=".git")

    assert listed == ".git/\nnode_modules/\nsrc/\nsrc/a.py (6 bytes)\n[not entered: .git, node_modules]"
    assert found == "src/a.py:1: needle\n[not entered: .git, node_modules]"
    assert named == ".git/config:1: needle"


async def test_long_listings_are_cut_and_say_so(session: Session) -> None:
    for n in range(LINES_MAX + 1):
        session.put(f"{n:05}")

    lines = (await session.text("list_files")).splitlines()

    assert len(lines) == LINES_MAX + 1
    assert "stopped before everything was seen" in lines[-1]


async def test_a_walk_ends_at_a_depth(session: Session) -> None:
    session.put("/".join(["d"] * (DEPTH_MAX + 3)) + "/needle.txt", "needle")

    assert "1 folders could not be entered" in await session.text("search_files", pattern="needle")
    assert "needle" in await session.text("read_file", path="d/" * (DEPTH_MAX + 3) + "needle.txt")


async def test_names_with_line_breaks_stay_on_their_line(session: Session) -> None:
    session.put("a\nb.txt")

    assert await session.text("list_files") == '"a\\nb.txt" (0 bytes)'


async def test_names_that_are_no_utf_8_are_shown(session: Session) -> None:
    try:
        session.put(os.fsdecode(b"caf\xe9"))
    except OSError:  # macOS takes no such name
        return

    assert await session.text("list_files") == '"caf\\udce9" (0 bytes)'


async def test_lines_are_found_with_their_place(session: Session) -> None:
    session.put("src/a.py", "import os\r\nprint(1)\r\n")
    session.put("b.txt", "importer\nIMPORT\n")

    assert await session.text("search_files", pattern=r"^import\b") == "src/a.py:1: import os"
    assert await session.text("search_files", pattern="IMPORT$", ignore_case=True) == "b.txt:2: IMPORT"
    assert await session.text("search_files", pattern=r"\)$") == "src/a.py:2: print(1)"
    assert await session.text("search_files", pattern="print(", plain=True) == "src/a.py:2: print(1)"
    assert await session.text("search_files", pattern="import", files="*.txt") == "b.txt:1: importer"
    assert await session.text("search_files", pattern="import", path="src/a.py") == "src/a.py:1: import os"
    assert await session.text("search_files", pattern="nowhere") == "(no match in 2 files)"


async def test_what_was_not_searched_is_said(session: Session) -> None:
    session.put("a.bin", b"needle\x00")
    session.put("latin.txt", b"needle caf\xe9")
    with session.put("big.txt").open("r+b") as stream:
        stream.truncate(FILE_BYTES_MAX + 1)

    assert await session.text("search_files", pattern="needle") == (
        "latin.txt:1: needle caf\N{REPLACEMENT CHARACTER}\n"
        "[not searched: 1 binary]\n[not searched: 1 too large]"
    )


async def test_long_lines_are_cut_around_the_match(session: Session) -> None:
    session.put("a.txt", "x" * 5_000 + "needle" + "y" * 5_000)

    found = await session.text("search_files", pattern="needle")

    assert "needle" in found
    assert len(found) < 400


async def test_many_matches_are_cut_and_say_so(session: Session) -> None:
    session.put("a.txt", "x\n" * 500)
    session.put("b.txt", "x\n" * 500)

    lines = (await session.text("search_files", pattern="x")).splitlines()

    assert len(lines) == MATCHES_MAX + 1
    assert f"stopped at {MATCHES_MAX} matches" in lines[-1]


@pytest.mark.parametrize("pattern", ["(", "[", "*", "(?<=a+)b", "a{99999999999999999999}", "(" * 500])
async def test_a_pattern_that_is_none_is_explained(session: Session, pattern: str) -> None:
    session.put("a.txt", "x")

    assert "no regular expression" in await session.refusal("search_files", pattern=pattern)


@pytest.mark.parametrize("pattern", ["", "x" * 1_001])
async def test_a_pattern_of_no_sensible_length_is_refused(session: Session, pattern: str) -> None:
    await session.refusal("search_files", pattern=pattern)


def test_a_pattern_that_would_take_for_ever_is_ended(session: Session) -> None:
    session.put("a.txt", "a" * 60 + "b")
    asked = Search(pattern="(a+)+$", glob="", plain=False, ignore_case=False, limit_s=2.0)

    with (
        session_folder(str(session.cwd), Bounds()) as root,
        pytest.raises(PathRefused, match=r"needs more than 2 s"),
    ):
        search(root, (), asked, lambda _: True)


def test_what_was_found_before_the_time_was_over_is_given(session: Session) -> None:
    session.put("a.txt", "aaa\n")
    session.put("b.txt", "a" * 60 + "b")
    asked = Search(pattern="(a+)+$", glob="", plain=False, ignore_case=False, limit_s=2.0)

    with session_folder(str(session.cwd), Bounds()) as root:
        found = search(root, (), asked, lambda _: True)

    assert found.startswith("a.txt:1: aaa\n[stopped before everything was seen")


async def test_the_loop_goes_on_while_a_hard_pattern_is_at_work(session: Session) -> None:
    session.put("a.txt", "a" * 60 + "b")
    searching = asyncio.ensure_future(session.call("search_files", pattern="(a+)+$"))

    for n in range(20):
        session.put("b.txt", str(n))
        assert str(n) in await session.text("read_file", path="b.txt")

    assert not searching.done()
    searching.cancel()
