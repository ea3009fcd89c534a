"""Settings: four layers, one frozen tree, and no unknown key that nobody hears of."""

import subprocess
import sys
from pathlib import Path

import pytest

from postroom.config import (
    Config,
    LogSettings,
    MirrorSettings,
    default_person_file,
    default_store,
    environment_name,
    read_config,
    setting_keys,
)
from postroom.domain.ask import ApprovalMode
from postroom.errors import ConfigFault
from postroom.llm.vendors import VENDORS
from postroom.profiles.team import init_team, load_team

MODEL = '[model]\nname = "openai:file"\nretry_for_s = 1\n'


def config(
    tmp_path: Path,
    *,
    file: str | None = None,
    environ: dict[str, str] | None = None,
    command_line: dict[str, str] | None = None,
) -> Config:
    person = tmp_path / "config.toml"
    if file is not None:
        person.write_text(file, encoding="utf-8")
    return read_config(environ=environ or {}, command_line=command_line, person_file=person)


def test_without_any_setting_there_are_defaults(tmp_path: Path) -> None:
    found = config(tmp_path)

    assert found.store == default_store()
    assert found.log == LogSettings()
    assert found.model.name is None
    assert found.policy.mailbox_cap == 32


def test_the_places_of_the_platform_are_folders_of_our_own() -> None:
    assert default_store().name == "postroom"
    assert default_person_file().parts[-2:] == ("postroom", "config.toml")


def test_the_command_line_counts_before_the_environment_before_the_file(tmp_path: Path) -> None:
    file = MODEL + "[policy]\nrounds_max = 1\nmailbox_cap = 1\ndepth_max = 1\n"
    environ = {"POSTROOM_POLICY_ROUNDS_MAX": "2", "POSTROOM_POLICY_MAILBOX_CAP": "2"}

    found = config(tmp_path, file=file, environ=environ, command_line={"policy.rounds_max": "3"})

    policy = found.policy
    assert (policy.rounds_max, policy.mailbox_cap, policy.depth_max) == (3, 2, 1)


def test_a_team_lies_between_the_environment_and_the_file(tmp_path: Path) -> None:
    init_team(tmp_path / "team")
    toml = tmp_path / "team" / "postroom.toml"
    toml.write_text(toml.read_text(encoding="utf-8") + "[policy]\nrounds_max = 2\ndepth_max = 2\n")
    file = 'store = "x"\n' + MODEL + "[policy]\nrounds_max = 1\nmailbox_cap = 1\n"

    found = config(tmp_path, file=file, environ={"POSTROOM_POLICY_DEPTH_MAX": "3"})
    team = load_team(tmp_path / "team", under=found.under_team, over=found.over_team)

    policy = team.policy
    assert (policy.depth_max, policy.rounds_max, policy.mailbox_cap) == (3, 2, 1)
    assert team.model.retry_for_s == 1


@pytest.mark.parametrize(
    ("environ", "command_line", "store"),
    [
        ({}, {}, "{tmp}/in-file"),
        ({"POSTROOM_STORE": "/env"}, {}, "/env"),
        ({"POSTROOM_STORE": "/env"}, {"store": "/typed"}, "/typed"),
        ({"POSTROOM_STORE": ""}, {}, "{tmp}/in-file"),
        ({}, {"store": "typed"}, "{cwd}/typed"),
        ({}, {"store": "~/typed"}, "{home}/typed"),
    ],
)
def test_the_store_is_found(
    tmp_path: Path, environ: dict[str, str], command_line: dict[str, str], store: str
) -> None:
    found = config(tmp_path, file='store = "in-file"\n', environ=environ, command_line=command_line)

    assert found.store == Path(store.format(tmp=tmp_path, cwd=Path.cwd(), home=Path.home()))


def test_the_key_file_of_a_vendor_is_relative_to_the_file_that_names_it(tmp_path: Path) -> None:
    found = config(tmp_path, file='[providers.google]\napi_key_file = "google.key"\n')

    assert found.providers["google"].api_key_file == str(tmp_path / "google.key")
    assert found.providers["openai"].api_key_file == ""


def test_the_variables_of_vendors_pass_for_no_slips(tmp_path: Path) -> None:
    names = [name for vendor in VENDORS.values() for name in vendor.url_names]

    assert config(tmp_path, environ=dict.fromkeys(names, "http://127.0.0.1")).providers


def test_every_key_can_be_set_in_the_environment(tmp_path: Path) -> None:
    words = {"store": "/s", "model.name": "a:b", "policy.messaging_enabled": "no", "log.level": "debug"}
    words |= {"mode": "yolo", "policy.unattended_sends": "hold"}
    words |= {key: "c:d" for key in setting_keys() if key.startswith("side_calls.")}
    environ = {environment_name(key): words.get(key, "1") for key in setting_keys()}
    environ["POSTROOM_LOG_FILE_BYTES_MAX"] = environ["POSTROOM_MIRROR_FILE_BYTES_MAX"] = "5000"
    environ |= dict.fromkeys(
        ("POSTROOM_POLICY_RENDERED_CHARS_MAX", "POSTROOM_POLICY_RESULT_CHARS_MAX"), "300"
    )
    environ |= {"POSTROOM_DAEMON_BEHIND_PROXY": "10.0.0.0/8, ::1", "POSTROOM_RETENTION_CONSUMED_AFTER": "30d"}
    environ |= {"POSTROOM_DAEMON_REQUEST_BYTES_MAX": "5000", "POSTROOM_DAEMON_PUBLIC_NAMES": "one, two"}

    found = config(tmp_path, environ=environ)

    assert (found.store, found.model.name, found.model.retry_for_s) == (Path("/s"), "a:b", 1.0)
    assert (found.model.settings.max_tokens, found.model.settings.temperature) == (1, 1.0)
    assert (found.policy.messaging_enabled, found.policy.rounds_max) == (False, 1)
    assert found.log == LogSettings(level="debug", file_bytes_max=5000, files_kept=1)
    assert found.mirror == MirrorSettings(enabled=True, file_bytes_max=5000)
    assert (found.daemon.port, found.daemon.public_names) == (1, ("one", "two"))
    assert (found.daemon.request_bytes_max, found.daemon.has_tls) == (5000, True)
    assert (found.mode, set(found.side_calls.values())) == (ApprovalMode.YOLO, {"c:d"})


