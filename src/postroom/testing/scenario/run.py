"""Runs scenario files: each on every policy that it names, each in a folder of its own."""

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from postroom.domain.event import EventKind
from postroom.domain.turn import TurnState
from postroom.testing.scenario.check import flaws
from postroom.testing.scenario.file import KNOWN_POLICIES, missing
from postroom.testing.scenario.outcome import Outcome, Status, StepFailed
from postroom.testing.scenario.play import Play, playing
from postroom.testing.scenario.reading import Read
from postroom.testing.scenario.steps import Step
from postroom.testing.scenario.verbs.table import VERBS


def policies_of(read: Read, wanted: Sequence[str] = ()) -> Iterator[str]:
    """The policies that a file is run on; with `wanted`, only those of them."""
    return (policy for policy in read.policies if not wanted or policy in wanted)


async def run_file(read: Read, policy: str, folder: Path) -> Outcome:
    """One file on one policy. Raises `ConfigFault` where only playing it shows that it is wrong."""
    scenario = read.scenario
    outcome = Outcome(
        file=read.path, policy=policy, case=scenario.case or "", title=scenario.title, status=Status.PASSED
    )
    lacking = missing(scenario) + ([] if policy in KNOWN_POLICIES else [f"policy {policy}"])
    if lacking:
        return replace(outcome, status=Status.NOT_AVAILABLE, missing=tuple(lacking))
    async with playing(read, policy, folder, VERBS) as play:
        try:
            await play.take(scenario.steps, ("steps",))
        except StepFailed as failed:
            return _failed(outcome, play, failed)
        return await _checked(outcome, play)


REST_S: Final = 60.0
"""Real seconds in which a file must come to rest at its end: a bound for what is broken."""


async def _checked(outcome: Outcome, play: Play) -> Outcome:
    try:
        async with asyncio.timeout(REST_S):
            found = await flaws(play)
    except TimeoutError:
        found = ["nothing comes to rest at the end of the file"]
    except StepFailed as failed:
        found = [str(failed)]
    if not found:
        return outcome
    return replace(
        outcome, status=Status.FAILED, step="the end of the file", expected="the invariants I1 to I8",
        seen="; ".join(found),
    )  # fmt: skip


def _failed(outcome: Outcome, play: Play, failed: StepFailed) -> Outcome:
    number = ".".join(str(part + 1) for part in play.place if isinstance(part, int))
    step = _step_at(play.read.scenario.steps, play.place)
    in_round = f" (round {play.kept['n']})" if "repeat" in play.place else ""
    return replace(
        outcome, status=Status.FAILED, line=play.read.document.line(play.place),
        step=f"step {number}, {step.verb}{in_round}", expected=failed.expected,
        seen="; ".join((failed.seen, *_failed_turn(play))),
    )  # fmt: skip


def _failed_turn(play: Play) -> Iterator[str]:
    """The newest turn that failed, if one has: most often that is why something else did not happen."""
    for event in reversed(play.record.events()):
        if event.kind == EventKind.TURN_ENDED and event.facts.get("state") == TurnState.FAILED:
            yield f"a turn of {event.agent} failed: {event.facts.get('end_reason')}"
            return


def _step_at(steps: Sequence[Step], place: Sequence[str | int]) -> Step:
    numbers = [part for part in place if isinstance(part, int)]
    step = steps[numbers[0]]
    for number in numbers[1:]:
        inner = step.repeat or step.together
        step = inner.steps[number] if inner else step
    return step
