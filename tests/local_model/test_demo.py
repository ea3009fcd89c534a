"""`postroom demo --model local`: the demo team with a real model in place of its workers' scripts."""

import json
import subprocess
from pathlib import Path

import pytest

from postroom.domain.plain import Json
from postroom.testing.local_model import LocalModel
from tests.cli.cli import POSTROOM, Cli


@pytest.mark.timeout(300)  # a busy machine takes minutes for what a quiet one does in ten seconds
def test_the_demo_team_works_with_a_real_model(tmp_path: Path, local_model: LocalModel) -> None:
    del local_model  # loaded already, so that the machine's cache is warm

    ran = subprocess.run(
        [*POSTROOM, "demo", "--model", "local", "--json"], env=Cli(tmp_path).env, capture_output=True,
        text=True, check=False,
    )  # fmt: skip
    *events, summary = [json.loads(line) for line in ran.stdout.splitlines()]

    assert ran.returncode == 0, ran.stderr
    count = summary["recount"]
    assert isinstance(count, dict)
    assert (count["lost"], count["doubled"], count["refused"]) == (0, 0, 0)
    assert summary["doctor"] == {"ok": True, "findings": []}
    mails = [event for event in events if event["kind"] == "message.accepted" and _kind(event) == "mail"]
    assert [str(event["actor"]).partition("_")[0] for event in mails] == ["researcher", "planner"]
    assert {str(event["to"]).partition("_")[0] for event in mails} == {"writer"}


def _kind(event: dict[str, Json]) -> Json:
    facts = event["facts"]
    assert isinstance(facts, dict)
    return facts["kind"]
