"""`postroom demo --model local`: the demo team with a real model in place of its workers' scripts."""

from pathlib import Path

from postroom.domain.plain import Json
from postroom.testing.local_model import LocalModel
from tests.frontends.cli import Cli


def test_the_demo_team_works_with_a_real_model(tmp_path: Path, local_model: LocalModel) -> None:
    del local_model  # loaded already, so that the machine's cache is warm

    ran = Cli(tmp_path).run("demo", "--model", "local", "--json")
    summary, events = ran.documents[-1], ran.documents[:-1]

    assert ran.code == 0, ran.err
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
