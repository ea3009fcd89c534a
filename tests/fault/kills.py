"""Which scene is killed at which point, at which time that it is reached.

`postroom.testing.crash.points` reads the points from the code; a house test compares. A number here is
the highest time that a point is surely reached in the scene; a kill that is never reached fails.
"""

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

from postroom.testing.crash import Journal, Scenario
from tests.fault.ask_scenes import absent, asking
from tests.fault.board_scenes import planned
from tests.fault.bus_scenes import talking
from tests.fault.carried_scenes import carried, reviewed
from tests.fault.heir_scenes import heirs
from tests.fault.held_scenes import holding
from tests.fault.hook_scenes import kept, plugins
from tests.fault.judge_scenes import judged
from tests.fault.letter_scenes import letters
from tests.fault.outbox_scenes import napping
from tests.fault.peer_scenes import beside
from tests.fault.scenes import (
    crowded,
    deep,
    errands,
    goals,
    hello,
    leaving,
    mail,
    outage,
    paths,
    person,
    poison,
    tasks,
)
from tests.fault.shelf_scenes import forgotten, shelf
from tests.fault.summary_scenes import summed_up
from tests.fault.task_scenes import handed
from tests.fault.token_scenes import handing_out
from tests.fault.work_scenes import orchestrated

Build: TypeAlias = Callable[[Journal], Scenario]


@dataclass(frozen=True, slots=True)
class Kill:
    """The process dies when it reaches this point for the n-th time."""

    scene: Build
    point: str
    nth: int = 1

    @property
    def fault(self) -> str:
        """As the environment arms it."""
        return f"{self.point}:{self.nth}"

    def __str__(self) -> str:
        """The name of the test."""
        return f"{self.scene.__name__}-{self.fault}"


IN_ANY_LIFE: dict[str, dict[Build, int]] = {
    "bus.taken": {talking: 3},
    "ring.before": {mail: 3, tasks: 3, person: 4, crowded: 3, carried: 1},
    "end.before_ring": {mail: 3, tasks: 3, poison: 2, goals: 3, carried: 2},
    "turn.before_model": {mail: 8, tasks: 8, person: 3, carried: 6, talking: 9},
    "turn.after_model": {mail: 8, tasks: 8, outage: 1, carried: 6, talking: 8},
    "turn.before_calls": {mail: 3, tasks: 6, deep: 4, carried: 4},
    "calls.between": {mail: 5, tasks: 8, deep: 7, carried: 5, talking: 4},
    "say_new": {hello: 1, mail: 1},
    "say": {mail: 1, person: 3, outage: 1, talking: 4},
    "start": {
        mail: 3,
        tasks: 3,
        crowded: 6,
        person: 4,
        poison: 5,
        goals: 5,
        heirs: 4,
        carried: 3,
        talking: 4,
    },
    "commit_answer": {
        mail: 8,
        tasks: 8,
        crowded: 8,
        deep: 12,
        goals: 8,
        heirs: 8,
        kept: 10,
        carried: 8,
        reviewed: 3,
        talking: 10,
    },
    "accept": {
        mail: 4,
        poison: 1,
        crowded: 4,
        asking: 3,
        letters: 3,
        holding: 5,
        carried: 1,
        talking: 5,
        napping: 2,
    },
    "open_agent": {napping: 1},
    "let_go": {napping: 2},
    "close_round": {mail: 3, tasks: 3, goals: 2, carried: 2, talking: 1},
    "end_call": {mail: 3, tasks: 3, carried: 4, talking: 2},
    "delegate": {mail: 2, tasks: 3, deep: 6, heirs: 3, carried: 3, talking: 2},
    "collect": {tasks: 2, heirs: 2, carried: 2, talking: 2},
    "await_child": {tasks: 2, deep: 1, heirs: 2, carried: 1},
    "fetch": {tasks: 1},
    "cancel_child": {tasks: 2, deep: 1},
    "begin_watch": {beside: 1},
    "collect_changes": {beside: 2},
    "note_masked": {beside: 1},
    "begin_waiting": {orchestrated: 2},
    "collect_waiting": {orchestrated: 2},
    "task_output": {handed: 2},
    "collect_output": {handed: 2},
    "stop_task": {handed: 2},
    "stop_task_as_person": {handed: 1},
    "stop": {person: 1, talking: 1},
    "cancel": {person: 1},
    "resume": {person: 1, poison: 3},
    "retry": {poison: 1},
    "see_notices": {poison: 1},
    "fork": {paths: 1, planned: 1},
    "create_todo": {planned: 2},
    "update_todo": {planned: 2},
    "revert": {paths: 1},
    "judge": {asking: 8, reviewed: 4},
    "collect_ask": {asking: 8},
    "open_question": {asking: 2},
    "collect_answer": {asking: 4, absent: 4},
    "approve": {asking: 3, holding: 3},
    "deny": {asking: 2, holding: 1},
    "answer": {asking: 2},
    "set_mode": {asking: 1},
    "try_held": {holding: 1},
    "set_attended": {absent: 1},
    "change_overlay": {asking: 1},
    "record_side_call": {judged: 3, reviewed: 4},
    "commit_summary": {summed_up: 8},
    "fail_summary": {summed_up: 1},
    "take_mail": {summed_up: 3},
    "change_call": {plugins: 2},
    "note_hooks": {plugins: 2},
    "plugin_send": {plugins: 3},
    "recall": {plugins: 1, holding: 1},
    "recall_own": {letters: 1},
    "begin_work": {errands: 3},
    "end_work": {errands: 3},
    "set_timer": {errands: 3},
    "fire_timers": {errands: 1},
    "cancel_timer": {errands: 1},
    "set_goal": {goals: 2},
    "pause_goal": {goals: 1},
    "resume_goal": {goals: 1},
    "cancel_goal": {goals: 1},
    "change_goal": {goals: 2},
    "index_words": {hello: 1, mail: 1},
    "archive": {shelf: 1},
    "archive_agent": {shelf: 1},
    "retire_done": {shelf: 1},
    "rename": {shelf: 1},
    "retitle": {shelf: 1},
    "record_title": {shelf: 2},
    "delete": {shelf: 1},
    "prune_step": {forgotten: 1},
    "close_turn": {leaving: 1},
    "add_token": {handing_out: 2},
    "mark_used": {handing_out: 1},
    "revoke_token": {handing_out: 1},
    "end_if_live": {poison: 4, outage: 1},
}
"""Points, and transactions with the two sides of their commit, that a first life reaches."""

