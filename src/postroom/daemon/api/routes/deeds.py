"""What a person says to an agent and does with it. All of it is durable when the answer comes."""

from dataclasses import dataclass

from fastapi import APIRouter

from postroom.app import Prompt
from postroom.app.paths import CompactView
from postroom.app.shelf import ArchiveView
from postroom.daemon.api.given import Dollars, Given, Line, MailMode, Name, Reference, Tokens, Words
from postroom.daemon.api.guard import Admin, Operate
from postroom.daemon.api.refusals import refuses
from postroom.domain.message import Mode
from postroom.domain.receipt import Code
from postroom.observe.receipts import ReceiptView, receipt_view
from postroom.service.names import Named

router = APIRouter(prefix="/agents/{agent}", tags=["deeds"])


class PromptGiven(Given):
    """A text that opens a turn of its own, and what may be spent on it; 0 is no limit."""

    text: Words
    client_id: Name | None = None
    """Saying it again under the same id gives the first receipt."""
    max_tokens: Tokens | None = None
    max_cost_usd: Dollars | None = None


class SendGiven(Given):
    """A text that joins the running turn (`steer`), or opens a later one (`queue`)."""

    body: Words
    mode: MailMode = Mode.STEER
    client_id: Name | None = None


class ArchiveGiven(Given):
    """Why, for the record."""

    reason: Line = ""


class NameGiven(Given):
    """The new name."""

    name: Line


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompted:
    """A text was accepted: where it went, its receipt, and where the log stood before it."""

    session_id: str
    pos: int
    receipt: ReceiptView


@dataclass(frozen=True, slots=True, kw_only=True)
class Stopped:
    """How many agents the stop has paused that were not paused before."""

    paused: int


def prompted(said: Prompt) -> Prompted:
    """What was said, as it is answered."""
    return Prompted(session_id=said.session_id, pos=said.pos, receipt=receipt_view(said.receipt))


@router.post(
    "/prompt",
    openapi_extra=refuses(Code.INVALID_BODY, Code.IDEMPOTENCY_CONFLICT, Code.PRICE_UNKNOWN, Code.ARCHIVED),
)
async def prompt(house: Operate, agent: Reference, given: PromptGiven) -> Prompted:
    """Say something that opens a turn. Texts are read in the order in which they arrive here."""
    said = await house.room.prompt(
        given.text, session=agent, client_id=given.client_id, max_tokens=given.max_tokens,
        max_cost_usd=given.max_cost_usd,
    )  # fmt: skip
    return prompted(said)


@router.post("/send", openapi_extra=refuses(Code.INVALID_BODY, Code.IDEMPOTENCY_CONFLICT, Code.ARCHIVED))
async def send(house: Operate, agent: Reference, given: SendGiven) -> ReceiptView:
    """Write to an agent: steer its running turn, or queue for a later one."""
    receipt = await house.room.send(agent, given.body, mode=given.mode, client_id=given.client_id)
    return receipt_view(receipt)


@router.post("/stop")
async def stop(house: Operate, agent: Reference) -> Stopped:
    """Pause an agent and everything below it; a session means all its agents."""
    return Stopped(paused=await house.room.stop(agent))


@router.post("/cancel", status_code=204, openapi_extra=refuses(Code.ALREADY_ENDED))
async def cancel(house: Operate, agent: Reference) -> None:
    """End its turn, or the task that it runs with everything below; nothing is paused."""
    await house.room.cancel(agent)


@router.post("/resume", status_code=204, openapi_extra=refuses(Code.NOTHING_TO_RESUME))
async def resume(house: Operate, agent: Reference) -> None:
    """Lift a pause, open a turn for parked mail, or go on from an interrupted turn."""
    await house.room.resume(agent)


@router.post("/open", status_code=204)
async def open_agent(house: Operate, agent: Reference) -> None:
    """A front end shows it: the agent is in memory from now on, and mail held for that is accepted."""
    await house.room.open_agent(agent)


@router.post(
    "/compact",
    openapi_extra=refuses(
        Code.NOTHING_TO_COMPACT,
        Code.NOT_IDLE,
        Code.CHAIN_SPENT,
        Code.TARGET_STOPPED,
        "summary_failed",
        "config_invalid",
    ),
)
async def compact(house: Operate, agent: Reference) -> CompactView:
    """Have the beginning of an idle agent's conversation summed up."""
    return await house.room.compact(agent)


@router.post("/archive")
async def archive(house: Admin, agent: Reference, given: ArchiveGiven) -> ArchiveView:
    """Retire an agent for good: nothing new reaches it, and it stays readable."""
    return await house.room.archive(agent, reason=given.reason)


@router.post("/rename", openapi_extra=refuses(Code.INVALID_NAME))
async def rename(house: Operate, agent: Reference, given: NameGiven) -> Named:
    """Give an agent a name that no model changes any more."""
    return await house.room.rename(agent, given.name)
