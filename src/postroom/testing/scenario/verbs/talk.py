"""What a person says: prompt, type, send_as_user."""

from typing import cast

from postroom.clock import SystemClock
from postroom.domain.plain import Json
from postroom.errors import NotFound
from postroom.testing.scenario.play import Play
from postroom.testing.scenario.steps import Step
from postroom.testing.scenario.verbs.need import need


async def prompt(play: Play, step: Step) -> Json:
    """Say something that opens a turn: in the conversation with that agent, or in a new one."""
    part = need(step.prompt)
    stage = await play.stage()
    session = None if part.new else _conversation(play, part.to)
    where: dict[str, Json] = {"session": session} if session else {"profile": part.to}
    given: dict[str, Json] = {"text": part.text, **where}
    if part.client_id is not None:
        given["client_id"] = part.client_id
    if session is None:
        given |= {"attended": part.attended, **({"mode": part.mode} if part.mode else {})}
    said = cast("dict[str, Json]", await stage.do("prompt", given))
    play.conversations.setdefault(part.to, str(said["session_id"]))
    return said


async def type_text(play: Play, step: Step) -> Json:
    """What the person types joins the running turn."""
    part = need(step.type)
    return await _send(play, part.to, part.text, "steer", part.client_id)


async def send_as_user(play: Play, step: Step) -> Json:
    """Write to any agent."""
    part = need(step.send_as_user)
    due_us = None if part.in_s is None else _now_us(play) + round(part.in_s * 1_000_000)
    return await _send(play, part.to, part.body, part.mode, part.client_id, due_us)


def _now_us(play: Play) -> int:
    return play.now_us if play.read.scenario.clock == "fake" else SystemClock().now_us()


async def _send(
    play: Play, to: str, body: str, mode: str, client_id: str | None, due_us: int | None = None
) -> Json:
    stage = await play.stage()
    given: dict[str, Json] = {"to": address(play, to), "body": body, "mode": mode}
    if client_id is not None:
        given["client_id"] = client_id
    if due_us is not None:
        return await stage.do("send_at", {**given, "due_us": due_us})
    return await stage.do("send", given)


def address(play: Play, to: str) -> str:
    """Where mail for an agent goes: a name of the file is its first agent; anything else is said as it is."""
    try:
        view = play.record.agent(to)
    except NotFound:
        return to
    return view.address if ":" in view.address else view.session_id


def _conversation(play: Play, to: str) -> str | None:
    if to in play.conversations:
        return play.conversations[to]
    found = address(play, to)
    return None if found == to and to in play.agents else found
