"""`postroom search`: texts by their words."""

import time
from contextlib import suppress
from pathlib import Path

from postroom.domain.plain import Json
from postroom.errors import StoreInUse, StoreReadOnly
from postroom.frontends.cli import texts
from postroom.frontends.cli.exits import DONE
from postroom.frontends.cli.output import Output
from postroom.frontends.cli.parser import Asked
from postroom.frontends.cli.reach import look, store_of
from postroom.frontends.cli.words import counted
from postroom.observe import looks
from postroom.observe.catch_up import catch_up
from postroom.observe.glance import Glance


def search(asked: Asked, out: Output) -> int:
    """List the texts that hold all the words, best first."""
    folder, session = store_of(asked), asked.text_or_none("session")
    words, limit = " ".join(_quoted(word) for word in asked.texts("words")), asked.number("limit") or 0
    asking: dict[str, Json] = {"words": words, "session": session, "limit": limit}
    found = (
        []
        if limit == 0
        else look(folder, "search", asking, lambda glance: _here(folder, glance, words, session, limit))
    )
    if out.as_json:
        out.document({"hits": found})
        return DONE
    hits = texts.rows(found)
    for hit in hits:
        out.line(_line(hit))
        out.line(f"    {texts.text(hit, 'excerpt')}")
    out.note(f"{counted(len(hits), 'text')} found")
    return DONE


def _quoted(word: str) -> str:
    """What the shell has taken the quotes of stands together still."""
    return f'"{word}"' if " " in word and '"' not in word else word


def _here(folder: Path, glance: Glance, words: str, session: str | None, limit: int) -> Json:
    """In a store that nobody runs. Its index may lag behind a crash, and catching up writes."""
    if glance.read(looks.search_lags):
        with suppress(StoreInUse, StoreReadOnly):  # then the newest texts are not found yet
            catch_up(folder)
    return glance.read(looks.search, words, session, limit)


def _line(hit: texts.Row) -> str:
    """With what `postroom show` takes: the id of the message, else the agent whose conversation it is."""
    at = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(int(texts.text(hit, "at_us")) / 1_000_000))
    where = texts.text(hit, "where")
    shown = texts.text(hit, "id" if where == "mail" else "agent")
    return f"{at}  {where} of {texts.text(hit, 'who')}  {shown}"