AT_A_START: dict[str, dict[Build, int]] = {
    "begin_epoch": {hello: 1, mail: 1, talking: 1},
    "end_lost_work": {hello: 1, mail: 1, errands: 1},
    "expire_mail": {hello: 1, letters: 1},
    "sweep": {hello: 1, mail: 1, crowded: 1, holding: 1, talking: 1, napping: 1},
    "recover_turn": {
        orchestrated: 1,
        mail: 2,
        tasks: 1,
        asking: 1,
        handed: 2,
        kept: 1,
        carried: 2,
        talking: 1,
    },
    "recovery.between": {mail: 2, tasks: 1, carried: 2, talking: 1},
}
"""What a life reaches that follows one which was cut with two turns alive."""

CUT_IN_THE_MIDDLE: dict[Build, str] = {
    hello: "turn.after_model:1",
    mail: "turn.before_model:6",
    carried: "turn.before_model:3",
    tasks: "turn.after_model:2",
    crowded: "turn.before_model:3",
    kept: "commit_answer.after:1",
    errands: "end_work.before:1",
    asking: "deny.before:1",
    handed: "collect_output.before:1",
    orchestrated: "collect_waiting.before:1",
    holding: "approve.after:2",
    letters: "recall_own.before:1",
    napping: "open_agent.before:1",
    talking: "collect.before:1",
}
"""A first kill that leaves turns, claims and open calls behind."""

ELSEWHERE = (
    "migrate.between", "repair.between", "backup.copied",
    "restore.copied", "restore.aside", "restore.between",
)  # fmt: skip
"""What no scene reaches: tests of their own kill a migration, a repair, a backup and a restore."""

SIDES = ("before", "after")


def kills(table: dict[str, dict[Build, int]]) -> Iterator[Kill]:
    """Every kill of a table: each point in each of its scenes, at its first two times and its last."""
    for name, scenes in table.items():
        points = [name] if "." in name else [f"{name}.{side}" for side in SIDES]
        for scene, most in scenes.items():
            for nth in sorted({1, min(2, most), most}):
                yield from (Kill(scene, point, nth) for point in points)


def random_kills(seed: int, lives: int) -> list[Kill]:
    """Kills of one scene in several lives in a row; only the first is sure to be reached."""
    source = random.Random(seed)
    scene = source.choice(
        [
            absent,
            asking,
            holding,
            napping,
            judged,
            summed_up,
            mail,
            tasks,
            person,
            poison,
            crowded,
            deep,
            errands,
            handed,
            orchestrated,
            planned,
            paths,
            goals,
            plugins,
            talking,
            kept,
            shelf,
            carried,
            reviewed,
        ]
    )
    reached = {name: scenes[scene] for name, scenes in IN_ANY_LIFE.items() if scene in scenes}
    found: list[Kill] = []
    for _ in range(lives):
        name = source.choice(sorted(reached))
        point = name if "." in name else f"{name}.{source.choice(SIDES)}"
        found.append(Kill(scene, point, source.randint(1, reached[name])))
    return found


def armed_points() -> set[str]:
    """Every point that some test arms."""
    return {kill.point for table in (IN_ANY_LIFE, AT_A_START) for kill in kills(table)} | set(ELSEWHERE)
