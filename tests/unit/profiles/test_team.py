"""Team folders: their settings, what their agents may name, and the example that `init` writes."""

from pathlib import Path

import pytest

from postroom.clock import SystemClock
from postroom.errors import ConfigFault
from postroom.llm.provider import model_for
from postroom.profiles.example import example_names
from postroom.profiles.located import Setting
from postroom.profiles.model_defaults import PROVIDERS, ModelDefaults
from postroom.profiles.team import check_team, init_team, load_team, script_file
from postroom.surfaces.presets import PRESETS
from tests.unit.profiles.folder import agent, complaints, only_problem, team_folder, write


def test_a_small_folder_is_a_team(tmp_path: Path) -> None:
    team = load_team(team_folder(tmp_path))

    assert (team.name, team.path, team.entry) == (tmp_path.name, tmp_path, "a")
    assert list(team.profiles) == ["a", "b"]
    assert team.policy == PRESETS["team"]
    assert team.model == ModelDefaults()


def test_the_only_agent_is_the_entry(tmp_path: Path) -> None:
    write(tmp_path / "postroom.toml", "")
    write(tmp_path / "agents" / "x.md", agent("x"))

    assert load_team(tmp_path).entry == "x"


@pytest.mark.parametrize(
    ("settings", "field", "value"),
    [
        ("[policy]\nmailbox_cap = 3", "mailbox_cap", 3),
        ("[policy]\nmailbox_cap = 0", "mailbox_cap", 0),
        ('[policy]\nmailbox_cap = "off"', "mailbox_cap", None),
        ("policy.pair_window = 0", "pair_window", None),
        ("policy = { hops_max = -1 }", "hops_max", None),
        ("[policy]\nbody_bytes_max = 0", "body_bytes_max", 0),
        ("[policy]\nchain_turns_max = 0", "chain_turns_max", None),
        ("[agent]\nmax_spawn_depth = 2", "generations_max", 2),
        ("[agent]\nmax_messages = 0", "messages_max", None),
        ("[agent]\nmax_spawn_fanout = 3", "fan_out_max", 3),
        ("[agent.resource_limits]\nmax_total_tokens = 9", "tokens_max", 9),
        ("[agent.resource_limits]\nmax_cost_usd = 2", "cost_micros_max", 2_000_000),
        ("[budget]\nmax_tokens = 0", "tokens_max", None),
        ("[budget]\nmax_cost_usd = 0.5", "cost_micros_max", 500_000),
        ('[budget]\nmax_cost_usd = "off"', "cost_micros_max", None),
        ("[policy]\nmessaging_enabled = false", "messaging_enabled", False),
        ('surface = "branch"\n[policy]\nauto_names = false', "auto_names", False),
        ('[policy]\nunattended_sends = "hold"', "unattended_sends", "hold"),
        ("[messaging]\nenabled = false", "messaging_enabled", False),
        ("[messaging]\nmax_hops = 2", "hops_max", 2),
        ("[messaging]\nmax_hops = 0", "hops_max", None),
        ("[messaging]\nmax_body_bytes = 10", "body_bytes_max", 10),
        ("[messaging]\nmax_pending_per_session = 9", "mailbox_cap", 9),
        ("[messaging]\nmax_inflight_per_pair = 9", "pair_window", 9),
        ("[delegation]\nmax_depth = 1", "depth_max", 1),
        ("[delegation]\nmax_concurrency = 2", "concurrency", 2),
        ("[delegation]\nidle_eviction_after = 60", "idle_eviction_s", 60),
        ("[delegation]\nmax_resident_subagents = 3", "resident_subagents_max", 3),
    ],
)
def test_a_limit_is_overridden_by_its_name_or_by_that_of_a_source(
    tmp_path: Path, settings: str, field: str, value: object
) -> None:
    team = load_team(team_folder(tmp_path, settings=f'entry = "a"\n{settings}\n'))

    assert getattr(team.policy, field) == value


