"""Every setting of a process, in one frozen tree that is read once.

Command line, environment and the person's file become layers of located settings (see
`postroom.profiles.located`); a team folder lies between the last two and is laid there when it is
read. Nothing here imports pydantic: `postroom --help` and `postroom ps` read settings too (see
`docs/why/0011-settings-without-a-settings-library.md`).
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Final

from postroom.domain.ask import ApprovalMode
from postroom.domain.policy import Policy
from postroom.llm.assumed import Price
from postroom.llm.keys import ProviderSettings
from postroom.llm.port import ModelSettings
from postroom.llm.vendors import VENDORS
from postroom.profiles.aliases import ALIASES, OWN_KEYS, without_aliases
from postroom.profiles.budget import read_assumed_price
from postroom.profiles.daemon_settings import DAEMON_KEYS, DaemonSettings, read_daemon
from postroom.profiles.fields import Fields
from postroom.profiles.hook_settings import PersonHooks, read_hooks, read_plugins
from postroom.profiles.located import Problem, Setting, empty_table, merge, near, nearest, refuse
from postroom.profiles.model_defaults import ModelDefaults, read_model_defaults
from postroom.profiles.places import PERSON_FILE, config_folder, data_folder
from postroom.profiles.policy import policy_fields, read_policy
from postroom.profiles.retention_settings import RetentionSettings, read_retention
from postroom.profiles.rights import PURPOSES, read_ceiling, read_rights
from postroom.surfaces.presets import DEFAULT_POLICY

PREFIX: Final = "POSTROOM_"
ENVIRONMENT: Final = "environment"
COMMAND_LINE: Final = "command line"
LEVELS: Final = ("debug", "info", "warning", "error")
_TEAM_TABLES: Final = frozenset(("model", "policy", "permissions", "mode", "side_calls", "budget"))
_MEBIBYTE: Final = 1024 * 1024
_WORKERS_MOST: Final = 10_000
_LIKELY_SLIP: Final = 0.65
# Read where the vendor's address is looked up; here they only must not pass for slips.
_VENDOR_VARIABLES: Final = frozenset(name for vendor in VENDORS.values() for name in vendor.url_names)


@dataclass(frozen=True, slots=True, kw_only=True)
class LogSettings:
    """`[log]`: the log files under the store's folder. They hold no bodies and no keys."""

    level: str = "info"
    """The least important entries that are written: debug, info, warning or error."""
    file_bytes_max: int = 5 * _MEBIBYTE
    """Size in bytes at which a new file is begun."""
    files_kept: int = 3
    """Full files that are kept beside the one being written."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MirrorSettings:
    """`[mirror]`: events of the bus as lines of JSON under the store's folder. They hold texts."""

    enabled: bool = False
    """Whether they are written. The store has everything without them."""
    file_bytes_max: int = 5 * _MEBIBYTE
    """Size in bytes at which a file becomes `.1` and a new one is begun."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OtelSettings:
    """`[otel]`: what agents do as OpenTelemetry traces. They hold no texts; needs the extra `otel`."""

    enabled: bool = False
    """Whether they are sent. Where to, the `OTEL_` variables of the environment say."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """What this process was told. A team's own settings are in its `Team`, not here."""

    store: Path
    """The folder of the store: database, control door and logs."""
    model: ModelDefaults = field(default_factory=ModelDefaults)
    """`[model]`: the model of profiles that name none."""
    policy: Policy = DEFAULT_POLICY
    """`[policy]`: the limits of sessions made without a team."""
    assume_price: Price | None = None
    """`[budget] assume_price`: what a million tokens of a model without a known price count as, in dollars:
    one number, or `"IN/OUT"` for request and answer. Without it a budget of money refuses such a model."""
    log: LogSettings = field(default_factory=LogSettings)
    """`[log]`: what is logged and how much of it is kept."""
    mirror: MirrorSettings = field(default_factory=MirrorSettings)
    """`[mirror]`: events of the bus as lines of JSON."""
    retention: RetentionSettings = field(default_factory=RetentionSettings)
    """`[retention]`: what is removed by itself, and when."""
    otel: OtelSettings = field(default_factory=OtelSettings)
    """`[otel]`: traces for a collector."""
    daemon: DaemonSettings = field(default_factory=DaemonSettings)
    """`[daemon]`: the HTTP API and the page."""
    mode: ApprovalMode = ApprovalMode.ASK
    """Who decides what agents ask in a new session: `ask` (the person), `yolo` (everything is approved),
    `auto_approve` (a model; what it does not approve goes to the person), `auto_approve_n` (what it does not
    approve is denied), `auto_approve_y` (it is approved once all the same)."""
    task_workers: int | None = None
    """Turns of this process that run at once in sessions which share its slots, as the policy of `branch`
    does; what the person's own text opens is not counted. None: as many as `policy.concurrency` says."""
    side_calls: Mapping[str, str] = field(default_factory=dict[str, str])
    """`[side_calls.PURPOSE] model`: `PROVIDER:MODEL` by purpose; the agent's own where none is named."""
    providers: Mapping[str, ProviderSettings] = field(default_factory=dict[str, ProviderSettings])
    """`[providers.NAME]`: where a vendor's key and its address come from. A team folder cannot say: it
    could send a person's key elsewhere."""
    hooks: PersonHooks = field(default_factory=PersonHooks)
    """`[hooks.NAME]` and `[plugins.NAME]`: code that looks on at the agents of every team."""
    under_team: Setting = field(default_factory=lambda: empty_table(PERSON_FILE))
    """The layer that a team folder covers: hand it to `load_team` as `under`."""
    over_team: Setting = field(default_factory=lambda: empty_table(ENVIRONMENT))
    """The layers that cover a team folder: hand them to `load_team` as `over`."""


