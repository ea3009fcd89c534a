"""What the person allows a tree: `postroom mode` and `postroom permissions`."""

from typing import cast

from postroom.domain.plain import Json
from postroom.frontends.cli import texts
from postroom.frontends.cli.ask_texts import NAME_CHARS, plain, shortened
from postroom.frontends.cli.change import NOTHING_RUNS, Change
from postroom.frontends.cli.changing import do_change
from postroom.frontends.cli.exits import DONE
from postroom.frontends.cli.output import Output
from postroom.frontends.cli.parser import Asked, Usage
from postroom.frontends.cli.reach import look, store_of
from postroom.frontends.cli.words import counted
from postroom.observe.glance import Glance
from postroom.observe.runner import is_run

_LATER = f"{NOTHING_RUNS}; it holds from the next call on"
_RULE = ("action", "pattern", "effect")
_GIVEN = {"set": _RULE, "unset": _RULE[:2], "clear": ()}
"""What follows each word; anything more or less is a wrong command line."""


def mode(asked: Asked, out: Output) -> int:
    """Show who decides, or say it."""
    session, wanted = asked.text("session"), asked.text_or_none("mode")
    if wanted is None:
        found = _look(asked, session)
        if out.as_json:
            out.document({
                "session_id": found["session_id"], "mode": found["mode"], "running": is_run(store_of(asked)),
            })  # fmt: skip
        else:
            out.line(texts.text(found, "mode"))
        return DONE
    return do_change(asked, out, Change(
        command="set_mode", arguments={"session": session, "mode": wanted}, repeatable=True, idle=_LATER,
        told=lambda found: f"{found['mode']} decides what is asked from now on",
    ))  # fmt: skip


def permissions(asked: Asked, out: Output) -> int:
    """Show the person's rules over a tree, or change them."""
    session, do = asked.text("session"), asked.text_or_none("do")
    if do is not None:
        return do_change(asked, out, Change(
            command="change_overlay", arguments={"session": session, "do": do, **_rule(asked, do)},
            repeatable=do != "unset", told=_told, idle=_LATER,
        ))  # fmt: skip
    found = _look(asked, session)
    if out.as_json:
        out.document({**found, "running": is_run(store_of(asked))})
        return DONE
    out.line(f"mode {texts.text(found, 'mode')}")
    rules, grants = texts.rows(found["overlay"]), texts.rows(found["grants"])
    for rule in rules:
        out.line("rule  " + "  ".join(shortened(texts.text(rule, key), NAME_CHARS) for key in _RULE))
    for grant in grants:
        out.line(f"granted  {_grant(grant)}")
    if not rules and not grants:
        out.note("no rules of yours and nothing granted: what profiles and settings say holds")
    return DONE


def _rule(asked: Asked, do: str) -> dict[str, Json]:
    given = {key: asked.text_or_none(key) for key in _RULE}
    if tuple(key for key, value in given.items() if value is not None) != _GIVEN[do]:
        wanted = " ".join((do, *(key.upper() for key in _GIVEN[do])))
        raise Usage(f"`{do}` takes other words", remedy=f"write: postroom permissions AGENT {wanted}")
    return {key: value for key, value in given.items() if value is not None}


def _told(found: dict[str, Json]) -> str:
    return f"{counted(len(texts.rows(found['overlay'])), 'rule')} of yours over the tree"


def _grant(grant: texts.Row) -> str:
    to = f" → {plain(texts.text(grant, 'to'))}" if texts.text(grant, "to") else ""
    deed = shortened(f"{texts.text(grant, 'action')} {texts.text(grant, 'resource')}", NAME_CHARS)
    return f"{deed}{to} with {plain(texts.text(grant, 'tool'))}"


def _look(asked: Asked, session: str) -> dict[str, Json]:
    found = look(store_of(asked), "rights", {"session": session}, lambda glance: _read(glance, session))
    return cast("dict[str, Json]", found)


def _read(glance: Glance, session: str) -> Json:
    from postroom.observe import looks  # noqa: PLC0415 - slow to load

    return glance.read(looks.rights, session)
