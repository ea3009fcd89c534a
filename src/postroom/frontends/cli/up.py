"""`postroom up`: the daemon in the foreground, or begun in the background."""

import os
from pathlib import Path
from typing import Final

from postroom.config import Config
from postroom.daemon.api.house import House
from postroom.daemon.api.login import base_of, make_link
from postroom.daemon.listening import refuse_unguarded
from postroom.daemon.presence import OUTPUT, found
from postroom.domain.event import EventKind
from postroom.domain.token import Scope
from postroom.errors import StoreInUse
from postroom.frontends.cli.browser import show_page
from postroom.frontends.cli.daemon_running import run_daemon
from postroom.frontends.cli.exits import DONE
from postroom.frontends.cli.output import Output
from postroom.frontends.cli.parser import Asked
from postroom.frontends.cli.reach import config_of, looks
from postroom.frontends.cli.running import Plan, store_words
from postroom.frontends.cli.texts import event_line
from postroom.frontends.web import is_built
from postroom.observe.looks import as_json
from postroom.observe.runner import is_run
from postroom.profiles.team import is_team_folder

NO_PAGE: Final = "the page is not built (`make page`); the API and the command line work without it"
HELD_S: Final = 2.0
"""How long the daemon that holds the store may take to say where it is."""
TOLD: Final = frozenset((
    EventKind.SESSION_CREATED, EventKind.TURN_STARTED, EventKind.TURN_ENDED, EventKind.MESSAGE_ACCEPTED,
    EventKind.MESSAGE_REFUSED, EventKind.DELEGATION_REFUSED, EventKind.TASK_ENDED, EventKind.ASK_OPENED,
    EventKind.ASK_ENDED, EventKind.BRANCH_PAUSED, EventKind.BRANCH_UNPAUSED, EventKind.PERSON_NOTIFIED,
))  # fmt: skip
"""What a terminal is told while the daemon runs."""


def up(asked: Asked, out: Output) -> int:
    """Serve the store until somebody ends it; with `--detach`, until it answers."""
    config = config_of(asked, _typed(asked))
    refuse_unguarded(config.daemon)
    plan = Plan(config=config, team=_team(asked), tools=asked.texts("tools"), verbose=out.verbose)
    try:
        if asked.flag("detach"):
            from postroom.frontends.cli.detach import detach  # noqa: PLC0415 - only this needs it

            return detach(asked, out, plan)
        return _serve(asked, out, plan)
    except StoreInUse as fault:
        raise _held(config.store, fault) from fault


def _typed(asked: Asked) -> dict[str, str]:
    said = {"daemon.host": asked.text_or_none("host"), "daemon.port": asked.text_or_none("port")}
    return {key: value for key, value in said.items() if value is not None}


def _team(asked: Asked) -> str | None:
    """The team of new conversations: the one that was named, else where one stands, if that is one."""
    named = asked.text_or_none("team")
    return named or ("." if is_team_folder(Path()) else None)


def _serve(asked: Asked, out: Output, plan: Plan) -> int:
    async def work(house: House) -> int:
        introduce(out, house, config=plan.config)
        if asked.flag("open"):
            show_page(link(house), os.environ)
        await _tell(out, house)
        return DONE

    run_daemon(plan, work)
    out.note(f"ended; go on with: {store_words(plan.store, 'up')}")
    return DONE


def link(house: House) -> str:
    """A new address with which a browser logs in, once."""
    return make_link(house, base_of(house), Scope.ADMIN).url


def introduce(out: Output, house: House, *, config: Config) -> None:
    """Say where the daemon is, and how one gets in; no file keeps a link."""
    page, team = "" if _is_kept(config.store) else link(house), house.room.team
    if out.as_json:
        out.document({
            "pid": os.getpid(), "url": house.url, "login_url": page or None, "store": str(config.store),
            "team": str(team.path) if team else None,
        })  # fmt: skip
        return
    out.line(f"the page: {page}")
    out.line(f"it logs one browser in, once; another link: {store_words(config.store, 'open')}")
    out.line(f"the store: {config.store}")
    out.line(f"the team: {team.path}" if team else "no team: old conversations go on, new ones need --team")
    for trouble in house.room.troubles():
        out.note(f"warning: {trouble}")
    if not is_built():
        out.note(NO_PAGE)
    if out.is_terminal:
        out.note("Ctrl-C ends it")


def _is_kept(folder: Path) -> bool:
    """Whether this is a daemon in the background, whose output goes to a file."""
    try:
        return os.path.samestat(os.fstat(1), (folder / OUTPUT).stat())
    except OSError:
        return False


async def _tell(out: Output, house: House) -> None:
    """What happens, line by line, on a terminal; elsewhere nothing. Goes on until it is cancelled."""
    if out.as_json or not out.is_terminal:
        await house.life.ended()
    async for event in house.room.subscribe(house.room.opened_pos):
        row = as_json(event)
        if event.kind in TOLD and isinstance(row, dict):
            out.line(event_line(row))


def _held(folder: Path, fault: StoreInUse) -> StoreInUse:
    """Who holds the store, and where; one that begins just now is given a moment to say so."""
    for _ in looks(HELD_S):
        daemon = found(folder)
        if daemon is not None:
            return StoreInUse(
                f"a daemon runs this store already: pid {daemon.pid}, {daemon.url}",
                remedy=f"see it: {store_words(folder, 'open')}; end it: {store_words(folder, 'down')}",
            )
        if not is_run(folder):
            break
    return fault
