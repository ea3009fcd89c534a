"""The built page: files of one folder, and the page itself for every path that is no file.

The files are looked up among those that the folder holds, never by a path that somebody has sent.
"""

import asyncio
import gzip
import hashlib
import mimetypes
from dataclasses import dataclass
from functools import cached_property
from http import HTTPStatus
from pathlib import Path
from typing import Final

from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.responses import HTMLResponse, Response
from starlette.types import Receive, Scope, Send

from postroom.daemon.protocol import PREFIX
from postroom.errors import NotFound

INDEX: Final = "index.html"
ASSETS: Final = "assets/"
"""Files whose name holds a hash of what they hold, so they never change."""
FOR_EVER: Final = "public, max-age=31536000, immutable"
LOOK_AGAIN: Final = "no-cache"
GZIP_BYTES_MIN: Final = 1_024
_UNPACKED: Final = frozenset((".png", ".jpg", ".jpeg", ".gif", ".webp", ".avif", ".woff2", ".gz", ".br"))
"""What is packed already."""
_NO_PAGE: Final = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="color-scheme" content="light dark">
<meta name="viewport" content="width=device-width"><title>Postroom: no page here</title></head>
<body><main><h1>The daemon runs, and has no page to show</h1>
<p>An installed Postroom brings its page along. In a copy of the sources it is built once, which needs
Node:</p><pre>make page</pre>
<p>Then start the daemon again. The API and the command line need no page.</p></main></body></html>
"""


@dataclass(frozen=True)
class _File:
    """One file of the page, read when it is first asked for."""

    path: Path
    name: str

    @property
    def media_type(self) -> str:
        """By its ending."""
        return mimetypes.guess_type(self.name)[0] or "application/octet-stream"

    @cached_property
    def body(self) -> bytes:
        """What it holds."""
        return self.path.read_bytes()

    @cached_property
    def packed(self) -> bytes | None:
        """The same for who takes gzip; nothing where that saves nothing."""
        if len(self.body) < GZIP_BYTES_MIN or self.path.suffix in _UNPACKED:
            return None
        return gzip.compress(self.body, mtime=0)

    @cached_property
    def tag(self) -> str:
        """Another one for other contents."""
        return f'"{hashlib.sha256(self.body).hexdigest()[:32]}"'


class Page:
    """Answers what no route does."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        self._files: dict[str, _File] = {}
        self._built_ns = -1

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """A file, or the page. Raises `NotFound` for what is neither, and `HTTPException` for a deed."""
        name = str(scope["path"]).removeprefix("/")
        if name == "api" or name.startswith("api/") or scope["type"] != "http":
            raise NotFound("there is no such endpoint", remedy=f"{PREFIX}/openapi.json names them all")
        if scope["method"] not in ("GET", "HEAD"):
            raise HTTPException(HTTPStatus.METHOD_NOT_ALLOWED, headers={"allow": "GET, HEAD"})
        answer = await asyncio.to_thread(self._answer, name, Headers(scope=scope))
        await answer(scope, receive, send)

    def _answer(self, name: str, headers: Headers) -> Response:
        self._look()
        file = self._files.get(name) or (None if name.startswith(ASSETS) else self._files.get(INDEX))
        if file is not None:
            return _sent(file, headers)
        if name.startswith(ASSETS):
            raise NotFound("the page has no such file", remedy="load the page anew")
        return HTMLResponse(_NO_PAGE)

    def _look(self) -> None:
        """Which files there are, anew when the page was built again."""
        try:
            built_ns = -1 if self._folder is None else (self._folder / INDEX).stat().st_mtime_ns
        except OSError:
            built_ns = -1
        if built_ns == self._built_ns:
            return
        found = () if self._folder is None or built_ns == -1 else self._folder.rglob("*")
        names = ((path, path.relative_to(self._folder).as_posix()) for path in found if self._folder)
        self._files = {
            name: _File(path, name) for path, name in names if path.is_file() and not path.is_symlink()
        }
        self._built_ns = built_ns


def _sent(file: _File, headers: Headers) -> Response:
    said = {
        "etag": file.tag, "vary": "accept-encoding",
        "cache-control": FOR_EVER if file.name.startswith(ASSETS) else LOOK_AGAIN,
    }  # fmt: skip
    if file.tag in headers.get("if-none-match", ""):
        return Response(status_code=HTTPStatus.NOT_MODIFIED, headers=said)
    if "gzip" in headers.get("accept-encoding", "") and file.packed is not None:
        return Response(file.packed, headers={**said, "content-encoding": "gzip"}, media_type=file.media_type)
    return Response(file.body, headers=said, media_type=file.media_type)
