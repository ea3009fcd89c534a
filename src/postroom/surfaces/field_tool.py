"""Tools whose arguments are fields: decoded before they run, or it is said what is wrong with them."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from postroom.domain.plain import Json
from postroom.domain.receipt import Code
from postroom.domain.turn import Call
from postroom.llm.port import ToolSpec
from postroom.service.rights import Wish
from postroom.surfaces.arguments import Field, Values, decode, schema
from postroom.surfaces.base import Desk, MailTool
from postroom.surfaces.bracketed import invalid
from postroom.tools.base import ToolResult, refused

RunDecoded: TypeAlias = Callable[[Desk, Call, Values], Awaitable[ToolResult | None]]


def plainly_invalid(tool: str, wrong: str) -> ToolResult:
    """A mistake in the arguments of a call, on surfaces that do not speak in brackets."""
    return refused(tool, Code.INVALID_ARGUMENTS, wrong)


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldTool:
    """A tool about to be made; what is not explained here is as in `MailTool`."""

    name: str
    description: str
    fields: tuple[Field, ...]
    run: RunDecoded
    invalid: Callable[[str, str], ToolResult] = invalid
    """The surface's words for a mistake in the arguments of this tool."""
    wish: Callable[[Values], Wish] | None = None
    returns: dict[str, Json] | None = None
    action: str = ""
    only: str = ""
    spends: bool = False

    def made(self) -> MailTool:
        """The tool of a surface."""
        spec = ToolSpec(
            name=self.name, description=self.description, parameters=schema(self.fields), returns=self.returns
        )
        return MailTool(
            spec=spec, run=self._run, wish=self._wish, action=self.action, only=self.only, spends=self.spends
        )

    async def _run(self, desk: Desk, call: Call, given: Mapping[str, Json]) -> ToolResult | None:
        values = decode(self.fields, given)
        if isinstance(values, str):
            return self.invalid(self.name, values)
        return await self.run(desk, call, values)

    def _wish(self, given: Mapping[str, Json]) -> Wish | None:
        values = None if self.wish is None else decode(self.fields, given)
        return self.wish(values) if self.wish is not None and isinstance(values, dict) else None
