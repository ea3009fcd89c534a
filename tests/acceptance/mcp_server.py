"""A server made with the official SDK, run as a process: `mcp_server.py stdio SIGNS_PORT` or
`mcp_server.py http SIGNS_PORT PORT`.

It tells a test what happens in it by lines to a socket, so that no test has to wait for a time.
"""

import asyncio
import base64
import os
import socket
import sys
from typing import cast

import uvicorn
from mcp.server.mcpserver import Context, MCPServer
from mcp.types import (
    BlobResourceContents,
    ContentBlock,
    EmbeddedResource,
    ImageContent,
    ResourceLink,
    TextContent,
)
from pydantic import AnyUrl  # noqa: F401

server = MCPServer("tests", version="1")
PIXEL = base64.b64encode(b"\x89PNG\r\n\x1a\n" + b"0" * 100).decode()


def sign(word: str) -> None:
    with socket.create_connection(("127.0.0.1", int(sys.argv[2]))) as line:
        line.sendall(f"{word}\n".encode())


@server.tool()
def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


@server.tool()
def letters(count: int) -> str:
    """As many letters."""
    return "x" * count


@server.tool()
def fail() -> str:
    """Fail."""
    msg = f"nothing works with {os.environ.get('TOKEN', '')}"
    raise ValueError(msg)


@server.tool()
async def hold() -> str:
    """Never answer."""
    sign(f"holding {os.getpid()}")
    try:
        await asyncio.Event().wait()
    except BaseException:
        sign("let go")
        raise
    return ""


@server.tool()
def heard(ctx: Context) -> str:
    """The key that came with the request."""
    headers = ctx.headers or {}
    return f"key {headers.get('x-key')}"


@server.tool()
async def more(ctx: Context) -> str:
    """Have one tool more."""

    def extra() -> str:
        """One tool more."""
        return "extra"

    server.add_tool(extra)
    await ctx.notify_tools_changed()
    return "done"


@server.tool()
def pictures(count: int, size: int) -> list[ContentBlock]:
    """Pictures of that size, and other things."""
    data = PIXEL if size == 0 else base64.b64encode(b"p" * size).decode()
    images = [ImageContent(type="image", data=data, mime_type="image/png") for _ in range(count)]
    blob = BlobResourceContents(uri="file:///a.bin", mime_type="application/zip", blob="AAAA")
    return [
        TextContent(type="text", text="look"),
        *images,
        ResourceLink(type="resource_link", name="notes", uri="file:///notes.md", description="the notes"),
        EmbeddedResource(type="resource", resource=blob),
    ]


def serve_http() -> None:
    """Serve on a free port of this machine, and say which."""
    listening = socket.create_server(("127.0.0.1", int(sys.argv[3])))
    config = uvicorn.Config(server.streamable_http_app(), log_level="warning")
    sign(f"port {cast('int', listening.getsockname()[1])}")
    uvicorn.Server(config).run(sockets=[listening])


if __name__ == "__main__":
    if sys.argv[1] == "stdio":
        server.run("stdio")
    else:
        serve_http()
