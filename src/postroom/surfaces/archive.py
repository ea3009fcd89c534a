"""`archive_agent`: an agent retires another whose work is finished; whom it may, the policy says."""

from postroom.domain.receipt import Code
from postroom.domain.turn import Call
from postroom.rules.markers import label
from postroom.service.archive import Archived
from postroom.surfaces.arguments import Field, Values
from postroom.surfaces.base import Desk, MailTool
from postroom.surfaces.bracketed import RefusalResult
from postroom.surfaces.field_tool import FieldTool
from postroom.tools.base import ToolResult


def archive_agent_tool(refusal_result: RefusalResult, to: str) -> MailTool:
    """The tool of one surface; `to` says how that names an agent."""
    fields = (
        Field(name="to", type="string", description=to),
        Field(name="reason", type="string", default="", required=False, description="Why, for the record."),
    )

    async def archive_agent(desk: Desk, call: Call, values: Values) -> ToolResult | None:
        """Retire an agent for good; a second time it is a notice and no mistake."""
        address = str(values["to"])
        refusal = await desk.archive(call, address, str(values["reason"]), archived_text)
        if refusal is None:
            return None
        if refusal.code is Code.ALREADY_ARCHIVED:
            shown = label(str(refusal.facts.get("to", address)))
            return ToolResult(text=f"[archive_agent] {shown} was archived before; nothing was changed")
        return refusal_result("archive_agent", refusal, {"to": address})

    return FieldTool(
        name="archive_agent", fields=fields, run=archive_agent,
        description="Retire an agent whose work is finished. There is no way back; its history stays.",
    ).made()  # fmt: skip


def archived_text(done: Archived) -> str:
    """An agent that was archived, and what was waiting for it."""
    name = f" «{label(done.name)}»" if done.name else ""
    text = (
        f"[archived] {done.address}{name} takes no more messages and tasks; it can still be read and forked."
    )
    if not done.messages:
        return text
    return f"{text}\n{done.messages} messages that were waiting there are gone, {done.tasks} of them tasks."
