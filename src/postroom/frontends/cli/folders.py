"""The commands about folders and the program itself: init, check, doctor, version."""

import shlex
from pathlib import Path

from postroom import __version__
from postroom.domain.plain import Json
from postroom.frontends.cli.exits import CONFIG, DONE
from postroom.frontends.cli.output import Output
from postroom.frontends.cli.parser import Asked
from postroom.frontends.cli.reach import config_of


def init(asked: Asked, out: Output) -> int:
    """Write a team folder."""
    from postroom.profiles.team import init_team  # noqa: PLC0415 - loads YAML

    folder = Path(asked.text("dir"))
    written = init_team(folder, example=asked.text("example"))
    if out.as_json:
        out.document({"written": [str(file) for file in written]})
        return DONE
    for file in written:
        out.line(f"wrote {file}")
    out.note(f'try it: postroom run --team {shlex.quote(str(folder))} "a haiku about the post"')
    return DONE


def check(asked: Asked, out: Output) -> int:
    """Say everything that is wrong with a team folder."""
    from postroom.frontends.cli.checking import check_folder  # noqa: PLC0415 - loads YAML

    folder = Path(asked.text("dir"))
    problems = check_folder(folder, config_of(asked), asked.texts("tools"))
    if out.as_json:
        listed: list[Json] = [
            {"file": p.file, "line": p.line, "key": p.key, "message": p.message, "remedy": p.remedy}
            for p in problems
        ]
        out.document({"ok": not problems, "problems": listed})
    else:
        for problem in problems:
            out.line(problem.describe())
        out.note(f"{len(problems)} problems" if problems else f"{folder} is in order")
    return CONFIG if problems else DONE


def version(asked: Asked, out: Output) -> int:
    """Print the version."""
    del asked
    if out.as_json:
        out.document({"version": __version__})
    else:
        out.line(__version__)
    return DONE
