"""The models of a scenario: scripts, with the gates that hold them and the faults that are put in."""

from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, field, replace

from postroom import errors
from postroom.clock import Clock
from postroom.errors import Fault, ModelFault, ModelRefusedRequest, NotFound, ScriptEnded, StoreFault
from postroom.llm import strict
from postroom.llm.port import Json, ModelAnswer, ModelRequest, OnText
from postroom.llm.scripted import Script, ScriptedAnswer, ScriptedCall, ScriptPlayer
from postroom.testing.scenario.gates import Gates
from postroom.testing.scenario.journal import Journal
from postroom.testing.scenario.parts.team import TroublePart
from postroom.testing.scenario.references import Lookup, fill_json, fill_text


def fault_classes() -> dict[str, type[Fault]]:
    """The faults that a scenario can put in, by code."""
    found = (each for each in vars(errors).values() if isinstance(each, type))
    return {each.code: each for each in found if issubclass(each, ModelFault | StoreFault)}


@dataclass(slots=True)
class Trouble:
    """One fault that is put in, and how often it still is."""

    part: TroublePart
    gates: Gates
    left: int | None = field(init=False)

    def __post_init__(self) -> None:
        self.left = self.part.times

    def strike(self) -> None:
        """Raise the fault while some of it is left."""
        if self.part.until is not None and self.gates.named(self.part.until).is_open:
            return
        if self.left is not None:
            if self.left == 0:
                return
            self.left -= 1
        raise fault_classes()[self.part.fails](f"the scenario lets it fail with {self.part.fails}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Means:
    """What every model of a scenario is made with."""

    clock: Clock
    gates: Gates
    journal: Journal
    troubles: Sequence[Trouble]
    lookup_on: Callable[[str], Lookup]
    """By surface: each has its own addresses."""
    on_request: Callable[[], None]
    begin: Callable[[Coroutine[object, object, None]], None]
    """Begins what goes on beside the turns; the stage ends it."""


class PlayedModel:
    """One agent's scripts, by why the model is asked."""

    def __init__(
        self, agent: str, scripts: Mapping[str, Script], afterwards: str | None, means: Means, surface: str
    ) -> None:
        self._agent = agent
        self._lookup = means.lookup_on(surface)
        self._scripts = scripts
        self._afterwards = afterwards
        self._means = means

    async def request(self, request: ModelRequest, on_text: OnText) -> ModelAnswer:
        """The answer of the script; noted before anything else, refused if a strict provider would."""
        flaw = strict.check(request)
        self._means.journal.note(request, flaw or "")
        self._means.on_request()
        if flaw:
            raise ModelRefusedRequest(flaw)
        script = self._scripts.get(request.purpose, Script(()))
        number = script.position(request)[0] + 1
        await self._means.gates.for_model(self._agent, request.purpose, number)
        for trouble in self._means.troubles:
            part = trouble.part
            is_meant = part.purpose in {None, request.purpose} and part.round in {None, number}
            if part.model == self._agent and is_meant:
                trouble.strike()
        player = ScriptPlayer(self._rounds(script, number), clock=self._means.clock)
        return await player.request(request, on_text)

    def plays(self, purpose: str) -> bool:
        """Whether there is a script for this."""
        return purpose in self._scripts

    def _rounds(self, script: Script, number: int) -> Script:
        """The script with the references of the round that is played filled in."""
        rounds = list(script.rounds)
        if number > len(rounds):
            if self._afterwards is None:
                flaw = f"was asked for round {number}, its script has {len(rounds)}"
                self._means.journal.note_flaw(self._agent, flaw)
                raise ScriptEnded(f"{self._agent} {flaw}", remedy="add a round, or `afterwards`")
            rounds += [ScriptedAnswer(text=self._afterwards)] * (number - len(rounds))
        current = rounds[number - 1]
        try:
            if isinstance(current, ScriptedAnswer):
                rounds[number - 1] = _filled(current, self._lookup)
        except NotFound as fault:
            self._means.journal.note_flaw(self._agent, fault.message)
            raise ScriptEnded(fault.message) from fault
        return Script(rounds)


class SideModel:
    """Who is asked beside the turns: of each agent the script that it has for this."""

    def __init__(self, models: Mapping[str, PlayedModel]) -> None:
        self._models = models

    async def request(self, request: ModelRequest, on_text: OnText) -> ModelAnswer:
        """The agent's own answer; an agent without a script for it has none."""
        own = self._models[request.agent]
        if not own.plays(request.purpose):
            raise ModelFault(f"{request.agent} has no script for {request.purpose}")
        return await own.request(request, on_text)


def _filled(answer: ScriptedAnswer, lookup: Lookup) -> ScriptedAnswer:
    return replace(
        answer,
        text=fill_text(answer.text, lookup),
        calls=tuple(_filled_call(call, lookup) for call in answer.calls),
        otherwise=fill_text(answer.otherwise, lookup),
        otherwise_calls=tuple(_filled_call(call, lookup) for call in answer.otherwise_calls),
    )


def _filled_call(call: ScriptedCall, lookup: Lookup) -> ScriptedCall:
    if isinstance(call.arguments, str):
        return replace(call, arguments=fill_text(call.arguments, lookup))
    arguments: dict[str, Json] = {key: fill_json(value, lookup) for key, value in call.arguments.items()}
    return replace(call, arguments=arguments)
