"""`postroom prune`: beside a process that runs the store, over HTTP, and without one."""

from pathlib import Path

from postroom.domain.token import Scope
from tests.cli.cli import Cli
from tests.frontends.daemon import served


def test_pruning_asks_first_and_leaves_the_line_of_who_wrote_when(cli: Cli, team: Path) -> None:
    cli.run("run", "--team", team, "hello")
    (message,) = [line["message_id"] for line in cli.log() if line["kind"] == "message.accepted"]

    without = cli.run("prune")
    odd = cli.run("prune", "--older-than", "soon", "--dry-run")
    asked = cli.run("prune", "--older-than", "0s")
    would = cli.run("prune", "--older-than", "0s", "--dry-run")
    there = cli.run("show", str(message))
    done = cli.run("prune", "--older-than", "0s", "--yes")
    gone = cli.run("show", str(message))
    again = cli.run("prune", "--older-than", "0s", "--yes", "--json").document

    assert without.fails(2, "usage")
    assert odd.fails(2, "usage")
    assert asked.fails(2, "usage")
    assert "--yes" in asked.err
    assert would.out == "would prune 1 session: 1 message and 2 items, 5 bytes\n"
    assert done.out == "pruned 1 session: 1 message and 2 items, 5 bytes\n"
    assert "hello" in there.out
    assert "hello" not in gone.out
    assert "5 bytes, pruned (SHA-256 2cf24dba" in gone.out
    assert again["sessions"] == 0
    assert cli.run("doctor").code == 0


async def test_pruning_over_http_needs_the_widest_scope(tmp_path: Path, team: Path) -> None:
    async with served(tmp_path, team) as daemon:
        said = await daemon.room.prompt("hello")
        await daemon.room.wait(said)
        await daemon.room.quiesce()
        asked = {"older_than_s": 0, "dry_run": True}
        refused = await daemon.client(Scope.OPERATE).post("/prune", json=asked)
        would = (await daemon.client().post("/prune", json=asked)).json()
        did = (await daemon.client().post("/prune", json={"older_than_s": 0})).json()
    assert refused.status_code == 403
    assert (would["sessions"], would["dry_run"]) == (1, True)
    assert did == {**would, "dry_run": False}
