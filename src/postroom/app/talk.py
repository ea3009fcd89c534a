"""What a person says to agents: now, or later."""

from dataclasses import dataclass, replace
from pathlib import Path

from postroom.app.base import allowed
from postroom.app.teams import TeamRoom, folder_for
from postroom.app.text_budget import Dollars, limits_of_text
from postroom.domain.ask import ApprovalMode
from postroom.domain.keys import BranchKey
from postroom.domain.message import Mode
from postroom.domain.receipt import Code, Receipt, Refusal
from postroom.errors import NotFound, Refused
from postroom.profiles.team import Team
from postroom.rules import names
from postroom.service.say import Opening, Said, Text
from postroom.store.tx import Tx
from postroom.store.tx_work import TimerView


@dataclass(frozen=True, slots=True, kw_only=True)
class Scheduled:
    """A text that waits for its time: the id to take it back by, and the wall time in microseconds."""

    timer_id: str
    due_us: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """A text that was accepted from the person: where it went, and where the log stood before it."""

    session_id: str
    message_id: str
    pos: int
    message: int
    branch: BranchKey
    receipt: Receipt


@dataclass(frozen=True, slots=True, kw_only=True)
class SaidBefore:
    """A prompt that somebody said elsewhere, by what its receipt said of it: enough to wait for its end."""

    session_id: str
    message: int
    branch: BranchKey


class TalkRoom(TeamRoom):
    """Prompts, texts and timers."""

    async def prompt(  # noqa: PLR0913 -- what may be said with a text has a name each
        self,
        text: str,
        *,
        session: str | None = None,
        profile: str | None = None,
        client_id: str | None = None,
        mode: ApprovalMode | None = None,
        attended: bool = True,
        max_tokens: int | None = None,
        max_cost_usd: Dollars | None = None,
        team: str | None = None,
        cwd: str | Path | None = None,
    ) -> Prompt:
        """Say something to an agent: in a new session, or in one that exists. Durable on return.

        For a new session, `mode` says who decides its asks (else as the team says), and `attended` whether
        somebody is there to answer its agents' questions; `team` is the folder of one that the store knows,
        and `cwd` where it works, else the room's own ones. `max_tokens` and `max_cost_usd` bound all that
        grows out of this text, instead of the settings; 0 is no limit.
        The team is as its folder says now; one that is broken now goes on as it was, and begins nothing new.
        It opens a turn of its own. Saying it again with the same `client_id` gives the first receipt.
        Raises `Refused` (`invalid_body`, `idempotency_conflict`, `invalid_arguments`, `price_unknown`),
        `ConfigFault` of a team, `NotFound`, `BadFolder`, `RoomClosed`.
        """
        said_text = Text(body=text, client_id=client_id, limits=limits_of_text(max_tokens, max_cost_usd))
        if session is not None:
            found = await self.agent_of(session)
            await self.take_up(found.session.team)
            self._need_prices(said_text, found.session.team)
            return _prompted(await self.office.say(found.branch, said_text))
        found_team = await self.team_named(team)
        self._need_prices(said_text, str(found_team.path))
        opening = self._opening(found_team, profile, text, cwd)
        return _prompted(await self.office.say_new(
            replace(opening, mode=mode or found_team.mode, attended=attended), said_text
        ))  # fmt: skip

    def _opening(self, team: Team, profile: str | None, text: str, cwd: str | Path | None) -> Opening:
        """A session of a team is about to begin. Raises `NotFound`, `BadFolder`."""
        if (profile or team.entry) not in team.profiles:
            msg = f"the team {team.name} has no profile {profile}"
            raise NotFound(msg, remedy=f"use one of {', '.join(team.profiles)}")
        return Opening(
            team=str(team.path), profile=profile or team.entry, policy=team.policy,
            title=text.strip().splitlines()[0][: names.TITLE_CHARS] if text.strip() else "",
            cwd=folder_for(cwd) if cwd is not None else str(self._outfit.cwd or Path.cwd()),
        )  # fmt: skip

    async def open_agent(self, session: str) -> None:
        """A front end opens an agent. It is in memory from now on: mail that was held for that is accepted.

        Raises `NotFound`, `RoomClosed`.
        """
        await self.office.open_agent((await self.agent_of(session)).branch)

    async def send(self, to: str, body: str, *, mode: str = "steer", client_id: str | None = None) -> Receipt:
        """Write to any agent as the person, named in any way. Durable on return.

        `steer` joins its running turn at the next boundary, or wakes it; `queue` opens a later turn.
        """
        found = await self.agent_of(to)
        await self.take_up(found.session.team)
        text = Text(body=body, mode=Mode(mode), client_id=client_id)
        return allowed(await self.office.say(found.branch, text)).receipt

    async def send_at(
        self, to: str, body: str, due_us: int, *, mode: str = "steer", client_id: str | None = None
    ) -> Scheduled:
        """Write to any agent as the person, but later: at `due_us` of wall time. Durable on return.

        It ends no pause when its time comes. A room that is open then says it; else the next one does.
        Raises `Refused` (`invalid_body`, `idempotency_conflict`), `NotFound`.
        """
        found = await self.agent_of(to)
        text = Text(body=body, mode=Mode(mode), client_id=client_id)
        kept = allowed(await self.office.set_timer(found.branch, text, due_us))
        if not self._outfit.idle:
            await self._arm()
        return Scheduled(timer_id=kept.public_id, due_us=kept.due_us)

    async def timers(self, limit: int = 100) -> list[TimerView]:
        """The texts that wait for their time, next first."""
        self.check_open()
        return await self.store.read(Tx.set_timers, limit)

    async def cancel_timer(self, timer_id: str) -> None:
        """Take a timed text back. Raises `Refused` (`unknown_reference`, `already_ended`)."""
        self.check_open()
        allowed(await self.office.cancel_timer(timer_id))

    def _need_prices(self, text: Text, folder: str) -> None:
        """A budget of money needs prices. Raises `Refused` (`price_unknown`); nothing is stored then."""
        if text.limits.get("cost_micros_max") is None:
            return
        self.agents.find(folder, "")  # reads the team, if nobody has yet
        team = self.staff.team_in(folder)
        if team is not None and (unpriced := self.staff.unpriced(team)):
            raise Refused(Code.PRICE_UNKNOWN, f"of {', '.join(unpriced)}")


def _prompted(outcome: Said | Refusal) -> Prompt:
    said = allowed(outcome)
    return Prompt(
        session_id=said.session_id, message_id=said.receipt.message_id, pos=said.pos,
        message=said.message, branch=said.branch, receipt=said.receipt,
    )  # fmt: skip