def read_config(
    *,
    environ: Mapping[str, str],
    command_line: Mapping[str, str] | None = None,
    person_file: Path | None = None,
) -> Config:
    """The settings of this process.

    `command_line` maps dotted keys (`store`, `model.name`, `policy.rounds_max`) to what was typed.
    The person's file may be missing. Raises `ConfigFault` that names place and key of the first
    unknown or wrong setting.
    """
    problems: list[Problem] = []
    person = _person_layer(person_file or default_person_file(), problems)
    over = merge(_environment_layer(environ, problems), _command_line_layer(command_line or {}, problems))
    config = _config(merge(person, over), problems)
    refuse(problems)
    return replace(config, under_team=_for_teams(person), over_team=_for_teams(over))


def read_layer_under_teams(person_file: Path) -> Setting:
    """What a person's file says to teams now. Raises `ConfigFault` for a file that cannot be read."""
    problems: list[Problem] = []
    layer = _person_layer(person_file, problems)
    refuse(problems)
    return _for_teams(layer)


def default_person_file() -> Path:
    """Where the platform keeps a person's settings."""
    return config_folder() / PERSON_FILE


def default_store() -> Path:
    """Where the platform keeps a person's data."""
    return data_folder()


def setting_keys() -> tuple[str, ...]:
    """Every dotted key that the command line, the environment and the person's file know."""
    model = [entry.name for entry in fields(ModelSettings)]
    return (
        "store",
        "mode",
        "task_workers",
        *(f"model.{name}" for name in ("name", *model, "retry_for_s", "idle_s")),
        *(f"policy.{entry.name}" for entry in policy_fields()),
        *OWN_KEYS,
        *(f"side_calls.{purpose}.model" for purpose in PURPOSES),
        *(f"log.{entry.name}" for entry in fields(LogSettings)),
        *(f"mirror.{entry.name}" for entry in fields(MirrorSettings)),
        *(f"retention.{entry.name}" for entry in fields(RetentionSettings)),
        *(f"otel.{entry.name}" for entry in fields(OtelSettings)),
        *DAEMON_KEYS,
        *(f"providers.{vendor}.{entry.name}" for vendor in VENDORS for entry in fields(ProviderSettings)),
    )


def known_keys() -> tuple[str, ...]:
    """The same, and every name that other systems have for one of them."""
    return (*setting_keys(), *ALIASES)


def environment_name(key: str) -> str:
    """`model.name` → `POSTROOM_MODEL_NAME`."""
    return PREFIX + key.replace(".", "_").upper()


def _config(layers: Setting, problems: list[Problem]) -> Config:
    root = Fields(layers, problems)
    rights = read_rights(root)
    read_ceiling(layers, problems, None)  # a team reads it layer by layer; here only mistakes count
    config = Config(
        store=_store(root),
        model=read_model_defaults(root.fields("model", kind="[model] key")),
        policy=read_policy(DEFAULT_POLICY, root.fields("policy", kind="[policy] key")),
        log=_log(root.fields("log", kind="[log] key")),
        assume_price=read_assumed_price(root.fields("budget", kind="[budget] key")),
        mirror=_mirror(root.fields("mirror", kind="[mirror] key")),
        retention=read_retention(root.fields("retention", kind="[retention] key")),
        otel=_otel(root.fields("otel", kind="[otel] key")),
        daemon=read_daemon(root.fields("daemon", kind="[daemon] key")),
        mode=rights.mode,
        task_workers=root.integer("task_workers", least=1, most=_WORKERS_MOST),
        side_calls=rights.side_calls,
        providers=_providers(root.fields("providers", kind="provider")),
        hooks=PersonHooks(
            hooks=read_hooks(root.fields("hooks", kind="hook")),
            plugins=read_plugins(root.fields("plugins", kind="plugin")),
        ),
    )
    root.close()
    return config


