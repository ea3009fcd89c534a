"""An agent whose every round is given by the test, at the moment the test chooses.

Its model call stays open until an order comes, so "while B's call is held" needs no gate, and what a
call returned is at hand before the next step.
"""

import asyncio

from postroom.clock import Clock
from postroom.errors import ModelFault
from postroom.llm.port import AssistantItem, ModelRequest, ResultItem
from postroom.testing.script import ScriptedAnswer, ScriptedModel, batch, say

ROUNDS_MAX = 1_000
"""Rounds that one puppet can play; a test that needs more has lost its way."""
LAST_WORDS = "I rest now."


class Puppet:
    """One agent in the test's hand, made by `World.puppet`.

    Where several agents have its profile, an order goes to the one that has asked first.
    """

    def __init__(self, clock: Clock) -> None:
        self.model = ScriptedModel(*([self._play] * ROUNDS_MAX), clock=clock)
        self._orders: asyncio.Queue[ScriptedAnswer | ModelFault] = asyncio.Queue()
        self._asked = asyncio.Event()
        self._open = 0
        self._rests = False

    async def asked(self) -> ModelRequest:
        """The request that is open now, as soon as there is one."""
        await self._asked.wait()
        return self.model.requests[-1]

    @property
    def is_asked(self) -> bool:
        """Whether a request is open now."""
        return self._asked.is_set()

    async def does(self, *calls: ScriptedAnswer, shared_id: str = "") -> tuple[ResultItem, ...]:
        """Answer the open request with these calls in one batch; their results, once it asks again.

        With `shared_id` the provider gives all of them this one id (O-04).
        """
        await self._order(batch(*calls, shared_id=shared_id))
        return results_of(await self.asked())

    async def starts(self, *calls: ScriptedAnswer) -> None:
        """Answer the open request with these calls and do not wait for their results."""
        await self._order(batch(*calls))

    async def answers(self, answer: ScriptedAnswer) -> None:
        """Answer the open request with this very round: text, calls, and what it says that it costs."""
        await self._order(answer)

    async def says(self, text: str) -> None:
        """Answer the open request with a text, which ends the turn unless mail joins it."""
        await self._order(say(text))

    async def fails(self, fault: ModelFault) -> None:
        """Let the open request fail."""
        await self._order(fault)

    def rests(self) -> None:
        """From now on it ends every turn at once: the test has nothing more to say here."""
        self._rests = True
        for _ in range(self._open - self._orders.qsize()):
            self._orders.put_nowait(say(LAST_WORDS))

    async def _order(self, order: ScriptedAnswer | ModelFault) -> None:
        await self.asked()
        self._asked.clear()
        self._orders.put_nowait(order)

    async def _play(self, _request: ModelRequest) -> ScriptedAnswer:
        if self._rests:
            return say(LAST_WORDS)
        self._open += 1
        self._asked.set()
        try:
            order = await self._orders.get()
        finally:
            self._open -= 1
            if not self._open:
                self._asked.clear()
        if isinstance(order, ModelFault):
            raise order
        return order


def results_of(request: ModelRequest) -> tuple[ResultItem, ...]:
    """The results that stand directly behind the newest answer with calls."""
    found: list[ResultItem] = []
    for item in request.items:
        if isinstance(item, AssistantItem):
            found.clear()
        elif isinstance(item, ResultItem):
            found.append(item)
    return tuple(found)
