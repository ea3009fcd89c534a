"""G9 on `tree`: what a team is bounded by when nobody has set anything, and what a zero means."""

from dataclasses import asdict
from pathlib import Path

import pytest

from postroom.domain.policy import Policy
from postroom.profiles.team import load_team
from postroom.surfaces.tree import TREE
from tests.acceptance.family import EVERYBODY, Worlds, accepted, code, delegate, family, send
from tests.unit.profiles.folder import team_folder

SOURCE = {
    "messaging_enabled": True,
    "body_bytes_max": 32_768,
    "hops_max": None,
    "mailbox_cap": 32,
    "pair_window": 4,
    "depth_max": 3,
    "concurrency": 4,
    "waiting_max": 16,
    "ask_s": 30,
    "idle_eviction_s": 3_600,
    "resident_subagents_max": 20,
    "chain_turns_max": 200,
    "rounds_max": 50,
}
"""systems.md 3.5 to 3.8 and product.md section 5. Only hops are off unless they are set."""


def test_a_team_without_settings_has_the_limits_of_its_source(tmp_path: Path) -> None:
    """G9, CK-15, CK-16, CK-18, CK-19, CK-20: every limit but that of hops is there by default."""
    policy = asdict(load_team(team_folder(tmp_path, settings='entry = "a"\nsurface = "tree"\n')).policy)

    assert TREE.policy == Policy(surface="tree")
    assert {name: policy[name] for name in SOURCE} == SOURCE


def policy_of(tmp_path: Path, settings: str) -> Policy:
    return load_team(
        team_folder(tmp_path / "team", settings=f'entry = "a"\nsurface = "tree"\n{settings}\n')
    ).policy


@pytest.mark.parametrize(
    ("settings", "refused"),
    [
        ("[messaging]\nmax_body_bytes = 0", "invalid_body"),
        ("[messaging]\nmax_pending_per_session = 0", "inbox_full"),
        ("[messaging]\nenabled = false", "disabled"),
    ],
)
async def test_a_zero_that_is_a_limit_refuses_everything(
    worlds: Worlds, tmp_path: Path, settings: str, refused: str
) -> None:
    """G9, CK-15, CK-16: zero is unlimited only where the table of the policy says so."""
    world = worlds(policy=policy_of(tmp_path, settings))
    root = world.puppet("r", may_message=EVERYBODY, delegates_to=("b",))
    world.puppet("b")
    await world.prompt("r", "begin")
    await root.does(delegate("b"))  # refused itself where no text may have a byte
    to = [view.handle for view in world.views() if view.handle]

    (result,) = await root.does(send(to[0] if to else "b_00000000", "x"))

    assert code(result) == refused
    await world.check()


@pytest.mark.parametrize("key", ["max_hops = 0", "max_hops = -1", "max_inflight_per_pair = 0"])
async def test_a_zero_that_is_off_refuses_nothing(worlds: Worlds, tmp_path: Path, key: str) -> None:
    """G9, CK-18, CK-19: as the settings of a team say it."""
    world = worlds(policy=policy_of(tmp_path, f"[messaging]\n{key}"))
    root, a, b = await family(world, "a", "b")
    n_sent = 6 if "inflight" in key else 4

    accepted((await root.does(send(world.handle("a"), "makes a hop")))[0])
    await a.does(send("nobody_00000000", "reads it"))
    results = await a.does(*(send(world.handle("b"), f"{n}") for n in range(n_sent)))

    assert all(accepted(r) for r in results)
    b.rests()
    await world.check()


async def test_a_hop_limit_that_is_set_binds(worlds: Worlds, tmp_path: Path) -> None:
    """G9, CK-19: one, as the settings of a team say it, lets hops zero and one pass."""
    world = worlds(policy=policy_of(tmp_path, "[messaging]\nmax_hops = 1"))
    root, a, b = await family(world, "a", "b")

    (zero,) = await root.does(send(world.handle("a"), "zero"))
    await a.does(send("nobody_00000000", "reads it"))
    (one,) = await a.does(send(world.handle("b"), "one"))
    await b.does(send("nobody_00000000", "reads it"))
    (two,) = await b.does(send(world.handle("a"), "two"))

    accepted(zero)
    accepted(one)
    assert code(two) == "max_hops_exceeded"
    await world.check()
