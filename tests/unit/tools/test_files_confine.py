"""No path, link or race leads a file tool out of the session's directory (docs/why/0018)."""

import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from postroom.llm.port import Json
from postroom.tools.files.confine import Bounds, session_folder
from postroom.tools.files.paths import PathRefused, is_git, shown_name, split
from tests.unit.tools.files_session import SECRET, Session, make_session, meanwhile

EVERY_TOOL: list[tuple[str, dict[str, Json]]] = [
    ("read_file", {}),
    ("list_files", {}),
    ("search_files", {"pattern": "."}),
    ("write_file", {"content": "x"}),
    ("write_file", {"content": "x", "make_folders": True}),
    ("edit_file", {"old_text": "nobody", "new_text": "x"}),
]
ROUNDS = 400


@pytest.fixture
def session(tmp_path: Path) -> Session:
    return make_session(tmp_path)


def outside_is_untouched(session: Session) -> bool:
    secret = session.outside / "secret.txt"
    return [*session.outside.iterdir()] == [secret] and secret.read_text(encoding="utf-8") == SECRET


def open_handles() -> int:
    return len([*Path("/dev/fd").iterdir()])


@pytest.mark.parametrize(
    ("path", "parts"),
    [
        ("a", ("a",)),
        ("./a//b/", ("a", "b")),
        ("a/../b", ("b",)),
        (".", ()),
        ("", ()),
        ("/here/a", ("a",)),
        ("/here", ()),
        ("/here/x/../a", ("a",)),
        ("...", ("...",)),
    ],
)
def test_a_path_is_taken_apart_as_text(path: str, parts: tuple[str, ...]) -> None:
    assert split(path, "/here") == parts


@pytest.mark.parametrize(
    "path",
    [
        "..",
        "a/../..",
        "a/../../x",
        "/",
        "/etc",
        "/herewith/a",
        "/here/../x",
        "//here/a",
        "a\0b",
        "\ud800",
        "a" * 5000,
    ],
)
def test_a_path_that_leads_out_or_cannot_be_one_is_refused(path: str) -> None:
    with pytest.raises(PathRefused):
        split(path, "/here")


def test_every_path_leads_on_from_the_root_of_the_system() -> None:
    assert split("/etc/passwd", "/") == ("etc", "passwd")


@pytest.mark.parametrize(("tool", "arguments"), EVERY_TOOL)
@pytest.mark.parametrize(
    "path", ["link", "link/secret.txt", "folder", "folder/secret.txt", "folder/new/x.txt"]
)
async def test_no_tool_follows_a_link(
    session: Session, tool: str, arguments: dict[str, Json], path: str
) -> None:
    (session.cwd / "link").symlink_to(session.outside / "secret.txt")
    (session.cwd / "folder").symlink_to(session.outside, target_is_directory=True)

    said = await session.refusal(tool, path=path, **arguments)

    assert SECRET not in said
    assert outside_is_untouched(session)


async def test_a_link_that_stays_inside_is_refused_too_and_says_what_would_be_right(session: Session) -> None:
    session.put("real.txt", "text")
    (session.cwd / "link").symlink_to("real.txt")

    assert "symbolic link" in await session.refusal("read_file", path="link")
    assert "link -> real.txt (symbolic link, not followed)" in await session.text("list_files")
    assert await session.text("search_files", pattern="text") == "real.txt:1: text"


async def test_a_folder_swapped_for_a_link_while_it_is_walked_leads_nowhere(session: Session) -> None:
    door, away, trap = (session.cwd / name for name in ("door", "away", "trap"))
    session.put("door/secret.txt", "inside")
    trap.symlink_to(session.outside, target_is_directory=True)

    def swap() -> None:
        door.rename(away)
        trap.rename(door)
        door.rename(trap)
        away.rename(door)

    with meanwhile(swap):
        for _ in range(ROUNDS):
            read = await session.call("read_file", path="door/secret.txt")
            assert SECRET not in read.text
            await session.call("write_file", path="door/new.txt", content="x")
            await session.call("edit_file", path="door/secret.txt", old_text="nobody", new_text="x")

    assert outside_is_untouched(session)


