"""Builds team folders for the tests of this folder."""

from pathlib import Path

from postroom.profiles.team import Problem, check_team

AGENT = "---\nname: {name}\ndescription: An agent.\nmodel: openai:m\n{more}---\nWork.\n"


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def agent(name: str, more: str = "") -> str:
    return AGENT.format(name=name, more=more)


def team_folder(path: Path, *, settings: str = 'entry = "a"\n', **agents: str) -> Path:
    """A team of the agents `a` and `b`, with what is given written over."""
    write(path / "postroom.toml", settings)
    for stem, text in ({"a": agent("a"), "b": agent("b")} | agents).items():
        write(path / "agents" / f"{stem}.md", text)
    return path


def complaints(path: Path) -> list[str]:
    """All problems as text, with places relative to the folder."""
    return [found.describe().removeprefix(f"{path}/") for found in check_team(path)]


def only_problem(path: Path) -> Problem:
    [found] = check_team(path)
    return found