def _store(root: Fields) -> Path:
    return _path(root, "store") or default_store()


def _path(table: Fields, key: str) -> Path | None:
    text, setting = table.text(key), table.setting(key)
    return None if not text or setting is None else table.path(text, setting)


def _log(table: Fields) -> LogSettings:
    defaults = LogSettings()
    level, setting = table.text("level"), table.setting("level")
    if level is not None and setting is not None and level not in LEVELS:
        table.complain(setting, f"`{level}` is no level", near(level, LEVELS))
    size = table.integer("file_bytes_max", least=4096, most=1024 * _MEBIBYTE)
    kept = table.integer("files_kept", least=0, most=1000)
    table.close()
    return LogSettings(
        level=level or defaults.level,
        file_bytes_max=defaults.file_bytes_max if size is None else size,
        files_kept=defaults.files_kept if kept is None else kept,
    )


def _mirror(table: Fields) -> MirrorSettings:
    enabled, size = table.truth("enabled"), table.integer("file_bytes_max", least=4096, most=1024 * _MEBIBYTE)
    table.close()
    defaults = MirrorSettings()
    return MirrorSettings(
        enabled=defaults.enabled if enabled is None else enabled,
        file_bytes_max=defaults.file_bytes_max if size is None else size,
    )


def _otel(table: Fields) -> OtelSettings:
    enabled = table.truth("enabled")
    table.close()
    return OtelSettings() if enabled is None else OtelSettings(enabled=enabled)


def _providers(table: Fields) -> dict[str, ProviderSettings]:
    found: dict[str, ProviderSettings] = {}
    for vendor in VENDORS:
        own = table.fields(vendor, kind=f"[providers.{vendor}] key")
        base_url, key_file = own.text("base_url"), _path(own, "api_key_file")
        found[vendor] = ProviderSettings(base_url=base_url or "", api_key_file=str(key_file or ""))
        own.close()
    table.close()
    return found


def _person_layer(file: Path, problems: list[Problem]) -> Setting:
    if not file.exists():
        return empty_table(str(file))
    from postroom.profiles.toml import read_toml  # noqa: PLC0415 - most people have no such file

    settings = read_toml(file, str(file))
    if isinstance(settings, Problem):
        problems.append(settings)
        return empty_table(str(file))
    return without_aliases(settings, problems)


def _environment_layer(environ: Mapping[str, str], problems: list[Problem]) -> Setting:
    known = {environment_name(key): key for key in known_keys()}
    layer = empty_table(ENVIRONMENT)
    for name, value in environ.items():
        if name in known and value:
            layer = merge(layer, _branch(ENVIRONMENT, name, known[name], value))
        elif name.startswith(PREFIX) and name not in known and name not in _VENDOR_VARIABLES:
            problems.extend(_slips(name, known))
    return without_aliases(layer, problems)


def _slips(name: str, known: Iterable[str]) -> list[Problem]:
    """Other programs may use the prefix; a name that is nearly one of ours is a slip."""
    word, words = name.removeprefix(PREFIX), [other.removeprefix(PREFIX) for other in known]
    begun = next((other for other in words if other.startswith(f"{word}_")), None)
    close = begun or nearest(word, words, _LIKELY_SLIP)
    if close is None:
        return []
    found = Setting(file=ENVIRONMENT, line=0, key=name)
    return [found.problem("unknown variable", f"did you mean {PREFIX}{close}?")]


def _command_line_layer(command_line: Mapping[str, str], problems: list[Problem]) -> Setting:
    layer = empty_table(COMMAND_LINE)
    for key, value in command_line.items():
        if key in known_keys():
            layer = merge(layer, _branch(COMMAND_LINE, key, key, value))
        else:
            found = Setting(file=COMMAND_LINE, line=0, key=key)
            problems.append(found.problem("unknown setting", near(key, known_keys())))
    return without_aliases(layer, problems)


def _branch(file: str, shown: str, key: str, value: str) -> Setting:
    """A tree with one leaf: `model.name` under `model` under the root."""
    setting = Setting(file=file, line=0, key=shown, value=value, words=True)
    for part in reversed(key.split(".")):
        setting = Setting(file=file, line=0, key="", table={part: setting})
    return setting


def _for_teams(layer: Setting) -> Setting:
    table = {key: found for key, found in (layer.table or {}).items() if key in _TEAM_TABLES}
    return replace(layer, table=table)
