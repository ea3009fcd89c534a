"""`list_agents`, and the shared tools that look at others and retire them, in the words of a team."""

from collections.abc import Mapping

from postroom.domain.receipt import Code, Refusal
from postroom.domain.turn import Call
from postroom.service.lineup import LINES_MAX, SCOPES
from postroom.surfaces.archive import archive_agent_tool
from postroom.surfaces.arguments import Field, Values
from postroom.surfaces.base import Desk
from postroom.surfaces.bracketed import sentence
from postroom.surfaces.field_tool import FieldTool
from postroom.surfaces.reading import read_conversation_tool
from postroom.surfaces.tasks import task_tools
from postroom.surfaces.team.work_words import NOT_BELOW, WORDING, lineup_text
from postroom.tools.base import ToolResult

LIMIT = 50
LIST_FIELDS = (
    Field(
        name="scope", type="string", default="tree", required=False, choices=SCOPES,
        description="tree: the agents of your own tree. directory: those that work in your directory.",
    ),
    Field(
        name="limit", type="integer", default=LIMIT, required=False, least=1,
        description=f"How many agents, at most {LINES_MAX}; the last active ones first.",
    ),
)  # fmt: skip


async def list_agents(desk: Desk, _call: Call, values: Values) -> ToolResult | None:
    """Who there is, how they stand and what they work on."""
    return ToolResult(text=lineup_text(await desk.line_up(str(values["scope"]), int(values["limit"]))))


def _archive_refusal(tool: str, refusal: Refusal, given: Mapping[str, str]) -> ToolResult:
    if refusal.code is Code.PERMISSION_DENIED:
        return ToolResult(text=sentence(tool, NOT_BELOW, refusal, given), is_error=True, refusal=refusal.code)
    return WORDING.result(tool, refusal, given)


LIST_AGENTS = FieldTool(
    name="list_agents",
    description="See which agents there are, how they stand and what they work on.",
    fields=LIST_FIELDS,
    run=list_agents,
).made()
READ_CONVERSATION = read_conversation_tool(
    WORDING.text, "Read what an agent of your tree, or of your directory, has said and done."
)
ARCHIVE_AGENT = archive_agent_tool(
    _archive_refusal, "An agent that grew out of your work: a handle, an id, SID:HEAD or an exact name."
)
TASK_TOOLS = task_tools(WORDING.result, timeout="timeout_ms")
