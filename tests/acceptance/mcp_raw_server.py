"""A server without an SDK, for what no good server does: `mcp_raw_server.py OPTIONS` (JSON).

It speaks the protocol of 2025: it knows `initialize` and refuses `server/discover`.
"""

import json
import os
import sys
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


def call(params: dict[str, Json]) -> dict[str, Json]:
    name = str(params["name"])
    if name == "change":
        TOOLS.append("added")
        send({"method": "notifications/tools/list_changed"})
    if name == "giant":
        return {"content": [{"type": "text", "text": "x" * 17 * 1024 * 1024}]}
    if name == "leave":
        sys.exit(3)
    if name == "roots":
        send({"id": "r1", "method": "roots/list"})
        return {"content": [{"type": "text", "text": sys.stdin.readline()}]}
    return {"content": [{"type": "text", "text": f"pong from {os.getpid()}"}]}


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
            return {"result": call(params)}
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
        if "id" in message and "method" in message and not OPTIONS.get("mute"):
            send({"id": message["id"], **answer(message["method"], message.get("params") or {})})


main()
