"""What a scenario may look at: the store on the disk and the journal of requests.

Everything is read from files, so that it is the same whether the process that made them runs in here,
runs elsewhere, is frozen, or is dead.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Concatenate, Final, ParamSpec, TypeVar, cast

from postroom.domain.event import EventKind
from postroom.errors import NotFound, StoreMissing
from postroom.llm.port import ModelRequest, Purpose, ResultItem
from postroom.observe import views
from postroom.observe.agents import AgentView
from postroom.observe.asks import AskView, RightsView, asks, rights
from postroom.observe.event_view import EventView, Names, read_events
from postroom.observe.find import find_agent
from postroom.observe.glance import Glance
from postroom.observe.views import HistoryItem, MessageView
from postroom.service.todos import TodoLine, list_todos
from postroom.store.tx import Tx
from postroom.surfaces.presets import PRESETS
from postroom.testing.scenario import who
from postroom.testing.scenario.journal import Journal

ALL: Final = 1_000_000
WORKSPACE: Final = "work"
"""The folder of a run in which its agents work."""
_ID: Final = r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
_RECEIPT: Final = re.compile(
    rf"^message_id: (?P<id>{_ID})\nmode: (?P<mode>\w+)\nrecipient_state: (?P<state>\w+)$"
    rf"|^\[(?P<tag>\w+)[^\]\n]*\] delivery_id=(?P<delivery>{_ID})$"
    rf"|^\[message (?:accepted|held)\] id=(?P<letter>{_ID})\n"
    rf"- \S+: mode=(?P<how>\w+) recipient_state=(?P<stands>\w+)"
    rf'|^{{"messageId":"(?P<queued>{_ID})","status":"(?P<status>\w+)"}}$',
    re.MULTILINE,
)
_CODE: Final = re.compile(r"^(?:\w+:)?(\w+)(?::|$)")
_TAGGED: Final = re.compile(r"^\[\w+ (?:error|refused)\] [^\n]*\((\w+)\)$", re.MULTILINE)
_TWICE: Final = re.compile(r"^\[\w+\] (duplicate) ")
P = ParamSpec("P")
T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """What a success receipt told an agent."""

    message_id: str
    mode: str
    """Empty where the surface has no modes."""
    recipient_state: str
    """Or, on `branch`, what became of it: `delivered`, `queued` or `held`."""


class Record:
    """One scenario's store and requests, read anew at every look."""

    def __init__(self, folder: Path, surface: str = "tree") -> None:
        self.folder = folder
        self.store = folder / "store"
        self.surface = surface
        """Of which the agents are: what is run, `tree` …"""
        self.policy = PRESETS[surface]
        """That of agents which are on the surface of the file."""

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
        """`NAME` is the first agent of that profile or name, `NAME:n` the n-th. Raises `NotFound`."""
        return who.find(self.agents(), name)

    def address(self, name: str) -> str:
        """How an agent is written to by others. Raises `NotFound`."""
        view = self.agent(name)
        match self.policy.addressing:
            case "branch":
                return who.printed(view)
            case "roster":
                return self._on_the_bus(name, view)
            case "session":
                return view.session_id
            case _:
                return view.handle or view.address

    def _on_the_bus(self, name: str, view: AgentView) -> str:
        """The address that an agent got when it last began to read a bus. Raises `NotFound`."""
        found = [
            str(event.facts["address"])
            for event in self.events()
            if event.kind == EventKind.READER_OPENED and event.branch_id == view.branch_id
        ]
        if not found:
            raise NotFound(f"{name} reads no bus yet")
        return found[-1]

    def names_of(self, shown: str) -> frozenset[str]:
        """What the file may call whoever the store or a text shows so."""
        return who.names_of(self.agents(), shown)

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
        if not own:
            return self._requests_by_name(found, agent)
        branches = list(dict.fromkeys(request.branch for request in own))
        if not number.isdecimal():
            return own
        nth = int(number)
        return [r for r in own if r.branch == branches[nth - 1]] if 1 <= nth <= len(branches) else []

    def _requests_by_name(self, asked: list[ModelRequest], name: str) -> list[ModelRequest]:
        """Those of an agent that is called by the name that it was given."""
        try:
            branch = self.agent(name).branch_id
        except NotFound:
            return []
        return [request for request in asked if request.branch == branch]

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
        return Receipt(
            message_id=_first(match, "id", "delivery", "letter", "queued"), mode=_first(match, "mode", "how"),
            recipient_state=_first(match, "state", "tag", "stands", "status"),
        )  # fmt: skip

    def task_id(self, agent: str, number: int) -> str:
        """The id of the n-th task that was given to agents of a name. Raises `NotFound`."""
        own = [
            e.facts
            for e in self.events()
            if e.kind == EventKind.TASK_QUEUED and agent in self.names_of_target(e)
        ]
        if number > len(own):
            raise NotFound(f"{agent} was given {len(own)} tasks, not {number}")
        return str(own[number - 1]["id"])

    def job_id(self, agent: str, number: int) -> str:
        """What an agent calls the n-th task of agents of a name when it waits for it or stops it.

        Raises `NotFound`.
        """
        if self.policy.tasks_called == "task":
            return self.task_id(agent, number)
        return self.agent(f"{agent}:{number}").session_id

    def names_of_target(self, event: EventView) -> frozenset[str]:
        """What the agent is called to whom an event gives a task."""
        branch = cast("int", event.facts["target"])
        return self.names_of(self.look(Tx.branch_public_id, branch) or "")

    def todos(self, agent: str) -> list[TodoLine]:
        """The board of the session of an agent. Raises `NotFound`."""
        return self.look(_todos, self.agent(agent).address) or []

    def asks(self) -> list[AskView]:
        """What is open of all that was asked, oldest first."""
        return self.look(asks, None) or []

    def ask_of(self, agent: str) -> AskView:
        """The oldest open ask of an agent. Raises `NotFound`."""
        view = self.agent(agent)
        called = {view.handle, view.address, view.name} - {""}
        found = [ask for ask in self.asks() if ask.session_id == view.session_id and ask.agent in called]
        if not found:
            raise NotFound(f"{agent} has no ask open")
        return found[0]

    def rights(self, agent: str) -> RightsView | None:
        """What the tree of an agent may do beyond its profiles. Raises `NotFound`."""
        return self.look(rights, self.agent(agent).session_id)

    def history(self, agent: str) -> list[HistoryItem]:
        """An agent's conversation as it is stored."""
        return self.look(_history, self.agent(agent).address) or []

    def messages(self, agent: str) -> list[MessageView]:
        """What an agent was sent, oldest first."""
        return self.look(_messages, self.agent(agent).address) or []

    def file(self, name: str) -> str | None:
        """The text of a file that the agents have in their directory; nothing when it is not there."""
        path = self.folder / WORKSPACE / name
        return path.read_text(encoding="utf-8") if path.is_file() else None

    def events(self) -> list[EventView]:
        """The whole log."""
        return self.look(read_events, Names(), 0, ALL) or []


def _first(match: re.Match[str], *names: str) -> str:
    """What the surface said; each has its own words for it."""
    return next((match[name] for name in names if match[name]), "")


def code_of(result: ResultItem) -> str:
    """The code of an error: `send_message:inbox_full: …`, `[send_message error] … (code)`; else `ok`."""
    if not result.is_error:
        return "ok"
    found = _TAGGED.match(result.text) or _TWICE.match(result.text) or _CODE.match(result.text)
    return found[1] if found else result.text


def _history(tx: Tx, address: str) -> list[HistoryItem]:
    return views.history(tx, find_agent(tx, address).branch)


def _messages(tx: Tx, address: str) -> list[MessageView]:
    keys = sorted(tx.messages_of_branch(find_agent(tx, address).branch, ALL))
    return [view for key in keys if (view := views.message(tx, key)) is not None]


def _todos(tx: Tx, address: str) -> list[TodoLine]:
    return list_todos(tx, find_agent(tx, address).session.key)
