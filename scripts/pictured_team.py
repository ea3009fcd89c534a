"""The team that the pictures in the docs show: at work on a page of a handbook, by a clock that stands still.

Everything but the models is real. Whoever draws moves the clock; what differs from one run to the next is
ids and the tails of handles.
"""

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from postroom.domain.plain import Json
from postroom.rules.permissions import Effect, Rule
from postroom.surfaces.branch.preset import BRANCH_POLICY
from postroom.surfaces.team.preset import TEAM_POLICY
from postroom.testing.clock import FakeClock
from postroom.testing.puppet import Puppet
from postroom.testing.script import ScriptedAnswer, call, say
from postroom.testing.world import PATIENCE_S, World
from postroom.tools.base import Caller, ToolResult
from tests.acceptance.branches import address

TASK = "Write a page for our handbook: why do agents need durable mail?"
NOTES = """Notes of three incidents.
1. A worker died with an order in its memory; nobody knew that there was one.
2. A message was sent twice after a timeout, and obeyed twice.
3. A reply came to an agent that had ended, and was dropped."""
DRAFT = """# Why agents need durable mail

A message that was accepted is **read once**, whatever happens in between. That is the whole promise.

Without it, teams of agents fail quietly:

- a worker dies with an order in its memory, and nobody knows that there was one;
- a message is sent twice after a timeout, and is obeyed twice;
- a reply comes to an agent that has ended, and is dropped.

With it, the mail is on disk before its sender hears `accepted`. It joins a turn that is running, or wakes an
agent that has long finished, and becomes part of a conversation in the step in which it is marked as read."""


