"""The tool that speaks for a server which gives less than its profile counts on, or nothing yet."""

from collections.abc import Callable, Mapping, Sequence

from postroom.llm.port import Json, ToolSpec
from postroom.tools.base import Caller, Tool, ToolResult, Toolset
from postroom.tools.servers.offer import STAND_IN, fit_name


def server_toolset(server: str, tools: Sequence[Tool]) -> Toolset:
    """The tools as the group of the server's name."""
    return Toolset(group=server, origin=f"MCP server {server}", tools=tuple(tools))


def stand_in(server: str, say: Callable[[], str], missing: Sequence[str] = ()) -> Tool:
    """A tool `server__unavailable`: calling it is an error that says how the server is just now."""
    cause = "; ".join(missing) or "its tools cannot be offered"
    spec = ToolSpec(
        name=fit_name(server, STAND_IN),
        description=f"Stands for what the MCP server `{server}` does not give: {cause}. Tells how it is.",
        parameters={"type": "object", "properties": {}, "additionalProperties": False},
    )

    async def run(caller: Caller, arguments: Mapping[str, Json]) -> ToolResult:
        del caller, arguments
        return ToolResult(text=say(), is_error=True)

    return Tool(spec=spec, run=run)
