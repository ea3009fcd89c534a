"""What can be asked through the door: each command with its strict arguments and what it does."""

import os
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias, cast

from postroom import __version__
from postroom.app import Postroom
from postroom.daemon import goals, paths, person
from postroom.daemon.wire import InvalidArguments, UnknownCommand
from postroom.domain.ask import ApprovalMode
from postroom.domain.plain import Json
from postroom.domain.receipt import Code, Receipt
from postroom.errors import NotFound, Refused
from postroom.observe import looks
from postroom.rules.text import is_encodable
from postroom.surfaces.arguments import Field, decode

Values: TypeAlias = dict[str, str | bool | int]
LISTED = 50
"""Lines of a list unless the caller says otherwise."""
LOG_LIMIT = 200
"""Events on one page of the log unless the caller says otherwise."""

_JUDGED_LATER = frozenset(("text", "body", "to", "session", "reference", "ask"))
"""What the room itself refuses when it is no text, in better words."""


def _words(name: str, meaning: str, *, required: bool = True) -> Field:
    """A text. It is judged whole: what is no text is refused, never mended."""
    return Field(name=name, type="string", description=meaning, required=required, raw=True)


def _number(name: str, meaning: str, default: int | None, *, least: int | None = None) -> Field:
    """A whole number, which must be there when it has no default."""
    return Field(
        name=name, type="integer", description=meaning, default=default, required=default is None, least=least
    )


