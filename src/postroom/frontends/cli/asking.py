"""The commands with which the person decides what agents ask: asks, questions, approve, deny, answer."""

from typing import cast

from postroom.domain.plain import Json
from postroom.frontends.cli import ask_texts, texts
from postroom.frontends.cli.change import NOTHING_RUNS, Change
from postroom.frontends.cli.changing import do_change
from postroom.frontends.cli.exits import DONE
from postroom.frontends.cli.output import Output
from postroom.frontends.cli.parser import Asked
from postroom.frontends.cli.reach import look, store_of
from postroom.frontends.cli.words import counted, typed
from postroom.observe.glance import Glance
from postroom.observe.runner import is_run

_LATER = f"{NOTHING_RUNS}; what waits for it goes on when a process opens this store"


def asks(asked: Asked, out: Output) -> int:
    """List everything that waits for the person."""
    return _list(asked, out, kind=None)


def questions(asked: Asked, out: Output) -> int:
    """List the questions alone."""
    return _list(asked, out, kind="question")


def approve(asked: Asked, out: Output) -> int:
    """Let a call be made."""
    return _decide(asked, out, "approve", {"ask": asked.text("ask"), "scope": asked.text("for")})


def deny(asked: Asked, out: Output) -> int:
    """Let a call not be made."""
    return _decide(asked, out, "deny", {"ask": asked.text("ask"), "reason": asked.text("reason")})


def answer(asked: Asked, out: Output) -> int:
    """Answer a question."""
    given: dict[str, Json] = {"ask": asked.text("question"), "text": typed(asked.text("text"))}
    return _decide(asked, out, "answer_question", given)


def _decide(asked: Asked, out: Output, command: str, arguments: dict[str, Json]) -> int:
    return do_change(asked, out, Change(
        command=command, arguments=arguments, told=_told, idle=_LATER, agent_key="root_session_id",
    ))  # fmt: skip


def _told(found: dict[str, Json]) -> str:
    ask_id = ask_texts.short_id(str(found["ask_id"]))
    scope = " for the tree" if found["scope"] == "tree" else ""
    return f"{found['state']} {ask_id} of {ask_texts.plain(str(found['agent']))}{scope}{_message(found)}"


def _message(found: dict[str, Json]) -> str:
    """What became of a held message that was decided on; a guard may have refused it even with leave."""
    if found["state"] != "approved" or not found["message_id"]:
        return ""
    if found["message_state"] == "held":
        return "; its message is still held: behind an older one, or until its recipient can take it"
    if found["message_state"] == "discarded":
        return f"; its message could not go: {found['reason']}"
    return "; its message was sent"


def _list(asked: Asked, out: Output, *, kind: str | None) -> int:
    folder, session = store_of(asked), asked.text_or_none("session")
    found = look(folder, "asks", {"session": session, "kind": kind}, lambda g: _read(g, session, kind))
    running = is_run(folder)
    if out.as_json:
        out.document({"asks": found, "running": running})
        return DONE
    listed = texts.rows(found)
    short = ask_texts.short_ids(listed)
    for ask in listed:
        for line in ask_texts.page(ask, short[texts.text(ask, "ask_id")], full=asked.flag("full")):
            out.line(line)
    out.note(_summary(listed))
    if listed and not running:
        out.note(f"{NOTHING_RUNS}; what you decide is acted on when a process opens this store")
    return DONE


def _read(glance: Glance, session: str | None, kind: str | None) -> Json:
    from postroom.observe import asks as looks  # noqa: PLC0415 - slow to load

    return cast("Json", glance.read(looks.ask_rows, session, kind))


def _summary(listed: list[texts.Row]) -> str:
    if not listed:
        return "nothing waits for you"
    words = [
        "postroom answer ID TEXT" if ask_texts.is_question(ask) else "postroom approve ID, or deny ID"
        for ask in listed
    ]
    return f"{counted(len(listed), 'ask')}; decide with: {'; '.join(dict.fromkeys(words))}"