@pytest.mark.parametrize(
    ("file", "complaint"),
    [
        ("stor = 1", "config.toml:1: stor: unknown key `stor` (did you mean store?)"),
        ('entry = "a"', ":1: entry: unknown key `entry`"),
        ("store = 1", ":1: store: must be text, not a number"),
        ("[permissions]\nshel = 'ask'", ":2: permissions.shel: unknown action `shel` (did you mean shell?)"),
        ("\n[permissions.write]\n'a/*' = 'no'", ":3: permissions.write.a/*: `no` is no effect"),
        ("[side_calls.reviews]\nmodel = 'a:b'", ":1: side_calls.reviews: unknown side call `reviews`"),
        (
            "[side_calls.review]\nmodel = 'a:b'",
            ":2: side_calls.review.model: unknown [side_calls.review] key",
        ),
        ("[side_calls.review]\nmodels = 'a:b'", ":2: side_calls.review.models: must be a list of names"),
        ("[side_calls.review]\nmodels = ['a']", ":2: side_calls.review.models: `a` is no model"),
        ("[permissions]\nnever_auto_approve = 'shell'", ":2: permissions.never_auto_approve: must be a list"),
        ("[side_calls.classification]\nmodel = 'b'", ":2: side_calls.classification.model: `b` is no model"),
        ('\n[log]\nlevel = "inf"', ":3: log.level: `inf` is no level (did you mean info?)"),
        ("[log]\nlvl = 1", ":2: log.lvl: unknown [log] key `lvl`"),
        ("[log]\nfiles_kept = -1", ":2: log.files_kept: -1 is out of range"),
        ("[daemon]\nbehind_proxy = ['*']", ":2: daemon.behind_proxy: `*` is no address"),
        ("[daemon]\nbehind_proxy = ['0.0.0.0/0']", ":2: daemon.behind_proxy: `0.0.0.0/0` is no address"),
        ("[model]\nmax_tokens = 0", ":2: model.max_tokens: 0 is out of range"),
        ("[messaging]\nmax_hopps = 0", ":2: messaging.max_hopps: unknown [messaging] key"),
        ("store", ":1: is not TOML"),
    ],
)
def test_a_wrong_setting_of_the_file_is_named_with_its_line(
    tmp_path: Path, file: str, complaint: str
) -> None:
    with pytest.raises(ConfigFault) as refused:
        config(tmp_path, file=file)

    assert complaint in str(refused.value)


@pytest.mark.parametrize(
    ("environ", "command_line", "complaint"),
    [
        ({"POSTROOM_STROE": "x"}, {}, "POSTROOM_STROE: unknown variable (did you mean POSTROOM_STORE?)"),
        ({"POSTROOM_MODEL": "x:y"}, {}, "did you mean POSTROOM_MODEL_NAME?"),
        ({"POSTROOM_POLICY_ROUNDS_MAX": "x"}, {}, "POSTROOM_POLICY_ROUNDS_MAX: must be a whole number"),
        ({"POSTROOM_MODEL_RETRY_FOR_S": "x"}, {}, "POSTROOM_MODEL_RETRY_FOR_S: must be a number"),
        ({"POSTROOM_POLICY_MESSAGING_ENABLED": "x"}, {}, "must be true or false"),
        ({"POSTROOM_TASK_WORKERS": "many"}, {}, "POSTROOM_TASK_WORKERS: must be a whole number"),
        ({"POSTROOM_TASK_WORKERS": "0"}, {}, "POSTROOM_TASK_WORKERS: 0 is out of range (from 1"),
        ({"POSTROOM_MODE": "yoyo"}, {}, "POSTROOM_MODE: there is no mode `yoyo` (did you mean yolo?"),
        (
            {},
            {"policy.round_max": "1"},
            "policy.round_max: unknown setting (did you mean policy.rounds_max",
        ),
        ({}, {"policy.rounds_max": "0"}, "command line: policy.rounds_max: 0 is out of range"),
    ],
)
def test_a_wrong_word_names_the_variable_or_the_option(
    tmp_path: Path, environ: dict[str, str], command_line: dict[str, str], complaint: str
) -> None:
    with pytest.raises(ConfigFault) as refused:
        config(tmp_path, environ=environ, command_line=command_line)

    assert complaint in str(refused.value)


def test_the_slots_of_the_process_are_a_number_of_its_own(tmp_path: Path) -> None:
    assert config(tmp_path).task_workers is None
    assert config(tmp_path, environ={"POSTROOM_TASK_WORKERS": "2"}).task_workers == 2


def test_variables_of_others_are_left_alone(tmp_path: Path) -> None:
    assert config(tmp_path, environ={"POSTROOM_FAULT": "x", "POSTROOM_BENCH_RUNS": "3", "PATH": "/"})


def test_reading_settings_loads_neither_pydantic_nor_yaml() -> None:
    """The start of a command has a budget (issue 2, Speed)."""
    program = (
        "import sys, pathlib, postroom.config as c;"
        "c.read_config(environ={}, person_file=pathlib.Path('nowhere'));"
        "print([m for m in ('pydantic', 'pydantic_settings', 'yaml', 'asyncio') if m in sys.modules])"
    )

    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "[]"
