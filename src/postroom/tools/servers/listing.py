"""All pages of a server's list of tools."""

import json
from typing import Final, cast

from mcp import Client, MCPError
from mcp.types import METHOD_NOT_FOUND

from postroom.llm.port import Json
from postroom.tools.servers.offer import TOOLS_MAX, Listed
from postroom.tools.servers.words import Mask

_PAGES_MAX: Final = 100


async def list_tools(client: Client, mask: Mask) -> list[Listed]:
    """What the server lists, in its order, without secrets. One that has no tools lists none.

    Reading stops when there are more than can be offered, so that a list without end is no list
    without end here.
    """
    listed: list[Listed] = []
    cursor: str | None = None
    try:
        for _ in range(_PAGES_MAX):
            page = await client.list_tools(cursor=cursor)
            listed += [
                Listed(
                    name=tool.name,
                    description=mask(tool.description or tool.title or ""),
                    schema=cast("dict[str, Json]", json.loads(mask(json.dumps(tool.input_schema)))),
                )
                for tool in page.tools
            ]
            cursor = page.next_cursor
            if cursor is None or len(listed) > TOOLS_MAX:
                break
    except MCPError as refused:
        if refused.code != METHOD_NOT_FOUND:
            raise
    return listed