async def test_a_file_swapped_for_a_link_is_never_read_nor_written_through(session: Session) -> None:
    file, trap = session.cwd / "file", session.cwd / "trap"

    def swap() -> None:
        trap.symlink_to(session.outside / "secret.txt")
        trap.rename(file)
        trap.write_text("inside", encoding="utf-8")
        trap.rename(file)

    with meanwhile(swap), session_folder(str(session.cwd), Bounds()) as root:
        for _ in range(50 * ROUNDS):
            with suppress(PathRefused), root.open_file("file") as stream:
                assert SECRET.encode() not in stream.read()
        for _ in range(ROUNDS):
            await session.call("write_file", path="file", content="x")

    assert outside_is_untouched(session)


@pytest.mark.parametrize(("tool", "arguments"), EVERY_TOOL)
async def test_a_pipe_is_not_opened(session: Session, tool: str, arguments: dict[str, Json]) -> None:
    os.mkfifo(session.cwd / "pipe")

    said = await session.refusal(tool, path="pipe", **arguments)

    assert "pipe" in said
    assert await session.text("list_files") == "pipe (pipe, socket or device)"


async def test_devices_and_sockets_are_not_opened(session: Session) -> None:
    session.cwd = Path("/dev")

    assert "device" in await session.refusal("read_file", path="zero")
    assert "device" in await session.refusal("write_file", path="null", content="x")


@pytest.mark.parametrize("path", ["/proc/self/fd/0", "root/secret.txt", "fds/0", "fds"])
async def test_the_links_of_the_process_lead_nowhere(session: Session, path: str) -> None:
    (session.cwd / "root").symlink_to("/proc/self/cwd")
    (session.cwd / "fds").symlink_to("/proc/self/fd")

    await session.refusal("read_file", path=path)


@pytest.mark.parametrize("path", ["proc/self/environ", "proc/1/environ", "proc/thread-self/environ", "proc"])
async def test_the_environment_of_processes_is_closed_even_from_the_root(session: Session, path: str) -> None:
    session.cwd = Path("/")

    assert "PATH=" not in await session.refusal("read_file", path=path)
    assert "PATH=" not in await session.refusal("search_files", path=path, pattern="PATH")


async def test_names_that_are_too_long_are_an_error(session: Session) -> None:
    assert "too long" in await session.refusal("read_file", path="n" * 300)
    assert "too long" in await session.refusal("write_file", path="n" * 300, content="")


async def test_files_and_folders_are_not_taken_for_each_other(session: Session) -> None:
    session.put("folder/file")

    assert "is a folder" in await session.refusal("read_file", path="folder")
    assert "is a folder" in await session.refusal("write_file", path="folder", content="x")
    assert "is a file, not a folder" in await session.refusal("list_files", path="folder/file")
    assert "is a file, not a folder" in await session.refusal("read_file", path="folder/file/x")


async def test_a_missing_file_is_said_with_the_nearest_name(session: Session) -> None:
    session.put("src/settings.py")

    assert "did you mean src/settings.py?" in await session.refusal("read_file", path="src/setings.py")


async def test_a_session_without_its_directory_gets_an_error(session: Session) -> None:
    session.cwd = session.cwd / "gone"

    assert "cannot be opened" in await session.refusal("list_files")


async def test_closed_folders_are_neither_read_nor_changed_by_any_name(session: Session) -> None:
    store = session.put("data/store/postroom.db", "mail").parent
    alias = session.cwd / "alias.db"
    alias.hardlink_to(store / "postroom.db")
    session.bounds = Bounds(closed=(store, store / "postroom.db", session.cwd / "not-there"))

    assert "closed" in await session.refusal("read_file", path="data/store/postroom.db")
    assert "closed" in await session.refusal("read_file", path="alias.db")
    assert "closed" in await session.refusal("list_files", path="data/store")
    assert "closed" in await session.refusal("write_file", path="data/store/x", content="")
    assert "no match" in await session.text("search_files", pattern="mail")
    assert "1 folders could not be entered" in await session.text("list_files", deep=True)


