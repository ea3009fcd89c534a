"""Any order of sends, ends, deaths, stops, forks, reverts and summaries among agents of several surfaces.

Every letter is read once, by whom it was for, or its end is told; the model is `any_surface_model`.
"""

import os
import shutil

from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from postroom.testing import invariants
from postroom.testing.script import call
from tests.property.any_surface_cast import TREES, reach
from tests.property.any_surface_deeds import Deeds

SEARCH = int(os.environ.get("POSTROOM_EXAMPLES", "0"))
"""How many runs a longer search makes, each time others; without it a few, always the same."""
MODES = st.sampled_from(("steer", "queue"))
PLACES = st.integers(min_value=0, max_value=40)
MIXES = st.lists(st.sampled_from(sorted(TREES)), min_size=1, max_size=3, unique=True)
RETIRES = ("tb", "bb")
"""Who may be archived: each is below somebody else."""
FORKS_MAX = 2


class AnySurface(Deeds, RuleBasedStateMachine):
    """Between two steps each agent is idle, asks its model, or waits for the person."""

    def __init__(self) -> None:
        RuleBasedStateMachine.__init__(self)
        Deeds.__init__(self)

    @initialize(mix=MIXES)
    def begins(self, mix: list[str]) -> None:
        """Every agent of the mix asks; some of their children may have ended once."""
        self.runner.run(self.begin(mix))

    # ------------------------------------------------------------------------- what agents do

    @rule(place=PLACES, to=PLACES, mode=MODES)
    @precondition(lambda self: self.asking())
    def an_agent_sends(self, place: int, to: int, mode: str) -> None:
        sender, names = self.pick(self.asking(), place), list(self.puppets)
        near = [name for name in names if reach(sender, name) != "absent"]
        self.runner.run(self.send(sender, [self.pick([*near, *near, *near, *names], to)], mode))

    @rule(place=PLACES, to=st.lists(PLACES, min_size=2, max_size=3, unique=True), mode=MODES)
    @precondition(lambda self: self.writers_to_groups())
    def an_agent_sends_to_several(self, place: int, to: list[int], mode: str) -> None:
        sender = self.pick(self.writers_to_groups(), place)
        near = [name for name in self.puppets if reach(sender, name) != "absent"]
        self.runner.run(self.send(sender, list(dict.fromkeys(self.pick(near, one) for one in to)), mode))

    @rule(place=PLACES, to=PLACES, mode=MODES)
    @precondition(lambda self: self.asking())
    def an_agent_sends_more(self, place: int, to: int, mode: str) -> None:
        self.an_agent_sends(place, to, mode)

    @rule(place=PLACES, to=PLACES, mode=MODES)
    @precondition(lambda self: self.asking())
    def an_agent_sends_again(self, place: int, to: int, mode: str) -> None:
        self.an_agent_sends(place, to, mode)

    @rule(place=PLACES)
    @precondition(lambda self: self.asking())
    def an_agent_goes_on(self, place: int) -> None:
        self.answer(self.pick(self.asking(), place), lambda p: p.starts(call("nothing")))

    @rule(place=PLACES)
    @precondition(lambda self: self.asking())
    def an_agent_ends(self, place: int) -> None:
        self.answer(self.pick(self.asking(), place), lambda p: p.says("done"))

    @rule(place=PLACES)
    @precondition(lambda self: self.asking())
    def a_provider_fails(self, place: int) -> None:
        self.runner.run(self.fail(self.pick(self.asking(), place)))

    # ------------------------------------------------------------------------- what the person does

    @rule(to=PLACES, mode=MODES)
    def the_person_writes(self, to: int, mode: str) -> None:
        self.runner.run(self.write(self.pick(self.living(), to), mode))

    @rule(place=PLACES)
    @precondition(lambda self: self.asking())
    def the_person_cancels(self, place: int) -> None:
        self.runner.run(self.cancel(self.pick(self.asking(), place)))

    @rule(place=PLACES)
    def the_person_stops(self, place: int) -> None:
        self.runner.run(self.stop(self.pick(self.living(), place)))

    @rule(place=PLACES)
    def the_person_resumes(self, place: int) -> None:
        self.runner.run(self.resume(self.pick(self.living(), place)))

    @rule(has_leave=st.booleans())
    @precondition(lambda self: self.model.first_held())
    def the_person_decides(self, *, has_leave: bool) -> None:
        self.runner.run(self.decide(has_leave=has_leave))

    @rule(place=PLACES, to=PLACES)
    @precondition(lambda self: self.idle())
    def the_person_reverts(self, place: int, to: int) -> None:
        self.runner.run(self.revert(self.pick(self.idle(), place), to))

    @rule(place=PLACES)
    @precondition(lambda self: self.idle())
    def the_person_compacts(self, place: int) -> None:
        self.runner.run(self.compact(self.pick(self.idle(), place)))

    @rule(place=PLACES)
    @precondition(lambda self: self.idle() and self.forks < FORKS_MAX)
    def the_person_forks(self, place: int) -> None:
        self.runner.run(self.fork(self.pick(self.idle(), place)))

    @rule(agent=st.sampled_from(RETIRES))
    @precondition(lambda self: any(name in self.living() for name in RETIRES))
    def the_person_archives(self, agent: str) -> None:
        if agent in self.living():
            self.runner.run(self.archive(agent))

    # ------------------------------------------------------------------------- what the world does

    @rule(crash=st.booleans())
    def the_process_starts_again(self, *, crash: bool) -> None:
        self.runner.run(self.restart(crash=crash))

    @rule(step_s=st.sampled_from((-7_200, -5, 0, 5)), passes_s=st.sampled_from((1, 60, 4_000)))
    def time_passes(self, step_s: int, passes_s: int) -> None:
        self.clock.step_wall(step_s)
        self.runner.run(self.elapse(passes_s))

    @invariant()
    def everything_stands_as_the_model_says(self) -> None:
        if not self.puppets:
            return
        assert self.standing() == self.model.stands()
        for agent in self.living():
            is_busy = self.puppets[agent].is_asked
            assert is_busy or not self.model.must_run(agent), f"{agent} does not run although mail waits"
            assert not (agent in self.model.paused and is_busy), f"{agent} runs although it is paused"
        assert not self.world.room.store.look(invariants.miscounts)

    def teardown(self) -> None:
        """Everything is read in the end, once, and all invariants hold."""
        try:
            if self.puppets:
                self.runner.run(self.finish())
        finally:
            self.runner.run(self.world.close())
            self.runner.close()
            shutil.rmtree(self.folder, ignore_errors=True)


TestAnySurface = AnySurface.TestCase
# Without shrinking: the steps can be read as they are, and each try of shorter ones opens a store.
TestAnySurface.settings = settings(
    max_examples=SEARCH or 30,
    derandomize=not SEARCH,
    stateful_step_count=30,
    phases=(Phase.explicit, Phase.generate),
    report_multiple_bugs=False,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
