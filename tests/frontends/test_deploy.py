"""The unit and the image in `deploy/`: every word in them is one that the program or the builder knows.

Neither is started here: that takes a systemd that runs, and a container engine.
"""

import configparser
import json
import os
import re
import shlex
import shutil
import subprocess
from pathlib import Path
from typing import Final

from postroom.config import environment_name, read_config, setting_keys
from postroom.daemon.listening import refuse_unguarded
from postroom.frontends.cli.exits import CONFIG, STORE_IN_USE
from postroom.frontends.cli.parser import parse

DEPLOY: Final = Path(__file__).resolve().parents[2] / "deploy"
UNIT_KEYS: Final = {
    "Unit": {"Description", "After", "StartLimitIntervalSec", "StartLimitBurst"},
    "Service": {
        "Type", "WorkingDirectory", "ExecStart", "KillSignal", "KillMode", "TimeoutStopSec", "Restart",
        "RestartSec", "RestartPreventExitStatus", "EnvironmentFile", "LimitNOFILE", "UMask",
        "NoNewPrivileges", "PrivateTmp", "ProtectSystem", "ReadWritePaths", "ProtectKernelTunables",
        "ProtectControlGroups", "RestrictRealtime", "RestrictSUIDSGID", "RestrictNamespaces",
        "LockPersonality", "SystemCallArchitectures", "RestrictAddressFamilies",
    },
    "Install": {"WantedBy"},
}  # fmt: skip
"""What systemd.unit(5), systemd.service(5) and systemd.exec(5) name and a person's manager can do."""
INSTRUCTIONS: Final = frozenset((
    "FROM", "COPY", "RUN", "USER", "WORKDIR", "VOLUME", "ENV", "EXPOSE", "STOPSIGNAL", "HEALTHCHECK",
    "ENTRYPOINT", "CMD",
))  # fmt: skip


class UnitFile(configparser.ConfigParser):
    """Keys of a unit have capitals."""

    def optionxform(self, optionstr: str) -> str:
        return optionstr


def unit() -> configparser.ConfigParser:
    found = UnitFile(strict=True, interpolation=None)
    found.read_string((DEPLOY / "postroom.service").read_text("utf-8"))
    return found


def instructions() -> dict[str, str]:
    """Each instruction of the image with what stands behind it; of several the last."""
    lines = (DEPLOY / "Containerfile").read_text("utf-8").replace("\\\n", " ").splitlines()
    parts = (line.partition(" ") for line in lines if line.strip() and not line.startswith("#"))
    return {name: " ".join(rest.split()) for name, _, rest in parts}


def test_the_unit_has_only_keys_that_systemd_knows() -> None:
    assert {name: set(unit()[name]) for name in unit().sections()} == UNIT_KEYS


def test_the_unit_begins_the_daemon_and_does_not_try_again_what_cannot_work() -> None:
    service = unit()["Service"]
    program, *words = shlex.split(service["ExecStart"])
    asked = parse(words)

    assert Path(program).name == "postroom"
    assert asked is not None
    assert asked.command == "up"
    assert not asked.flag("detach")
    assert service["RestartPreventExitStatus"].split() == [str(CONFIG), str(STORE_IN_USE)]
    assert (service["KillSignal"], service["Restart"]) == ("SIGTERM", "on-failure")


def test_the_image_is_made_of_known_instructions_and_runs_as_nobody_special() -> None:
    found = instructions()

    assert set(found) <= INSTRUCTIONS
    assert found["USER"] not in ("root", "0")
    assert found["STOPSIGNAL"] == "SIGTERM"
    assert re.fullmatch(r"docker\.io/library/python:3\.\d+-slim", found["FROM"])


def test_the_image_runs_commands_that_there_are() -> None:
    found = instructions()
    begins, check = json.loads(found["CMD"]), json.loads(found["HEALTHCHECK"].partition("CMD ")[2])

    assert json.loads(found["ENTRYPOINT"]) == ["postroom"]
    assert (begun := parse(begins)) is not None
    assert begun.command == "up"
    assert check[0] == "postroom"
    assert (checked := parse(check[1:])) is not None
    assert checked.command == "status"


def test_the_variables_of_the_image_are_settings_with_which_the_daemon_begins(tmp_path: Path) -> None:
    variables = dict(pair.split("=", 1) for pair in instructions()["ENV"].split())
    ours = {name: value for name, value in variables.items() if name.startswith("POSTROOM_")}
    config = read_config(environ=ours, person_file=tmp_path / "none.toml")

    assert set(ours) <= {environment_name(key) for key in setting_keys()}
    refuse_unguarded(config.daemon)
    assert str(config.daemon.port) == instructions()["EXPOSE"]
    assert str(config.store) == instructions()["VOLUME"]


def test_systemd_takes_the_unit_where_there_is_one(tmp_path: Path) -> None:
    if shutil.which("systemd-analyze") is None:
        return
    program = tmp_path / ".local" / "bin" / "postroom"
    program.parent.mkdir(parents=True)
    program.symlink_to("/bin/true")
    done = subprocess.run(
        ["systemd-analyze", "verify", "--user", "--man=no", str(DEPLOY / "postroom.service")],
        env={**os.environ, "HOME": str(tmp_path), "XDG_RUNTIME_DIR": str(tmp_path)}, capture_output=True,
        text=True, check=False,
    )  # fmt: skip

    # What it says of the other units of the machine is not about ours.
    assert [line for line in done.stderr.splitlines() if "postroom.service" in line] == []
    assert done.returncode == 0