@pytest.mark.parametrize(
    ("settings", "complaint"),
    [
        ("entry = ", "postroom.toml:1: is not TOML: Invalid value"),
        ("", "postroom.toml: `entry` is missing (name the agent that gets the task"),
        ('\nentry = "aa"', "postroom.toml:2: entry: the team has no agent `aa` (did you mean a?)"),
        ("entry = 3", "postroom.toml:1: entry: must be text, not a number"),
        ('entry = "a"\nsurface = "tre"', ":2: surface: there is no surface `tre` (did you mean tree?)"),
        ('entry = "a"\nentri = "b"', ":2: entri: unknown key `entri` (did you mean entry?)"),
        ('entry = "a"\n[modell]', ":2: modell: unknown key `modell` (did you mean model?)"),
        ('entry = "a"\nmodel = "x"', ":2: model: must be a table, not text"),
        ('entry = "a"\n[model]\nname = "gpt"', ":3: model.name: `gpt` is no model (write PROVIDER:MODEL"),
        ('entry = "a"\n[model]\nnme = "x:y"', ":3: model.nme: unknown [model] key `nme` (did you mean"),
        ('entry = "a"\n[model]\nretry_for_s = -1', ":3: model.retry_for_s: -1.0 is out of range"),
        ('entry = "a"\n[policy]\nmailbox_cp = 1', ":3: policy.mailbox_cp: unknown [policy] key"),
        ('entry = "a"\n[policy]\nmailbox_cap = -1', ":3: policy.mailbox_cap: -1 is out of range"),
        ('entry = "a"\n[policy]\nmailbox_cap = "3"', ":3: policy.mailbox_cap: must be a whole number"),
        ('entry = "a"\n[policy]\nconcurrency = 0', ":3: policy.concurrency: 0 is out of range"),
        ('entry = "a"\n[policy]\nrounds_max = "off"', ":3: policy.rounds_max: must be a whole number"),
        ('entry = "a"\n[policy]\nsurface = "tree"', ":3: policy.surface: unknown [policy] key"),
        (
            'entry = "a"\n[policy]\nunattended_sends = "hol"',
            ":3: policy.unattended_sends: `hol` is none of its values (did you mean hold?)",
        ),
        ('entry = "a"\n[policy]\nunattended_sends = true', ":3: policy.unattended_sends: must be text"),
        ('entry = "a"\n[policy]\nbody_bytes_max = 9000000', "from 0 to 8388608"),
        ('entry = "a"\n[messaging]\nmax_hop = 1', ":3: messaging.max_hop: unknown [messaging] key"),
        ('entry = "a"\nmessaging = 1', ":2: messaging: unknown key `messaging`"),
        (
            'entry = "a"\n[messaging]\nmax_hops = 1\n[policy]\nhops_max = 1',
            ":3: messaging.max_hops: is the same setting as policy.hops_max (keep one)",
        ),
        ('entry = "a"\n[[policy]]\nx = 1', "policy: must be a table, not a list"),
        (
            'entry = "a"\n[agent]\nresource_limits = 1',
            ":3: agent.resource_limits: must be a table, not a number",
        ),
        ('entry = "a"\n[budget]\nmax_cost = 1', ":3: budget.max_cost: unknown [budget] key `max_cost`"),
        ('entry = "a"\n[budget]\nassume_price = []', ":3: budget.assume_price: is no price"),
        ('entry = "a"\n[budget]\nassume_price = "a/b"', ":3: budget.assume_price: is no price"),
        ("entry = 2026-01-01", ":1: entry: must be text, not a date or time"),
    ],
)
def test_a_wrong_setting_is_named_with_file_line_and_key(
    tmp_path: Path, settings: str, complaint: str
) -> None:
    found = complaints(team_folder(tmp_path, settings=settings + "\n"))

    assert any(complaint in line for line in found), found


def test_lines_are_right_behind_texts_of_many_lines(tmp_path: Path) -> None:
    first = 'entry = """\\\n  a"""\n# entri = 1\n\n[model] # [x]\n\n'
    second = "[policy]\n\"rounds_max\" = 5\nroundz = '''\n['''\n"

    found = only_problem(team_folder(tmp_path, settings=first + second))

    assert (found.line, found.key) == (9, "policy.roundz")


def test_a_folder_that_is_not_there_is_explained(tmp_path: Path) -> None:
    found = complaints(tmp_path / "nowhere")

    [line] = [line for line in found if "there is no such file" in line]
    assert "--team DIR" in line
    assert "postroom init DIR" in line


def test_all_problems_are_listed_and_the_fault_names_the_first(tmp_path: Path) -> None:
    folder = team_folder(tmp_path, settings='entry = "a"\nx = 1\n', b=agent("b", "y: 1\n"))

    assert len(check_team(folder)) == 2
    with pytest.raises(ConfigFault, match=r"agents/b\.md:5: y: unknown key `y`; 1 more, see `postroom ch"):
        load_team(folder)


