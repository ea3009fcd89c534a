"""A server without an SDK, for what no good server does: `mcp_raw_server.py OPTIONS` (JSON).

It speaks the protocol of 2025: it knows `initialize` and refuses `server/discover`. It starts in a
fraction of the time of one with the SDK, so it also serves where any server would do.
"""

import json
import os
import socket
import subprocess
import sys
from pathlib import Path
from typing import TypeAlias

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"

OPTIONS = json.loads(sys.argv[1])
TOOLS: list[str] = OPTIONS.get("tools", ["ping"])
CAPABILITIES: Json = {"tools": {"listChanged": True}}


def send(message: dict[str, Json]) -> None:
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def listed(name: str) -> Json:
    return {"name": name, "description": f"The tool {name}.", "inputSchema": {"type": "object"}}


def list_page(params: dict[str, Json]) -> dict[str, Json]:
    size = int(OPTIONS.get("page", 1000))
    begin = int(str(params.get("cursor", "0")))
    page: dict[str, Json] = {"tools": [listed(name) for name in TOOLS[begin : begin + size]]}
    if begin + size < len(TOOLS):
        page["nextCursor"] = str(begin + size)
    return page


def sign(word: str) -> None:
    with socket.create_connection(("127.0.0.1", OPTIONS["signs"])) as line:
        line.sendall(f"{word}\n".encode())


def start_child() -> str:
    """A child that holds our standard output; a line to the test stays open as long as it lives."""
    with socket.create_connection(("127.0.0.1", OPTIONS["signs"])) as line:
        line.sendall(b"child\n")
        return str(subprocess.Popen(["sleep", "600"], pass_fds=[line.fileno()]).pid)


def change() -> str:
    TOOLS.append("added")
    send({"method": "notifications/tools/list_changed"})
    return "changed"


def ask_for_roots() -> str:
    send({"id": "r1", "method": "roots/list"})
    return sys.stdin.readline()


ACTS = {
    "change": change,
    "child": start_child,
    "directory": lambda: str(Path.cwd()),
    "environment": lambda: json.dumps(dict(os.environ)),
    "giant": lambda: "x" * 17 * 1024 * 1024,
    "ping": lambda: f"pong from {os.getpid()}",
    "roots": ask_for_roots,
}


def answer(method: str, params: dict[str, Json]) -> dict[str, Json]:
    match method:
        case "initialize":
            about: Json = {"name": "raw", "version": "1"}
            version = params["protocolVersion"]
            result: Json = {"protocolVersion": version, "capabilities": CAPABILITIES, "serverInfo": about}
            return {"result": result}
        case "tools/list":
            return {"result": list_page(params)}
        case "tools/call":
            part: Json = {"type": "text", "text": ACTS[str(params["name"])]()}
            parts: list[Json] = [part for _ in range(int(OPTIONS.get("parts", 1)))]
            return {"result": {"content": parts}}
        case _:
            return {"error": {"code": -32601, "message": f"no method {method}"}}


def main() -> None:
    sys.stdout.write(OPTIONS.get("banner", ""))
    sys.stderr.write("e" * 99 + "\n")
    for _ in range(int(OPTIONS.get("flood", 0))):
        sys.stderr.write("f" * 1023 + "\n")
    sys.stderr.flush()
    for line in sys.stdin:
        message = json.loads(line)
        method, params = message.get("method"), message.get("params") or {}
        if method == "notifications/cancelled":
            sign("let go")
        elif method == "tools/call" and params["name"] == "hold":
            sign(f"holding {os.getpid()}")  # and no answer, ever
        elif "id" in message and method and not OPTIONS.get("mute"):
            send({"id": message["id"], **answer(method, params)})


main()
