"""The command that an interrupted or failed run prints goes on with it as it stands there."""

import shlex
import signal
from pathlib import Path

from postroom.app.ending import SETTLE_S
from tests.cli.cli import Cli, write_team

COUNTER = '''def count(text: str) -> int:
    """How long a text is."""
    return len(text)


tools = [count]
'''
FRONT = "tools: [counter]\n"
THINKS_LONG = "- text: Not now.\n  think_s: 600\n"
COUNTS = '- calls:\n    - count: { text: "four" }\n- text: Counted.\n'


def printed_command(line: str) -> list[str]:
    """The arguments of the command in a line's remedy."""
    return shlex.split(line.partition("go on with: postroom ")[2].removesuffix(")"))


def test_an_interrupted_run_with_tools_goes_on_with_them(tmp_path: Path) -> None:
    cli = Cli(tmp_path)
    (tmp_path / "counter.py").write_text(COUNTER)
    team = write_team(tmp_path / "team", {"ann": THINKS_LONG}, front=FRONT)
    with cli.runner(team, "--tools", "counter:tools") as runner:
        runner.signal(signal.SIGINT)
        ended = runner.end()
    (team / "scripts" / "ann.yaml").write_text(COUNTS)

    gone_on = cli.run(*printed_command(ended.err.splitlines()[-1]))

    assert (gone_on.code, gone_on.out) == (0, "Counted.\n")


def test_nothing_is_said_to_an_agent_that_cannot_run_here(tmp_path: Path) -> None:
    """Its tool is not at hand; the file that names it is told, and the store is as it was."""
    cli = Cli(tmp_path)
    (tmp_path / "counter.py").write_text(COUNTER)
    team = write_team(tmp_path / "team", {"ann": "- text: Yes.\n"}, front=FRONT)
    cli.run("run", "--team", team, "--tools", "counter:tools", "hello")
    before = cli.run("show", cli.session()).out

    for command in (("run", "more"), ("chat",)):
        ended = cli.run(*command, "--session", cli.session(), text="more")

        assert ended.fails(3, "config_invalid")
        assert f"{team / 'agents' / 'ann.md'}: tools: there is no tool or group `counter`" in ended.err
    assert cli.run("show", cli.session()).out == before


def test_an_agent_of_another_team_that_cannot_run_here_ends_nothing(tmp_path: Path) -> None:
    """Its mail waits on; a talk, a run and a change of other teams in the store end as they would alone."""
    cli = Cli(tmp_path)
    (tmp_path / "counter.py").write_text(COUNTER)
    other = write_team(tmp_path / "other", {"cat": "- text: Yes.\n"}, front=FRONT)
    cli.run("run", "--team", other, "--tools", "counter:tools", "hello")
    cli.run("send", cli.session(), "And now?")
    team = write_team(tmp_path / "team", {"ann": "- text: One.\n- text: Two.\n- text: Three.\n"})

    said = cli.run("run", "--team", team, "hello")
    talked = cli.run("chat", "--session", cli.session(), text="hello")
    sent = cli.run("send", cli.session(), "hello", "--run")

    assert [(ended.code, ended.out) for ended in (said, talked, sent)] == [
        (0, "One.\n"),
        (0, "Two.\n"),
        (0, "Three.\n"),
    ]


def test_a_new_conversation_with_a_tool_that_is_missing_names_the_profile(tmp_path: Path) -> None:
    cli = Cli(tmp_path)
    team = write_team(tmp_path / "team", {"ann": "- text: Yes.\n"}, front=FRONT)

    for ended in (cli.run("run", "--team", team, "hello"), cli.run("chat", "--team", team, text="hello")):
        assert ended.fails(3, "config_invalid")
        assert f"{team / 'agents' / 'ann.md'}: tools: there is no tool or group `counter`" in ended.err
    assert not cli.store.exists()


def test_a_failed_run_goes_on_in_a_store_whose_path_needs_quotes(tmp_path: Path) -> None:
    cli = Cli(tmp_path)
    cli.store = tmp_path / 'it\'s a "store" $HOME'
    cli.env["POSTROOM_STORE"] = str(cli.store)
    team = write_team(tmp_path / "team", {"ann": "[]\n"})
    ended = cli.run("run", "--team", team, "hello")
    (team / "scripts" / "ann.yaml").write_text("- text: Now.\n")
    del cli.env["POSTROOM_STORE"]

    gone_on = cli.run(*printed_command(ended.err.splitlines()[-1]))

    assert ended.code == 1
    assert "(add a round to the script) (go on with: " in ended.err
    assert (gone_on.code, gone_on.out) == (0, "Now.\n")


def test_an_agent_that_has_used_its_rounds_is_told_more(tmp_path: Path) -> None:
    """There is nothing to resume: the command that is printed speaks to it again."""
    cli = Cli(tmp_path)
    call = "- calls: [{list_files: {}}]\n"
    front = "tools: [read]\nmax_rounds: 1\n"
    team = write_team(tmp_path / "team", {"ann": f"{call}- text: Now.\n"}, front=front)

    ended = cli.run("run", "--team", team, "hello")
    said = cli.run(
        *shlex.split(ended.err.partition("say more with: postroom ")[2].strip()[:-1]), text="again"
    )

    assert ended.fails(1, "round_cap")
    assert "(raise max_rounds, or say more with: " in ended.err
    assert (said.code, said.out) == (0, "Now.\n")


WORKS = """
- calls: [{shell: {command: "exec tail -f /dev/null", background: true, time_limit_s: LIMIT}}]
- text: It goes on.
- {when: exec tail, text: Told.}
"""


def working_team(folder: Path, limit_s: float) -> Path:
    team = write_team(folder, {"ann": WORKS.replace("LIMIT", str(limit_s))}, front="tools: [shell]\n")
    settings = team / "postroom.toml"
    settings.write_text(f"{settings.read_text()}\n[shell]\nallowed = true\n")
    return team


def test_a_run_waits_for_work_in_the_background_however_long_nothing_else_happens(tmp_path: Path) -> None:
    """A tree is quiet only when its work has ended."""
    cli = Cli(tmp_path)
    team = working_team(tmp_path / "team", SETTLE_S + 1)

    ended = cli.run("run", "--team", team, "hello")

    assert (ended.code, ended.out, ended.err) == (0, "Told.\n", "")


def test_a_change_that_runs_the_store_waits_for_work_in_the_background(tmp_path: Path) -> None:
    cli = Cli(tmp_path)
    team = working_team(tmp_path / "team", 1.0)
    script = team / "scripts" / "ann.yaml"
    script.write_text(f"- text: Hello.{script.read_text()}")
    cli.run("run", "--team", team, "hello")

    ended = cli.run("send", cli.session(), "begin", "--run")

    assert (ended.code, ended.out) == (0, "Told.\n")


def test_a_server_that_does_not_start_is_told_to_the_person_too(tmp_path: Path) -> None:
    cli = Cli(tmp_path)
    team = write_team(tmp_path / "team", {"ann": "- text: Yes.\n"}, front="tools: [web]\n")
    settings = team / "postroom.toml"
    settings.write_text(settings.read_text() + '\n[mcp.web]\ncommand = ["no-such-program"]\n')

    for ended in (cli.run("run", "--team", team, "hello"), cli.run("chat", "--team", team, text="hello")):
        assert ended.code == 0
        assert "warning: " in ended.err
        assert "no-such-program" in ended.err
