"""What a scenario may look at: the store on the disk and the journal of requests.

Everything is read from files, so that it is the same whether the process that made them runs in here,
runs elsewhere, is frozen, or is dead.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Concatenate, Final, ParamSpec, TypeVar

from postroom.errors import NotFound, StoreMissing
from postroom.llm.port import ModelRequest, Purpose, ResultItem
from postroom.observe import views
from postroom.observe.agents import AgentView
from postroom.observe.asks import AskView, RightsView, asks, rights
from postroom.observe.event_view import EventView, Names, read_events
from postroom.observe.glance import Glance
from postroom.observe.views import HistoryItem, MessageView
from postroom.store.tx import Tx
from postroom.testing.scenario.journal import Journal

ALL: Final = 1_000_000
WORKSPACE: Final = "work"
"""The folder of a run in which its agents work."""
_ID: Final = r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
_RECEIPT: Final = re.compile(
    rf"^message_id: (?P<id>{_ID})\nmode: (?P<mode>\w+)\nrecipient_state: (?P<state>\w+)$", re.MULTILINE
)
_CODE: Final = re.compile(r"^(?:\w+:)?(\w+)(?::|$)")
P = ParamSpec("P")
T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """What a success receipt told an agent."""

    message_id: str
    mode: str
    recipient_state: str


class Record:
    """One scenario's store and requests, read anew at every look."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.store = folder / "store"
        self._names = Names()

    def look(self, function: Callable[Concatenate[Tx, P], T], *args: P.args, **kwargs: P.kwargs) -> T | None:
        """Run a reading function on the store; nothing when there is none yet."""
        try:
            with Glance(self.store) as glance:
                return glance.read(function, *args, **kwargs)
        except StoreMissing:
            return None

    def agents(self) -> list[AgentView]:
        """Every agent of the store, in the order in which they were made within each tree."""
        return self.look(views.agents, None, ALL) or []

    def agent(self, name: str) -> AgentView:
        """`NAME` is the first agent of that profile, `NAME:n` the n-th. Raises `NotFound`."""
        profile, _, number = name.partition(":")
        named = [view for view in self.agents() if view.profile == profile]
        nth = int(number) if number.isdecimal() else 1
        if not 1 <= nth <= len(named):
            raise NotFound(f"there is no agent {name!r} yet; {len(named)} of that name")
        return named[nth - 1]

    def profile_of(self, label: str) -> str:
        """The profile of an agent by its handle, or itself."""
        stem, _, token = label.rpartition("_")
        return stem if stem and len(token) == 8 else label  # noqa: PLR2004 -- the tail of a handle

    def requests(self, agent: str | None = None, purpose: str | None = Purpose.TURN) -> list[ModelRequest]:
        """The requests so far, of all or of one name; `NAME:n` is the n-th that asked.

        Those of turns, or of another purpose, or with none all.
        """
        noted = (one.request for one in Journal(self.folder).read())
        found = [request for request in noted if purpose in (None, request.purpose)]
        if agent is None:
            return found
        profile, _, number = agent.partition(":")
        own = [request for request in found if request.agent == profile]
        branches = list(dict.fromkeys(request.branch for request in own))
        if not number.isdecimal():
            return own
        nth = int(number)
        return [r for r in own if r.branch == branches[nth - 1]] if 1 <= nth <= len(branches) else []

    def results(self, agent: str) -> list[ResultItem]:
        """The results of an agent's calls, as its newest request holds them."""
        asked = self.requests(agent)
        return [item for item in asked[-1].items if isinstance(item, ResultItem)] if asked else []

    def receipt(self, agent: str, number: int) -> Receipt:
        """The n-th success receipt of an agent. Raises `NotFound`."""
        found = [m for result in self.results(agent) for m in _RECEIPT.finditer(result.text)]
        if number > len(found):
            raise NotFound(f"{agent} has {len(found)} receipts, not {number}")
        match = found[number - 1]
        return Receipt(message_id=match["id"], mode=match["mode"], recipient_state=match["state"])

    def asks(self) -> list[AskView]:
        """What is open of all that was asked, oldest first."""
        return self.look(asks, None) or []

    def ask_of(self, agent: str) -> AskView:
        """The oldest open ask of an agent. Raises `NotFound`."""
        session_id = self.agent(agent).session_id
        found = [ask for ask in self.asks() if ask.session_id == session_id]
        if not found:
            raise NotFound(f"{agent} has no ask open")
        return found[0]

    def rights(self, agent: str) -> RightsView | None:
        """What the tree of an agent may do beyond its profiles. Raises `NotFound`."""
        return self.look(rights, self.agent(agent).session_id)

    def history(self, agent: str) -> list[HistoryItem]:
        """An agent's conversation as it is stored."""
        view = self.agent(agent)
        return self.look(_history, view.session_id) or []

    def messages(self, agent: str) -> list[MessageView]:
        """What an agent was sent, oldest first."""
        view = self.agent(agent)
        return self.look(_messages, view.session_id) or []

    def file(self, name: str) -> str | None:
        """The text of a file that the agents have in their directory; nothing when it is not there."""
        path = self.folder / WORKSPACE / name
        return path.read_text(encoding="utf-8") if path.is_file() else None

    def events(self) -> list[EventView]:
        """The whole log."""
        return self.look(read_events, Names(), 0, ALL) or []


def code_of(result: ResultItem) -> str:
    """The code of an error result such as `send_message:inbox_full: …`; `ok` for a success."""
    found = _CODE.match(result.text)
    if not result.is_error:
        return "ok"
    return found[1] if found else result.text


def _history(tx: Tx, session_id: str) -> list[HistoryItem]:
    session = tx.session_by_public_id(session_id)
    return views.history(tx, session.active_branch) if session else []


def _messages(tx: Tx, session_id: str) -> list[MessageView]:
    session = tx.session_by_public_id(session_id)
    keys = sorted(tx.messages_of_branch(session.active_branch, ALL)) if session else []
    return [view for key in keys if (view := views.message(tx, key)) is not None]
