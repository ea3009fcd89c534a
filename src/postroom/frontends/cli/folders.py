"""The commands about folders and the program itself: init, check, doctor, version."""

import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from postroom import __version__
from postroom.domain.plain import Json
from postroom.frontends.cli.exits import CONFIG, DONE, TASK_FAILED
from postroom.frontends.cli.output import Output
from postroom.frontends.cli.parser import Asked
from postroom.frontends.cli.reach import config_of, store_of
from postroom.frontends.cli.words import counted
from postroom.observe.glance import need_store

if TYPE_CHECKING:
    from postroom.observe.doctor import Finding


def init(asked: Asked, out: Output) -> int:
    """Write a team folder."""
    from postroom.profiles.example import TRIED_BY, first_words  # noqa: PLC0415 - as the next
    from postroom.profiles.team import init_team  # noqa: PLC0415 - loads YAML

    folder = Path(asked.text("dir"))
    written = init_team(folder, example=asked.text("example"))
    if out.as_json:
        out.document({"written": [str(file) for file in written]})
        return DONE
    for file in written:
        out.line(f"wrote {file}")
    first = TRIED_BY.replace(" .", f" {shlex.quote(str(folder))}")
    out.note(f"try it: {first} {first_words(asked.text('example'))}")
    for line in _about_keys(folder):
        out.note(line)
    return DONE


def _about_keys(folder: Path) -> Iterator[str]:
    """How a real model gets its key: nothing is asked for here, and no key is ever written."""
    from postroom.llm.vendors import VENDORS  # noqa: PLC0415 - only this command names them all

    yield "it plays scripts, without a key; for a real model set one variable and install its extra:"
    for vendor in VENDORS.values():
        name = vendor.key_names[0]
        yield f"  export {name}=...  or {name}_FILE=FILE  pip install 'postroom[{vendor.name}]'"
    yield f"then name the model, see {folder / 'postroom.toml'}"


def check(asked: Asked, out: Output) -> int:
    """Say everything that is wrong with a team folder."""
    from postroom.frontends.cli import checking  # noqa: PLC0415 - loads YAML

    folder, config = Path(asked.text("dir")), config_of(asked)
    problems = checking.check_folder(folder, config, asked.texts("tools"))
    lacking = () if problems else checking.missing_means(folder, config)
    troubles = checking.plugin_troubles(config)
    if out.as_json:
        listed: list[Json] = [
            {"file": p.file, "line": p.line, "key": p.key, "message": p.message, "remedy": p.remedy}
            for p in problems
        ]
        out.document({
            "ok": not problems, "problems": listed, "lacking": list(lacking), "troubles": list(troubles),
        })  # fmt: skip
    else:
        for problem in problems:
            out.line(problem.describe())
        out.note(counted(len(problems), "problem") if problems else f"{folder} is in order")
        for line in lacking:
            out.note(f"before it can run here: {line}")
        for line in troubles:
            out.note(f"warning: {line}")
    return CONFIG if problems else DONE


def version(asked: Asked, out: Output) -> int:
    """Print the version."""
    del asked
    if out.as_json:
        out.document({"version": __version__})
    else:
        out.line(__version__)
    return DONE


def doctor(asked: Asked, out: Output) -> int:
    """Compare the log with the tables; mend what differs if asked to."""
    from postroom.observe.doctor import examine, repair  # noqa: PLC0415 - slow to load

    folder = store_of(asked)
    need_store(folder)
    report = repair(folder) if asked.flag("repair") else examine(folder)
    if out.as_json:
        counts = report.counts
        out.document({
            "ok": report.ok, "findings": [_finding(one) for one in report.findings],
            "mended": [_finding(one) for one in report.mended],
            "backup": None if report.backup is None else str(report.backup),
            "counts": {
                "messages": counts.messages, "turns": counts.turns, "lost": counts.lost,
                "doubled": counts.doubled,
            },
        })  # fmt: skip
    else:
        for line in report.lines():
            out.line(line)
    return DONE if report.ok else TASK_FAILED


def _finding(finding: "Finding") -> Json:
    return {
        "code": finding.code, "table": finding.table, "key": finding.key, "expected": finding.expected,
        "found": finding.found, "mendable": finding.mendable, "harmless": finding.harmless,
    }  # fmt: skip
