"""The team folder: `postroom.toml`, `agents/*.md`, and `scripts/*.yaml` for `scripted:` models."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from postroom.domain.ask import ApprovalMode
from postroom.domain.policy import Policy
from postroom.errors import ConfigFault
from postroom.llm.assumed import Price
from postroom.llm.script_file import load_script
from postroom.profiles.aliases import without_aliases
from postroom.profiles.budget import read_assumed_price
from postroom.profiles.example import init_team
from postroom.profiles.fields import Fields
from postroom.profiles.front_matter import Document, read_document
from postroom.profiles.load import Known, claimed_name, read_profile
from postroom.profiles.located import Problem, Setting, empty_table, merge, near, refuse
from postroom.profiles.model_defaults import PROVIDERS, ModelDefaults, read_model_defaults
from postroom.profiles.policy import read_policy
from postroom.profiles.profile import Profile
from postroom.profiles.rights import read_ceiling, read_rights
from postroom.profiles.rings import ring_problems
from postroom.profiles.stamp import FolderStamp, folder_stamp
from postroom.profiles.toml import read_toml
from postroom.profiles.tool_settings import ToolSettings, read_tool_settings
from postroom.rules.permissions import Rule
from postroom.surfaces.presets import PRESETS

__all__ = [
    "SETTINGS_FILE",
    "Problem",
    "Team",
    "check_team",
    "init_team",
    "is_team_folder",
    "load_team",
    "read_team_policy",
    "script_file",
    "team_stamp",
]

SETTINGS_FILE: Final = "postroom.toml"
AGENTS_FOLDER: Final = "agents"
SCRIPTS_FOLDER: Final = "scripts"
SCRIPTED: Final = "scripted:"
SURFACES: Final = tuple(PRESETS)
_NOTHING: Final = empty_table("")


@dataclass(frozen=True, slots=True, kw_only=True)
class Team:
    """A team folder, read and checked: every name in it leads somewhere."""

    name: str
    """The folder's name."""
    path: Path
    """The folder."""
    entry: str
    """The profile that the person's text goes to."""
    surface: str
    """The set of tools and words of its sessions."""
    profiles: Mapping[str, Profile]
    """By name, in the order of the file names."""
    policy: Policy
    """The surface's preset with the overrides of all layers."""
    model: ModelDefaults
    """What profiles share that do not say otherwise."""
    tooling: ToolSettings = field(default_factory=ToolSettings)
    """Shell, servers and groups of tools."""
    ceilings: tuple[tuple[Rule, ...], ...] = ()
    """The person's rules for every agent, one tuple for each layer of settings that has some: they narrow
    what profiles say and never widen it, and no layer softens another."""
    mode: ApprovalMode = ApprovalMode.ASK
    """Who decides the asks of a new session."""
    side_calls: Mapping[str, str] = field(default_factory=dict[str, str])
    """Models of side calls by purpose; the agent's own where none is named."""
    reviewers: tuple[str, ...] = ()
    """The models that review calls; none: the agent's own does."""
    never_auto_approve: frozenset[str] = frozenset()
    """Actions and tools for which only the person gives leave."""
    assume_price: Price | None = None
    """What tokens of a model without a known price count as."""
    stamp: FolderStamp = field(default=(), compare=False, repr=False)
    """How its files looked right before they were read."""

    @property
    def models(self) -> tuple[str, ...]:
        """Every model that the team asks, those of side calls last; some perhaps twice."""
        own = (profile.model for profile in self.profiles.values())
        return (*own, *self.side_calls.values(), *self.reviewers)


def load_team(
    path: Path,
    *,
    under: Setting = _NOTHING,
    over: Setting = _NOTHING,
    known_tools: Collection[str] | None = None,
) -> Team:
    """The team of a folder. Raises `ConfigFault` that names file, line and key of the first problem.

    `under` and `over` are the layers of settings that count less and more than the folder's own.
    With `known_tools`, a profile that names another tool or group is a problem.
    """
    problems: list[Problem] = []
    team = _read_team(path, (under, over), Known(tools=known_tools), problems)
    refuse(problems, where_to_see_all=f"postroom check {path}")
    return team


def read_team_policy(path: Path, *, under: Setting = _NOTHING, over: Setting = _NOTHING) -> Policy:
    """Only the policy of a team folder, which its agents have no part in. Raises `ConfigFault`."""
    problems: list[Problem] = []
    root = Fields(_merged(_read_settings(path / SETTINGS_FILE, problems), under, over), problems)
    policy = _policy(root, _surface(root))
    refuse(problems, where_to_see_all=f"postroom check {path}")
    return policy


def check_team(
    path: Path,
    *,
    under: Setting = _NOTHING,
    over: Setting = _NOTHING,
    known_tools: Collection[str] | None = None,
) -> tuple[Problem, ...]:
    """Everything that is wrong with a team folder, by file and line; nothing if it can run."""
    problems: list[Problem] = []
    known = Known(tools=known_tools, providers=PROVIDERS)
    _read_team(path, (under, over), known, problems)
    return tuple(sorted(problems, key=lambda found: (found.file, found.line, found.key)))


def is_team_folder(path: Path) -> bool:
    """Whether a folder looks like that of a team, whatever is wrong in it."""
    return (path / SETTINGS_FILE).is_file() or (path / AGENTS_FOLDER).is_dir()


def team_stamp(path: Path) -> FolderStamp:
    """How the files that make a team look now: other ones than a team's own `stamp` say that it changed."""
    return folder_stamp(path, SETTINGS_FILE, f"{AGENTS_FOLDER}/*.md", f"{SCRIPTS_FOLDER}/*.yaml")