async def test_a_closed_directory_gives_nothing_as_a_session_either(session: Session) -> None:
    session.bounds = Bounds(closed=(session.cwd,))

    assert "closed" in await session.refusal("list_files")


async def test_settings_are_read_but_not_changed(session: Session) -> None:
    session.put("postroom.toml", "[shell]\nallowed = false\n")
    session.put("agents/deep/ada.md", "Ada")
    session.bounds = Bounds(fixed=(session.cwd / "postroom.toml", session.cwd / "agents"))

    assert "Ada" in await session.text("read_file", path="agents/deep/ada.md")
    for path in ("postroom.toml", "agents/new.md", "agents/deep/ada.md"):
        assert "not changed" in await session.refusal("write_file", path=path, content="")
    assert "not changed" in await session.refusal(
        "edit_file", path="postroom.toml", old_text="false", new_text="true"
    )


@pytest.mark.parametrize("path", [".git/hooks/pre-commit", ".git", ".GIT/config", "sub/.g\u200cit/config"])
async def test_what_git_would_run_is_not_written(session: Session, path: str) -> None:
    said = await session.refusal("write_file", path=path, content="x", make_folders=True)

    assert "git" in said
    assert not [*session.cwd.rglob("*it*")]


@pytest.mark.parametrize("name", [".github", "git", ".gitignore", "x.git"])
def test_names_that_only_look_like_git_are_free(name: str) -> None:
    assert not is_git(name)


@pytest.mark.parametrize("name", ["a\nb", "\x1b[2J", " a", "a ", '"a"', os.fsdecode(b"caf\xe9")])
def test_a_name_cannot_pass_for_another_line(name: str) -> None:
    shown = shown_name(name)

    assert shown.isprintable()
    assert shown.startswith('"')


async def test_no_handle_stays_open(session: Session) -> None:
    session.put("a/b/c.txt", "x")
    (session.cwd / "link").symlink_to(session.outside)
    os.mkfifo(session.cwd / "pipe")
    before = open_handles()

    for path in ("a/b/c.txt", "a/b", "a/x/c.txt", "link/x", "pipe", "a/b/c.txt/d"):
        for tool, arguments in EVERY_TOOL:
            await session.call(tool, path=path, **arguments)

    assert open_handles() == before


def test_a_system_that_cannot_confine_may_import_the_tools_and_is_told() -> None:
    lacking = (
        "import asyncio, os, signal, subprocess\n"
        "for name in ('O_NOFOLLOW', 'O_DIRECTORY', 'O_NONBLOCK', 'O_CLOEXEC', 'O_NOCTTY', 'killpg',\n"
        "             'mkfifo', 'fchmod', 'fchown', 'waitid', 'WNOHANG', 'P_PID', 'WEXITED', 'WNOWAIT'):\n"
        "    delattr(os, name)\n"
        "for name in ('SIGKILL', 'SIGALRM', 'setitimer', 'ITIMER_REAL'):\n"
        "    delattr(signal, name)\n"
        "os.supports_dir_fd.clear()\n"
        "import postroom.tools.files.toolset, postroom.tools.shell.kit\n"
        "from postroom.tools.files.confine import Bounds, PathRefused, session_folder\n"
        "try:\n"
        "    session_folder('.', Bounds()).__enter__()\n"
        "except PathRefused as refused:\n"
        "    print(refused)\n"
    )

    done = subprocess.run([sys.executable, "-c", lacking], capture_output=True, text=True, check=False)

    assert "need Linux or macOS" in done.stdout, done.stderr


def test_a_handle_is_let_go_when_the_block_ends(tmp_path: Path) -> None:
    with session_folder(str(tmp_path), Bounds()) as root:
        fd = root.fd

    with pytest.raises(OSError, match="Bad file descriptor"):
        os.fstat(fd)
