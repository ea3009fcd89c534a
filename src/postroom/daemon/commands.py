"""What can be asked through the door: each command with its strict arguments and what it does."""

import os
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import cast

from postroom import __version__
from postroom.app import Postroom
from postroom.app.ending import ending, ending_unless_asked
from postroom.app.talk import SaidBefore
from postroom.daemon import goals, later, lists, paths, person, shelf, tokens
from postroom.daemon.fields import (
    AGENT,
    LISTED,
    SESSION,
    SOME_SESSION,
    Values,
    flag,
    number,
    number_of,
    some_number,
    text_of,
    words,
)
from postroom.daemon.wire import InvalidArguments, UnknownCommand
from postroom.domain.ask import ApprovalMode
from postroom.domain.keys import BranchKey
from postroom.domain.message import Mode
from postroom.domain.plain import Json
from postroom.domain.receipt import Receipt
from postroom.observe import heard, looks
from postroom.observe.views import End
from postroom.rules.text import is_encodable
from postroom.surfaces.arguments import Field, decode

LOG_LIMIT = 200
"""Events on one page of the log unless the caller says otherwise."""

_JUDGED_LATER = frozenset(("text", "body", "to", "session", "reference", "ask"))
"""What the room itself refuses when it is no text, in better words."""


_CLIENT = words("client_id", "makes saying it again harmless", required=False)
_MODE = words(
    "mode", "joins the running turn, or opens a later one", required=False, choices=tuple(Mode),
    default=Mode.STEER,
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """One command. `run` gives one answer, `stream` many."""

    fields: tuple[Field, ...]
    run: Callable[[Postroom, Values], Awaitable[Json]] | None = None
    stream: Callable[[Postroom, Values], AsyncIterator[Json]] | None = None


def find(
    command: str, arguments: Mapping[str, Json], more: Mapping[str, Command] | None = None
) -> tuple[Command, Values]:
    """The command and its decoded arguments. Raises `UnknownCommand` or `InvalidArguments`.

    `more`: what this process can be asked beside what every room can; it comes before that.
    """
    known = COMMANDS if more is None else {**COMMANDS, **more}
    found = known.get(command)
    if found is None:
        raise UnknownCommand(f"the door knows no {command[:64]!r}", remedy=f"one of {', '.join(known)}")
    values = decode(found.fields, arguments)
    if isinstance(values, str):
        raise InvalidArguments(f"{command}: {values}", remedy="nothing was done")
    for name, value in values.items():
        if isinstance(value, str) and name not in _JUDGED_LATER and not is_encodable(value):
            raise InvalidArguments(f"{command}: argument {name} is no text", remedy="nothing was done")
    return found, values


async def _prompt(room: Postroom, values: Values) -> Json:
    said = await room.prompt(
        str(values["text"]), session=text_of(values, "session"), profile=text_of(values, "profile"),
        client_id=text_of(values, "client_id"), attended=bool(values["attended"]),
        mode=ApprovalMode(str(values["mode"])) if "mode" in values else None,
        max_tokens=number_of(values, "max_tokens"), max_cost_usd=text_of(values, "max_cost_usd"),
    )  # fmt: skip
    return {
        "session_id": said.session_id, "message_id": said.message_id, "pos": said.pos,
        "message": said.message, "branch": said.branch,
    }  # fmt: skip


async def _ending(room: Postroom, values: Values) -> AsyncIterator[Json]:
    prompt = SaidBefore(
        session_id=str(values["session"]), message=int(values["message"]),
        branch=BranchKey(int(values["branch"])),
    )  # fmt: skip
    is_there = bool(values["attended"])
    found = await (ending(room, prompt) if is_there else ending_unless_asked(room, prompt))
    if isinstance(found, End):
        yield {"end": looks.as_json(found), "ok": found.ok}
    else:
        yield {"questions": [ask.ask_id for ask in found]}


async def _send(room: Postroom, values: Values) -> Json:
    receipt = await room.send(
        str(values["to"]),
        str(values["body"]),
        mode=str(values["mode"]),
        client_id=text_of(values, "client_id"),
    )
    return receipt_json(receipt)


def receipt_json(receipt: Receipt) -> dict[str, Json]:
    """A receipt as JSON."""
    return {
        "message_id": receipt.message_id, "mode": receipt.mode, "recipient_state": receipt.recipient_state,
    }  # fmt: skip


async def _stop(room: Postroom, values: Values) -> Json:
    return {"paused": await room.stop(str(values["session"]))}


async def _cancel(room: Postroom, values: Values) -> Json:
    await room.cancel(str(values["session"]))
    return {"cancelled": True}


async def _open(room: Postroom, values: Values) -> Json:
    await room.open_agent(str(values["session"]))
    return {"opened": True}


async def _resume(room: Postroom, values: Values) -> Json:
    await room.resume(str(values["session"]))
    return {"resumed": True}


async def _retry(room: Postroom, values: Values) -> Json:
    return receipt_json(await room.retry(str(values["message_id"])))


async def _recall(room: Postroom, values: Values) -> Json:
    await room.recall(str(values["message_id"]))
    return {"recalled": True}


async def _ps(room: Postroom, values: Values) -> Json:
    return await room.store.read(looks.agents, text_of(values, "session"))


async def _show(room: Postroom, values: Values) -> Json:
    return await room.store.read(looks.show, str(values["reference"]))


async def _why(room: Postroom, values: Values) -> Json:
    return looks.as_json(await room.why(str(values["reference"])))


async def _send_at(room: Postroom, values: Values) -> Json:
    kept = await room.send_at(
        str(values["to"]), str(values["body"]), int(values["due_us"]), mode=str(values["mode"]),
        client_id=text_of(values, "client_id"),
    )  # fmt: skip
    return {"timer_id": kept.timer_id, "due_us": kept.due_us}


async def _timers(room: Postroom, values: Values) -> Json:
    return await room.store.read(looks.timers, int(values["limit"]))


async def _cancel_timer(room: Postroom, values: Values) -> Json:
    await later.cancel_timer(room, str(values["timer_id"]))
    return {"cancelled": True}


async def _spend(room: Postroom, values: Values) -> Json:
    by = cast("looks.By", values["by"])
    return await room.store.read(looks.spend, by, text_of(values, "session"), int(values["limit"]))


async def _search(room: Postroom, values: Values) -> Json:
    session, limit = text_of(values, "session"), int(values["limit"])
    hits = await room.search(str(values["words"]), session=session, limit=limit)
    return [looks.as_json(hit) for hit in hits]


async def _answer(room: Postroom, values: Values) -> Json:
    return await room.store.read(looks.answer, int(values["turn"]), int(values["round"]))


async def _landed(room: Postroom, values: Values) -> Json:
    return await room.store.read(heard.landed, int(values["message"]), int(values["branch"]))


async def _notice(room: Postroom, values: Values) -> Json:
    return await room.store.read(heard.notice, int(values["notice"]))


async def _texts(room: Postroom, values: Values) -> AsyncIterator[Json]:
    async for piece in room.texts(text_of(values, "session")):
        yield looks.as_json(piece)


async def _log(room: Postroom, values: Values) -> Json:
    return await room.store.read(
        looks.log_rows, looks.Names(), text_of(values, "session"), int(values["after"]), int(values["limit"])
    )


async def _tail(room: Postroom, values: Values) -> AsyncIterator[Json]:
    pos = int(values["pos"])
    if pos < 0:
        pos = await room.store.read(looks.newest_pos, -pos)
    async for event in room.subscribe(pos):
        yield looks.as_json(event)


async def status(room: Postroom, values: Values) -> dict[str, Json]:
    """The process that runs the store, and what it works on."""
    del values
    return {
        "pid": os.getpid(), "version": __version__, "store": str(room.folder),
        "team": str(room.team.path) if room.team else None, "quiet": room.is_quiet,
        "pos": await room.store.read(looks.newest_pos, 0),
    }  # fmt: skip


COMMANDS: Mapping[str, Command] = {
    "prompt": Command(
        fields=(
            words("text", "what to say"), SOME_SESSION,
            words("profile", "whose profile answers", required=False), _CLIENT,
            words(
                "mode", "who decides the asks of a new conversation", required=False,
                choices=tuple(ApprovalMode),
            ),
            flag("attended", "somebody is there to answer its questions", default=True),
            some_number("max_tokens", "what all that grows out of it may spend; 0 is no limit", least=0),
            words("max_cost_usd", "the same in dollars, such as 0.50", required=False),
        ),
        run=_prompt,
    ),
    "send": Command(
        fields=(words("to", AGENT), words("body", "the text"), _MODE, _CLIENT), run=_send
    ),
    "stop": Command(fields=(SESSION,), run=_stop),
    "cancel": Command(fields=(SESSION,), run=_cancel),
    "open": Command(fields=(SESSION,), run=_open),
    "resume": Command(fields=(SESSION,), run=_resume),
    "retry": Command(fields=(words("message_id", "the message that was set aside"),), run=_retry),
    "recall": Command(fields=(words("message_id", "the message to take back"),), run=_recall),
    "asks": Command(fields=person.ASKS, run=person.asks),
    "last_questions": Command(fields=(SOME_SESSION,), run=person.last_questions),
    "approve": Command(fields=person.APPROVE, run=person.approve),
    "deny": Command(fields=person.DENY, run=person.deny),
    "answer_question": Command(fields=person.ANSWER, run=person.answer),
    "rights": Command(fields=(SESSION,), run=person.rights),
    "set_mode": Command(fields=person.SET_MODE, run=person.set_mode),
    "set_attended": Command(fields=person.SET_ATTENDED, run=person.set_attended),
    "set_overlay": Command(fields=person.SET_OVERLAY, run=person.set_overlay),
    "change_overlay": Command(fields=person.CHANGE_OVERLAY, run=person.change_overlay),
    "goal_set": Command(fields=goals.SET_GOAL, run=goals.set_goal),
    "goal_pause": Command(fields=goals.GOAL, run=goals.pause),
    "goal_resume": Command(fields=goals.GOAL, run=goals.resume),
    "goal_cancel": Command(fields=goals.GOAL, run=goals.cancel),
    "goal_show": Command(fields=goals.GOAL, run=goals.show),
    "places": Command(fields=paths.PLACES, run=paths.places),
    "fork": Command(fields=paths.FORK, run=paths.fork),
    "revert": Command(fields=paths.REVERT, run=paths.revert),
    "compact": Command(fields=(SESSION,), run=paths.compact),
    "archive": Command(fields=shelf.ARCHIVE, run=shelf.archive),
    "add_token": Command(fields=tokens.ADD, run=tokens.add),
    "tokens": Command(fields=tokens.LIST, run=tokens.listed),
    "revoke_token": Command(fields=tokens.REVOKE, run=tokens.revoke),
    "rename": Command(fields=shelf.RENAME, run=shelf.rename),
    "retitle": Command(fields=shelf.RETITLE, run=shelf.retitle),
    "delete": Command(fields=shelf.DELETE, run=shelf.delete),
    "prune": Command(fields=shelf.PRUNE, run=shelf.prune),
    "ps": Command(fields=(SOME_SESSION,), run=_ps),
    "find": Command(fields=(SESSION,), run=lists.find),
    "agents": Command(fields=lists.AGENTS, run=lists.agents),
    "tasks": Command(fields=lists.TASKS, run=lists.tasks),
    "todo": Command(fields=lists.BOARD, run=lists.todo),
    "why": Command(
        fields=(words("reference", "id of a message, task, turn, call or ask, or an agent"),), run=_why
    ),
    "show": Command(fields=(words("reference", "an agent, or the id of a message or task"),), run=_show),
    "log": Command(
        fields=(
            SOME_SESSION, number("after", "seq of the session, else pos", 0, least=0),
            number("limit", "events on a page", LOG_LIMIT, least=0),
        ),
        run=_log,
    ),
    "send_at": Command(
        fields=(
            words("to", AGENT), words("body", "the text"),
            number("due_us", "wall time in microseconds", None, least=0), _MODE, _CLIENT,
        ),
        run=_send_at,
    ),
    "timers": Command(fields=(number("limit", "at most so many", LISTED),), run=_timers),
    "cancel_timer": Command(
        fields=(words("timer_id", "a text that waits for its time"),), run=_cancel_timer
    ),
    "spend": Command(
        fields=(
            words(
                "by", "a line for each of these", required=False, choices=("agent", "chain", "day"),
                default="agent",
            ),
            SOME_SESSION, number("limit", "lines", LISTED, least=0),
        ),
        run=_spend,
    ),
    "search": Command(
        fields=(
            words("words", "all of them are in each text"), SOME_SESSION,
            number("limit", "texts", LISTED, least=1),
        ),
        run=_search,
    ),
    "answer": Command(
        fields=(number("turn", "as events name it", None), number("round", "of the turn", None)),
        run=_answer,
    ),
    "landed": Command(
        fields=(number("message", "as events name it", None), number("branch", "of its reader", None)),
        run=_landed,
    ),
    "notice": Command(fields=(number("notice", "as events name it", None),), run=_notice),
    "ending": Command(
        fields=(
            words("session", "as the prompt was answered"), number("message", "the same", None),
            number("branch", "the same", None),
            flag("attended", "somebody is there; else open questions end the wait", default=True),
        ),
        stream=_ending,
    ),
    "texts": Command(fields=(SOME_SESSION,), stream=_texts),
    "tail": Command(fields=(number("pos", "where to begin; -n is n back", 0),), stream=_tail),
    "status": Command(fields=(), run=status),
}  # fmt: skip
"""By name, as `id, command, arguments` calls it."""
