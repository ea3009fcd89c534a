"""The page as the daemon serves it: its files and nothing else of the machine, under a strict policy."""

import asyncio
import gzip
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.frontends.daemon import Daemon, served

SCRIPT = "console.log('hello');\n" * 200
INDEX = "<!doctype html><title>Postroom</title><div id=root></div>"
HIDDEN = "do not read me"


@pytest.fixture
def built(tmp_path: Path) -> Path:
    """A page as it is built, with a neighbour that is none of its files."""
    folder = tmp_path / "static"
    (folder / "assets").mkdir(parents=True)
    (folder / "index.html").write_text(INDEX)
    (folder / "icon.svg").write_text("<svg/>")
    (folder / "assets" / "index-1a2b3c.js").write_text(SCRIPT)
    (tmp_path / "hidden.txt").write_text(HIDDEN)
    (folder / "link.txt").symlink_to(tmp_path / "hidden.txt")
    return folder


@pytest.fixture
async def daemon(tmp_path: Path, team: Path, built: Path) -> AsyncIterator[Daemon]:
    async with served(tmp_path, team, page=built) as daemon:
        yield daemon


async def test_every_path_that_is_no_file_gives_the_page(daemon: Daemon) -> None:
    browser = daemon.stranger(prefix="")

    said = [await browser.get(path) for path in ("/", "/agents/a%2Fb", "/mail/x", "/apis", "/index.html")]

    assert {(a.status_code, a.text, a.headers["cache-control"]) for a in said} == {(200, INDEX, "no-cache")}


async def test_files_have_their_type_and_those_with_a_hash_are_kept_for_ever(daemon: Daemon) -> None:
    browser = daemon.stranger(prefix="")

    script, icon = await browser.get("/assets/index-1a2b3c.js"), await browser.get("/icon.svg")
    gone = await browser.get("/assets/index-0.js")

    assert script.text == SCRIPT
    assert script.headers["content-type"].startswith("text/javascript")
    assert script.headers["cache-control"] == "public, max-age=31536000, immutable"
    assert (icon.headers["content-type"], icon.headers["cache-control"]) == ("image/svg+xml", "no-cache")
    assert (gone.status_code, gone.headers["cache-control"]) == (404, "no-store")


async def test_a_file_is_sent_once_and_packed(daemon: Daemon) -> None:
    browser = daemon.stranger(prefix="")
    packed = await browser.get("/assets/index-1a2b3c.js", headers={"accept-encoding": "gzip"})
    plain = await browser.get("/assets/index-1a2b3c.js", headers={"accept-encoding": "identity"})
    again = await browser.get("/", headers={"if-none-match": (await browser.get("/")).headers["etag"]})
    head = await browser.head("/")

    assert packed.headers["content-encoding"] == "gzip"
    assert int(packed.headers["content-length"]) == len(gzip.compress(SCRIPT.encode(), mtime=0))
    assert "content-encoding" not in plain.headers
    assert packed.text == plain.text == SCRIPT
    assert (again.status_code, again.text) == (304, "")
    assert (head.status_code, head.text) == (200, "")


OUTSIDE = (
    "/../hidden.txt", "/assets/../../hidden.txt", "/..%2fhidden.txt", "/%2e%2e/hidden.txt", "//etc/passwd",
    "/etc/passwd", "/./../hidden.txt", "/link.txt", "/assets/..\\..\\hidden.txt", "/%00", "/assets",
    "/assets/", "/assets/%2e%2e%2f%2e%2e%2fhidden.txt", "file:///etc/passwd",
)  # fmt: skip


async def test_nothing_beside_the_page_can_be_read(daemon: Daemon) -> None:
    host, _, port = daemon.url.removeprefix("http://").rpartition(":")
    for path in OUTSIDE:
        reader, writer = await asyncio.open_connection(host, int(port))
        writer.write(f"GET {path} HTTP/1.1\r\nHost: {host}:{port}\r\nConnection: close\r\n\r\n".encode())
        answer = (await reader.read()).decode()
        writer.close()

        assert HIDDEN not in answer, path
        assert "root:" not in answer, path
        assert INDEX in answer or answer.startswith(("HTTP/1.1 404", "HTTP/1.1 400")), path


async def test_the_page_runs_nothing_that_is_not_its_own(daemon: Daemon) -> None:
    browser, api = daemon.stranger(prefix=""), daemon.client()
    answers = [
        await browser.get("/"), await browser.get("/assets/index-1a2b3c.js"),
        await browser.get("/login?code=x"), await api.get("/agents"), await api.get("/nothing"),
        await browser.get("/api/v1/agents"),
        await browser.get("/", headers={"host": "evil.example"}), await browser.post("/"),
    ]  # fmt: skip

    for answer in answers:
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert "frame-ancestors 'none'" in policy
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["referrer-policy"] == "no-referrer"
        assert answer.headers["cross-origin-resource-policy"] == "same-origin"
        assert answer.headers["cross-origin-opener-policy"] == "same-origin"
        assert "server" not in answer.headers
    assert {answer.headers["cache-control"] for answer in answers[2:]} == {"no-store"}
    assert answers[-1].status_code == 405


async def test_a_page_that_is_built_again_is_served_without_a_new_start(daemon: Daemon, built: Path) -> None:
    browser = daemon.stranger(prefix="")
    await browser.get("/")
    (built / "assets" / "index-9z.js").write_text("1")
    (built / "index.html").write_text(INDEX + "new")

    assert (await browser.get("/")).text == INDEX + "new"
    assert (await browser.get("/assets/index-9z.js")).text == "1"


async def test_a_daemon_without_a_page_says_what_to_do(tmp_path: Path, team: Path) -> None:
    for page in (None, tmp_path / "nowhere"):
        async with served(tmp_path, team, page=page) as daemon:
            said = await daemon.stranger(prefix="").get("/")
            api = await daemon.client().get("/agents")

        assert (said.status_code, api.status_code) == (200, 200)
        assert "make page" in said.text
        assert "<script" not in said.text