_SESSION = _words("session", "session id or handle")
_SOME_SESSION = _words("session", "session id or handle", required=False)
_CLIENT = _words("client_id", "makes saying it again harmless", required=False)
_MODE = Field(
    name="mode", type="string", description="joins the running turn, or opens a later one", default="steer",
    required=False, choices=("steer", "queue"),
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """One command. `run` gives one answer, `stream` many."""

    fields: tuple[Field, ...]
    run: Callable[[Postroom, Values], Awaitable[Json]] | None = None
    stream: Callable[[Postroom, Values], AsyncIterator[Json]] | None = None


def find(command: str, arguments: Mapping[str, Json]) -> tuple[Command, Values]:
    """The command and its decoded arguments. Raises `UnknownCommand` or `InvalidArguments`."""
    found = COMMANDS.get(command)
    if found is None:
        msg = f"the door knows no {command[:64]!r}"
        raise UnknownCommand(msg, remedy=f"one of {', '.join(COMMANDS)}")
    values = decode(found.fields, arguments)
    if isinstance(values, str):
        raise InvalidArguments(f"{command}: {values}", remedy="nothing was done")
    for name, value in values.items():
        if isinstance(value, str) and name not in _JUDGED_LATER and not is_encodable(value):
            raise InvalidArguments(f"{command}: argument {name} is no text", remedy="nothing was done")
    return found, values


async def _prompt(room: Postroom, values: Values) -> Json:
    said = await room.prompt(
        str(values["text"]), session=_text(values, "session"), profile=_text(values, "profile"),
        client_id=_text(values, "client_id"), attended=bool(values["attended"]),
        mode=ApprovalMode(str(values["mode"])) if "mode" in values else None,
    )  # fmt: skip
    return {"session_id": said.session_id, "message_id": said.message_id, "pos": said.pos}


async def _send(room: Postroom, values: Values) -> Json:
    receipt = await room.send(
        str(values["to"]), str(values["body"]), mode=str(values["mode"]), client_id=_text(values, "client_id")
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


async def _resume(room: Postroom, values: Values) -> Json:
    await room.resume(str(values["session"]))
    return {"resumed": True}


async def _retry(room: Postroom, values: Values) -> Json:
    return receipt_json(await room.retry(str(values["message_id"])))


async def _recall(room: Postroom, values: Values) -> Json:
    await room.recall(str(values["message_id"]))
    return {"recalled": True}


async def _ps(room: Postroom, values: Values) -> Json:
    return await room.store.read(looks.agents, _text(values, "session"))


async def _show(room: Postroom, values: Values) -> Json:
    return await room.store.read(looks.show, str(values["reference"]))


async def _why(room: Postroom, values: Values) -> Json:
    return looks.as_json(await room.why(str(values["reference"])))


async def _send_at(room: Postroom, values: Values) -> Json:
    kept = await room.send_at(
        str(values["to"]), str(values["body"]), int(values["due_us"]), mode=str(values["mode"]),
        client_id=_text(values, "client_id"),
    )  # fmt: skip
    return {"timer_id": kept.timer_id, "due_us": kept.due_us}


async def _timers(room: Postroom, values: Values) -> Json:
    return await room.store.read(looks.timers, int(values["limit"]))


async def _cancel_timer(room: Postroom, values: Values) -> Json:
    """A timer's refusals in words of its own: those for agents would mislead."""
    timer_id = str(values["timer_id"])
    try:
        await room.cancel_timer(timer_id)
    except Refused as refused:
        is_over = refused.refusal_code == Code.ALREADY_ENDED
        what = "was said already, or taken back" if is_over else "is unknown"
        msg = f"the timed text {timer_id[:64]!r} {what}"
        raise NotFound(msg, remedy="`postroom timers` lists those that wait") from refused
    return {"cancelled": True}


async def _spend(room: Postroom, values: Values) -> Json:
    by = cast("looks.By", values["by"])
    return await room.store.read(looks.spend, by, _text(values, "session"), int(values["limit"]))


async def _search(room: Postroom, values: Values) -> Json:
    words, session = str(values["words"]), _text(values, "session")
    return [
        looks.as_json(hit) for hit in await room.search(words, session=session, limit=int(values["limit"]))
    ]


async def _answer(room: Postroom, values: Values) -> Json:
    return await room.store.read(looks.answer, int(values["turn"]), int(values["round"]))


async def _texts(room: Postroom, values: Values) -> AsyncIterator[Json]:
    async for piece in room.texts(_text(values, "session")):
        yield looks.as_json(piece)


async def _log(room: Postroom, values: Values) -> Json:
    return await room.store.read(
        looks.log_rows, looks.Names(), _text(values, "session"), int(values["after"]), int(values["limit"])
    )


async def _tail(room: Postroom, values: Values) -> AsyncIterator[Json]:
    pos = int(values["pos"])
    if pos < 0:
        pos = await room.store.read(looks.newest_pos, -pos)
    async for event in room.subscribe(pos):
        yield looks.as_json(event)


async def _status(room: Postroom, values: Values) -> Json:
    del values
    return {
        "pid": os.getpid(), "version": __version__, "store": str(room.folder),
        "team": str(room.team.path) if room.team else None, "quiet": room.scheduler.idle.is_set(),
        "pos": await room.store.read(looks.newest_pos, 0),
    }  # fmt: skip


def _text(values: Values, name: str) -> str | None:
    return str(values[name]) if name in values else None


COMMANDS: Mapping[str, Command] = {
    "prompt": Command(
        fields=(
            _words("text", "what to say"), _SOME_SESSION,
            _words("profile", "whose profile answers", required=False), _CLIENT,
            Field(
                name="mode", type="string", description="who decides the asks of a new conversation",
                required=False, choices=tuple(ApprovalMode),
            ),
            Field(
                name="attended", type="boolean", description="somebody is there to answer its questions",
                required=False, default=True,
            ),
        ),
        run=_prompt,
    ),
    "send": Command(
        fields=(_words("to", "session id or handle"), _words("body", "the text"), _MODE, _CLIENT), run=_send
    ),
    "stop": Command(fields=(_SESSION,), run=_stop),
    "cancel": Command(fields=(_SESSION,), run=_cancel),
    "resume": Command(fields=(_SESSION,), run=_resume),
    "retry": Command(fields=(_words("message_id", "the message that was set aside"),), run=_retry),
    "recall": Command(fields=(_words("message_id", "the message to take back"),), run=_recall),
    "asks": Command(fields=person.ASKS, run=person.asks),
    "approve": Command(fields=person.APPROVE, run=person.approve),
    "deny": Command(fields=person.DENY, run=person.deny),
    "answer_question": Command(fields=person.ANSWER, run=person.answer),
    "rights": Command(fields=(person.SESSION,), run=person.rights),
    "set_mode": Command(fields=person.SET_MODE, run=person.set_mode),
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
    "ps": Command(fields=(_SOME_SESSION,), run=_ps),
    "why": Command(
        fields=(_words("reference", "id of a message, task, turn, call or ask, or an agent"),), run=_why
    ),
    "show": Command(fields=(_words("reference", "session id, handle or message id"),), run=_show),
    "log": Command(
        fields=(
            _SOME_SESSION, _number("after", "seq of the session, else pos", 0, least=0),
            _number("limit", "events on a page", LOG_LIMIT, least=0),
        ),
        run=_log,
    ),
    "send_at": Command(
        fields=(
            _words("to", "session id or handle"), _words("body", "the text"),
            _number("due_us", "wall time in microseconds", None, least=0), _MODE, _CLIENT,
        ),
        run=_send_at,
    ),
    "timers": Command(fields=(_number("limit", "at most so many", LISTED),), run=_timers),
    "cancel_timer": Command(
        fields=(_words("timer_id", "a text that waits for its time"),), run=_cancel_timer
    ),
    "spend": Command(
        fields=(
            Field(
                name="by", type="string", description="a line for each of these", default="agent",
                required=False, choices=("agent", "chain", "day"),
            ),
            _SOME_SESSION, _number("limit", "lines", LISTED, least=0),
        ),
        run=_spend,
    ),
    "search": Command(
        fields=(
            _words("words", "all of them are in each text"), _SOME_SESSION,
            _number("limit", "texts", LISTED, least=1),
        ),
        run=_search,
    ),
    "answer": Command(
        fields=(_number("turn", "as events name it", None), _number("round", "of the turn", None)),
        run=_answer,
    ),
    "texts": Command(fields=(_SOME_SESSION,), stream=_texts),
    "tail": Command(fields=(_number("pos", "where to begin; -n is n back", 0),), stream=_tail),
    "status": Command(fields=(), run=_status),
}  # fmt: skip
"""By name, as `id, command, arguments` calls it."""