def script_file(team_path: Path, model: str) -> Path | None:
    """The script of a `scripted:NAME` model; `None` for any other model."""
    if not model.startswith(SCRIPTED):
        return None
    return team_path / SCRIPTS_FOLDER / f"{model.removeprefix(SCRIPTED)}.yaml"


def _read_team(path: Path, layers: tuple[Setting, Setting], known: Known, problems: list[Problem]) -> Team:
    stamp = team_stamp(path)
    own = _read_settings(path / SETTINGS_FILE, problems)
    under, over = layers
    root = Fields(_merged(own, under, over), problems)
    model = read_model_defaults(root.fields("model", kind="[model] key"), known.providers)
    surface = _surface(root)
    policy = _policy(root, surface)
    tooling = read_tool_settings(root)
    profiles = _read_profiles(path / AGENTS_FOLDER, model, known, problems, rings=policy.rings)
    rights = read_rights(root, known.providers)
    ceilings = (
        read_ceiling(under, problems, None), read_ceiling(own, problems, profiles),
        read_ceiling(over, problems, None),
    )  # fmt: skip
    team = Team(
        name=path.resolve().name,
        path=path,
        entry=_entry(root, profiles),
        surface=surface,
        profiles=profiles,
        policy=policy,
        model=model,
        tooling=tooling,
        ceilings=tuple(ceiling.rules for ceiling in ceilings if ceiling.rules),
        never_auto_approve=frozenset(name for ceiling in ceilings for name in ceiling.never_auto_approve),
        mode=rights.mode,
        side_calls=rights.side_calls,
        reviewers=rights.reviewers,
        assume_price=read_assumed_price(root.fields("budget", kind="[budget] key")),
        stamp=stamp,
    )
    root.close()
    problems.extend(_script_problems(team))
    return team


def _read_settings(file: Path, problems: list[Problem]) -> Setting:
    settings = read_toml(file, str(file))
    if isinstance(settings, Problem):
        problems.append(settings)
        return empty_table(str(file))
    return without_aliases(settings, problems)


def _merged(own: Setting, under: Setting, over: Setting) -> Setting:
    return replace(merge(merge(under, own), over), file=own.file, line=0)


def _policy(root: Fields, surface: str) -> Policy:
    preset = PRESETS.get(surface, PRESETS[SURFACES[0]])
    return read_policy(preset, root.fields("policy", kind="[policy] key"))


def _surface(root: Fields) -> str:
    surface, setting = root.text("surface"), root.setting("surface")
    if surface is not None and setting is not None and surface not in SURFACES:
        root.complain(setting, f"there is no surface `{surface}`", near(surface, SURFACES))
    return surface or SURFACES[0]


def _read_profiles(
    folder: Path,
    defaults: ModelDefaults,
    known: Known,
    problems: list[Problem],
    *,
    rings: bool,
) -> dict[str, Profile]:
    files = sorted(folder.glob("*.md"))
    if not files:
        message, remedy = "has no agents", f"write one as {folder}/NAME.md"
        problems.append(Problem(file=str(folder), line=0, key="", message=message, remedy=remedy))
    documents = [(file, read_document(file, str(file))) for file in files]
    readable = [(file, found) for file, found in documents if isinstance(found, Document)]
    for _, found in documents:
        if not isinstance(found, Document):
            problems.extend(found)
    names = {name for _, found in readable if (name := claimed_name(found))}
    problems.extend(_doubled_names([found for _, found in readable]))
    all_known = replace(known, agents=names)
    if not rings:
        problems.extend(ring_problems([found for _, found in readable]))
    read = [read_profile(found, file, defaults, all_known, problems) for file, found in readable]
    return {profile.name: profile for profile in read if profile.name}


def _doubled_names(documents: Iterable[Document]) -> Iterator[Problem]:
    """Names that differ in case only would be one name to a person."""
    first: dict[str, str] = {}
    for document in documents:
        name, settings = claimed_name(document), document.settings.table or {}
        if name is None:
            continue
        other = first.setdefault(name.casefold(), document.settings.file)
        if other != document.settings.file:
            message = f"`{name}` is the name of another agent too, see {other}"
            yield settings["name"].problem(message, "rename one of them")


def _entry(root: Fields, profiles: Mapping[str, Profile]) -> str:
    if len(profiles) == 1 and root.setting("entry") is None:
        return next(iter(profiles))
    root.require("entry", 'name the agent that gets the task: entry = "NAME"')
    entry, setting = root.text("entry"), root.setting("entry")
    if entry is not None and setting is not None and entry not in profiles:
        root.complain(setting, f"the team has no agent `{entry}`", near(entry, profiles))
    return entry or ""


def _script_problems(team: Team) -> Iterator[Problem]:
    """A script is shared by the agents that name it, and read once."""
    files = (script_file(team.path, model) for model in team.models)
    for file in dict.fromkeys(file for file in files if file is not None):
        try:
            load_script(file)
        except ConfigFault as fault:
            yield _as_problem(file, fault)


def _as_problem(file: Path, fault: ConfigFault) -> Problem:
    """The script's own complaint, `FILE:LINE: what`, with its line as a number."""
    rest = fault.message.removeprefix(f"{file}:")
    line, colon, message = rest.partition(":")
    numbered = bool(colon) and line.isdecimal()
    return Problem(
        file=str(file),
        line=int(line) if numbered else 0,
        key="",
        message=(message if numbered else rest).strip(),
        remedy=fault.remedy,
    )