@pytest.mark.parametrize("other", ["a", "A"])
def test_two_agents_of_one_name_are_refused(tmp_path: Path, other: str) -> None:
    found = only_problem(team_folder(tmp_path, b=agent(other)))

    assert found.file.endswith("b.md")
    assert found.key == "name"
    assert "name of another agent too" in found.message


def test_tools_are_checked_once_they_are_known(tmp_path: Path) -> None:
    folder = team_folder(tmp_path, a=agent("a", "tools: [serch, files]\n"))

    [found] = check_team(folder, known_tools={"search", "files"})

    assert (found.line, found.key) == (5, "tools")
    assert found.describe().endswith("there is no tool or group `serch` here (did you mean search?)")
    assert check_team(folder) == ()


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_provider_that_the_check_knows_is_one_that_models_are_made_of(provider: str) -> None:
    with pytest.raises(ConfigFault) as missing:
        model_for(f"{provider}:m", env={}, clock=SystemClock())

    assert "no model is called" not in missing.value.message


def test_a_program_may_bring_a_provider_of_its_own(tmp_path: Path) -> None:
    folder = team_folder(tmp_path, a=agent("a").replace("openai:m", "ours:m"))

    assert load_team(folder).profiles["a"].model == "ours:m"
    assert only_problem(folder).message == "there is no provider `ours`"


def layer(file: str, table: str, **settings: object) -> Setting:
    inner = {key: Setting(file=file, line=0, key=key, value=value) for key, value in settings.items()}
    return Setting(
        file=file, line=0, key="", table={table: Setting(file=file, line=0, key=table, table=inner)}
    )


def test_the_folder_lies_between_two_layers(tmp_path: Path) -> None:
    folder = team_folder(tmp_path, settings='entry = "a"\n[policy]\nrounds_max = 2\ndepth_max = 2\n')
    under = layer("person", "policy", rounds_max=1, mailbox_cap=1)
    over = layer("environment", "policy", depth_max=3)

    policy = load_team(folder, under=under, over=over).policy

    assert (policy.mailbox_cap, policy.rounds_max, policy.depth_max) == (1, 2, 3)


def test_a_script_is_read_with_the_team(tmp_path: Path) -> None:
    folder = team_folder(tmp_path, a=agent("a").replace("openai:m", "scripted:s"))

    missing = only_problem(folder)
    write(tmp_path / "scripts" / "s.yaml", "- text: hi\n- txt: hi\n")
    broken = only_problem(folder)
    write(tmp_path / "scripts" / "s.yaml", "- text: hi\n")

    assert missing.file == str(tmp_path / "scripts" / "s.yaml")
    assert "cannot be read" in missing.message
    assert (broken.line, broken.message) == (2, "unknown key 'txt'")
    assert check_team(folder) == ()
    assert script_file(folder, "scripted:s") == tmp_path / "scripts" / "s.yaml"
    assert script_file(folder, "openai:m") is None


@pytest.mark.parametrize("example", example_names())
def test_an_example_is_a_good_team_and_needs_no_key(tmp_path: Path, example: str) -> None:
    written = init_team(tmp_path / "new", example=example)

    team = load_team(tmp_path / "new")
    assert all(file.is_file() for file in written)
    assert {profile.model.partition(":")[0] for profile in team.profiles.values()} == {"scripted"}


def test_init_overwrites_nothing_and_leaves_nothing_half_written(tmp_path: Path) -> None:
    mine = write(tmp_path / "postroom.toml", "mine")

    with pytest.raises(ConfigFault, match="exists already"):
        init_team(tmp_path)

    assert mine.read_text(encoding="utf-8") == "mine"
    assert list(tmp_path.iterdir()) == [mine]


def test_init_in_a_place_that_cannot_be_written_says_so(tmp_path: Path) -> None:
    write(tmp_path / "scripts", "a file where a folder has to be")

    with pytest.raises(ConfigFault, match="cannot be written"):
        init_team(tmp_path)

    assert [path for path in tmp_path.rglob("*") if path.is_file()] == [tmp_path / "scripts"]


def test_an_unknown_example_is_refused_with_what_there_is(tmp_path: Path) -> None:
    with pytest.raises(ConfigFault, match="did you mean duo") as refused:
        init_team(tmp_path, example="dou")

    assert refused.value.code == "config_invalid"