class PicturedTeam:
    """A planner with a researcher, a writer and a reviewer, and two conversations beside them."""

    def __init__(self, folder: Path) -> None:
        self.clock = FakeClock()
        self.world = World(folder, policy=TEAM_POLICY, clock=self.clock)
        self.world.cwd = folder
        publish = (Rule(action="publish", effect=Effect.ASK, pattern="*"),)
        self.planner = self.world.puppet(
            "planner", delegates_to=("researcher", "writer", "reviewer"), tools=("publish",), rules=publish
        )
        self.researcher = self.world.puppet("researcher", tools=("read_notes", "publish"), rules=publish)
        self.writer = self.world.puppet("writer", tools=("count_words",))
        self.reviewer = self.world.puppet("reviewer")
        self.helpdesk = self.world.puppet("helpdesk", tools=("read_notes",))
        self.architect = self.world.puppet("architect")
        self.sides = [self.world.puppet("database"), self.world.puppet("files")]
        self.world.tool("read_notes", _read_notes)
        self.world.tool("count_words", _count_words)
        self.world.tool("publish", _read_notes, action="publish")
        self._n = 0

    async def works(self) -> None:
        """Up to the moment in which the pictures are taken."""
        await self._helps()
        await self._compares()
        await self.clock.advance(1_800)
        await self._begins()
        await self._talks()
        await self.world.prompt("architect", "And how do we back it up while it runs?")
        await self.architect.asked()
        await self._reviews()

    async def writes(self) -> None:
        """The writer begins to write its draft, and is somewhere in the middle of it."""
        others = self.clock.sleepers
        await self.writer.answers(replace(say(DRAFT, think_s=16), tokens=9_800, cost_micros=18_400))
        for _ in range(3):
            async with asyncio.timeout(PATIENCE_S):
                await self._sleeps(others + 1)
            await self.clock.advance(4)

    async def _sleeps(self, count: int) -> None:
        """Until so many wait for the clock."""
        while self.clock.sleepers < count:  # noqa: ASYNC110 -- a clock that stands still tells nobody
            await asyncio.sleep(0)

    async def _helps(self) -> None:
        """A conversation that is over."""
        await self.world.prompt("helpdesk", "Why does the nightly import stop at row 4,096?")
        await self._does(self.helpdesk, "I look into the notes first.", call("read_notes", topic="import"))
        await self.clock.advance(31)
        text = "The buffer is flushed once, not in a loop. Row 4,097 is where it is full."
        await self._says(self.helpdesk, text)
        await self.world.turn_end("helpdesk")
        await self.clock.advance(480)

    async def _compares(self) -> None:
        """A conversation on branches: two sides that work beside their host, and a fork."""
        text = "Where should our mail be kept: in a database or in files?"
        await self.world.prompt("architect", text, policy=BRANCH_POLICY)
        await self.clock.advance(5)
        spawned = (_branch("database", "Argue for a database."), _branch("files", "Argue for files."))
        await self._does(self.architect, "I hear both sides.", *spawned)
        database, files = self.sides
        await database.asked()
        await files.asked()
        await self.clock.advance(20)
        question = "How do you make two changes at once?"
        await self._does(database, "I ask the other side.", _mail(address(self.world, "files"), question))
        await self._says(self.architect, "Both are at work.")
        await self._says(files, "One file each, and a rename: simple to read and to repair.")
        await files.asked()  # what the other side has asked
        await self._says(files, "Not at all; a rename is one change.")
        await self.clock.advance(30)
        await self._says(database, "One transaction for a message and the turn that reads it.")
        await self._says(self.architect, "Files are simpler.")
        await self._says(database, "A rename is one change; we need two that are one.")
        await self._says(self.architect, "A database, then: mail and turn change together.")
        await self.world.turn_end("architect", 3)

    async def _begins(self) -> None:
        await self.world.prompt("planner", TASK)
        await self.clock.advance(4)
        await self._does(
            self.planner, "Facts and text can be worked on at the same time.",
            _agent("Collect the facts", "Collect what goes wrong without durable mail.", "researcher"),
            _agent("Write the page", "Write a page of four short paragraphs for our handbook.", "writer"),
        )  # fmt: skip
        await self.researcher.asked()
        await self.writer.asked()
        await self.clock.advance(3)
        await self._does(
            self.planner, "I tell them how to reach each other.",
            _mail(self._handle("researcher"), f"Send what you find to {self._handle('writer')}, who writes."),
            _mail(self._handle("writer"), f"Your facts come from {self._handle('researcher')}."),
        )  # fmt: skip
        await self.clock.advance(2)
        await self._starts(self.planner, "I wait for the draft.", self._wait())

    async def _talks(self) -> None:
        await self._does(self.researcher, "I read the notes.", call("read_notes", topic="incidents"))
        await self.clock.advance(5)
        await self._does(self.writer, "I begin with an outline.", call("count_words", text="Promise. Why."))
        await self.clock.advance(3)
        question = "Who reads the page, and how much history do they want?"
        await self._does(
            self.writer, "The task leaves something open.", _mail(self._handle("planner"), question)
        )
        await self.planner.asked()
        await self.clock.advance(4)
        answer = "Engineers who run teams of agents. Leave out the history, and say what goes wrong instead."
        await self._does(self.planner, "The writer asks; I answer.", _mail(self._handle("writer"), answer))
        await self.clock.advance(6)
        facts = "Three facts: an order died with its worker, a message was obeyed twice, a reply was dropped."
        await self._does(self.researcher, "", _mail(self._handle("writer"), facts))
        await self.clock.advance(2)
        await self._does(self.writer, "", call("count_words", text=facts))
        await self.clock.advance(5)

    async def _reviews(self) -> None:
        await self._does(
            self.planner, "A reviewer may look at the outline already.",
            _agent("Review the outline", "Review the outline of the page. Say what to change.", "reviewer"),
        )  # fmt: skip
        await self._starts(self.planner, "I wait for the draft.", self._wait())
        await self.clock.advance(7)
        options: list[Json] = ["No names", "Only ours", "As in the notes"]
        asked = call("ask_user", question="May the page name the products of the incidents?", options=options)
        await self._starts(self.reviewer, "One thing is for a person to decide.", asked)
        await self.world.event("ask.opened", 1)
        await self.clock.advance(9)
        wanted = call("publish", path="handbook/incidents.md", text=NOTES)
        await self._starts(self.researcher, "The facts deserve a page of their own.", wanted)
        await self.world.event("ask.opened", 2)
        await self.clock.advance(4)

    def _wait(self) -> ScriptedAnswer:
        return call("wait", **{"for": [self._handle("writer")], "timeout_s": 600})

    def _handle(self, profile: str) -> str:
        return self.world.handle(profile)

    async def _does(self, puppet: Puppet, text: str, *calls: ScriptedAnswer) -> None:
        await self._starts(puppet, text, *calls)
        await puppet.asked()

    async def _starts(self, puppet: Puppet, text: str, *calls: ScriptedAnswer) -> None:
        await puppet.answers(self._priced(say(text, *calls)))

    async def _says(self, puppet: Puppet, text: str) -> None:
        await puppet.answers(self._priced(say(text)))

    def _priced(self, answer: ScriptedAnswer) -> ScriptedAnswer:
        """Every answer costs a little more than the one before, as conversations grow."""
        self._n += 1
        tokens = 1_900 + 370 * self._n
        return replace(answer, tokens=tokens, cost_micros=2 * tokens)


def _agent(description: str, prompt: str, profile: str) -> ScriptedAnswer:
    return call("agent", description=description, prompt=prompt, profile=profile, background=True)


def _branch(profile: str, prompt: str) -> ScriptedAnswer:
    return call("agent", prompt=prompt, agent_id=profile, description=profile, run_in_background=True)


def _mail(to: str, message: str) -> ScriptedAnswer:
    return call("send_message", to=to, message=message)


async def _read_notes(_caller: Caller, _given: Mapping[str, Json]) -> ToolResult:
    return ToolResult(text=NOTES)


async def _count_words(_caller: Caller, given: Mapping[str, Json]) -> ToolResult:
    return ToolResult(text=f"{len(str(given.get('text', '')).split())} words")
