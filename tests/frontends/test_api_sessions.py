"""Sessions over HTTP: to begin one, to find it, and to delete it."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from postroom.domain.plain import Json
from tests.cli.cli import write_team
from tests.frontends.api import Api, Object, objects, refusal, the
from tests.frontends.daemon import Daemon, served

ANSWERS = "- text: Yes.\n" * 40
pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def daemon(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Daemon]:
    """One for all of these tests: each makes sessions of its own."""
    folder = tmp_path_factory.mktemp("sessions")
    team = write_team(folder / "team", {"ann": ANSWERS, "bob": ANSWERS})
    async with served(folder, team) as daemon:
        yield daemon


@pytest.fixture
def api(daemon: Daemon) -> Api:
    return Api(daemon.client())


async def begin(api: Api, **given: Json) -> str:
    """The id of a new session."""
    return str((await api.post("/sessions", text="hello", **given))["session_id"])


@pytest.fixture
def place(tmp_path: Path) -> str:
    """A directory, as it is really called."""
    return str(tmp_path.resolve())


async def test_a_session_begins_with_a_profile_in_a_directory(api: Api, daemon: Daemon, place: str) -> None:
    made = await api.post(
        "/sessions", text="dig\nhere", profile="bob", cwd=place, mode="yolo", attended=False, max_tokens=900,
        max_cost_usd="0.5",
    )  # fmt: skip
    await daemon.room.quiesce()
    shown = await api.shown(f"/sessions/{made['session_id']}")
    session, rights = the(shown["session"]), the(shown["rights"])
    (chain,) = objects((await api.shown("/budgets", session=str(made["session_id"])))["chains"])

    assert the(made["receipt"])["recipient_state"] == "queued"
    assert (session["profile"], session["cwd"], session["title"]) == ("bob", place, "dig")
    assert (rights["mode"], rights["attended"]) == ("yolo", False)
    assert (the(chain["tokens"])["most"], the(chain["cost_micros"])["most"]) == (900, 500_000)


async def test_saying_it_again_begins_nothing(api: Api) -> None:
    first = await api.post("/sessions", text="hello", client_id="once")
    again = await api.post("/sessions", text="hello", client_id="once")
    other = await api.refused("POST", "/sessions", {"text": "other", "client_id": "once"})

    assert again["session_id"] == first["session_id"]
    assert the(again["receipt"])["message_id"] == the(first["receipt"])["message_id"]
    assert again["pos"] == first["pos"] != 0
    assert other == (409, "idempotency_conflict")


UNFIT: dict[str, tuple[dict[str, Json], tuple[int, str]]] = {
    "nothing to say": ({"text": " \n"}, (422, "invalid_body")),
    "a text with NUL": ({"text": "a\0b"}, (422, "invalid_body")),
    "no text at all": ({"text": 5}, (422, "invalid_arguments")),
    "a field that is not known": ({"sent_us": 1}, (422, "invalid_arguments")),
    "a profile that is not there": ({"profile": "zoe"}, (404, "not_found")),
    "a name with NUL": ({"profile": "a\0"}, (422, "invalid_arguments")),
    "a team that is not known": ({"team": "/nowhere"}, (404, "not_found")),
    "a mode that there is not": ({"mode": "maybe"}, (422, "invalid_arguments")),
    "a flag in words": ({"attended": "yes"}, (422, "invalid_arguments")),
    "too many tokens": ({"max_tokens": 1 << 60}, (422, "invalid_arguments")),
    "less than no tokens": ({"max_tokens": -1}, (422, "invalid_arguments")),
    "no amount": ({"max_cost_usd": "lots"}, (422, "invalid_arguments")),
    "an id of the runtime": ({"client_id": "retry:1"}, (422, "invalid_arguments")),
    "an endless id": ({"client_id": "x" * 10_000}, (422, "invalid_arguments")),
    "a place that is relative": ({"cwd": "."}, (400, "bad_folder")),
    "a place that is not there": ({"cwd": "/nowhere"}, (400, "bad_folder")),
    "a place by another name": ({"cwd": "/usr/../usr"}, (400, "bad_folder")),
    "a place that is a file": ({"cwd": __file__}, (400, "bad_folder")),
}


@pytest.mark.parametrize(("given", "expected"), UNFIT.values(), ids=UNFIT)
async def test_what_does_not_fit_begins_no_session(
    api: Api, given: dict[str, Json], expected: tuple[int, str]
) -> None:
    before = await api.get("/sessions")

    assert await api.refused("POST", "/sessions", {"text": "hello", **given}) == expected
    assert await api.get("/sessions") == before


async def test_half_a_character_begins_no_session(api: Api) -> None:
    answer = await api.client.post(
        "/sessions", content=b'{"text": "\\ud800"}', headers={"content-type": "application/json"}
    )

    assert refusal(answer) == (422, "invalid_arguments")


async def test_a_link_is_no_place_for_a_session(api: Api, tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(tmp_path)

    assert await api.refused("POST", "/sessions", {"text": "hello", "cwd": str(link)}) == (400, "bad_folder")


async def test_pages_of_sessions_hold_each_once_the_last_active_first(api: Api, daemon: Daemon) -> None:
    made = [await begin(api) for _ in "abc"]
    await daemon.room.quiesce()
    await api.post(f"/agents/{made[0]}/prompt", text="more")
    await daemon.room.quiesce()
    pages = [await api.shown("/sessions", limit=2)]
    while pages[-1]["next"]:
        pages.append(await api.shown("/sessions", limit=2, before=str(pages[-1]["next"])))
    listed = [str(one["session_id"]) for page in pages for one in objects(page["sessions"])]

    assert listed[:3] == [made[0], made[2], made[1]]
    assert len(listed) == len(set(listed))
    assert [len(objects(page["sessions"])) for page in pages[:-1]] == [2] * (len(pages) - 1)


@pytest.mark.parametrize("before", ["x", "1", "1-", "-1-1", "1-1-1", f"{9**40}-1"])
async def test_a_page_begins_behind_nothing_else_than_a_place(api: Api, before: str) -> None:
    assert await api.refused("GET", f"/sessions?before={before}") == (422, "invalid_arguments")


@pytest.mark.parametrize("limit", ["0", "501", "x", "1.5"])
async def test_a_page_has_a_bounded_length(api: Api, limit: str) -> None:
    assert await api.refused("GET", f"/sessions?limit={limit}") == (422, "invalid_arguments")


async def test_a_session_that_is_deleted_reads_as_absent(api: Api, daemon: Daemon) -> None:
    session = await begin(api)
    await daemon.room.quiesce()
    gone = await api.delete(f"/sessions/{session}")
    listed = objects((await api.shown("/sessions"))["sessions"])

    assert (gone["session_id"], gone["messages"], gone["agents"]) == (session, 1, 1)
    assert session not in [one["session_id"] for one in listed]
    for path in (f"/sessions/{session}", f"/sessions/{session}/branches"):
        assert await api.refused("GET", path) == (404, "not_found")
    assert await api.refused("DELETE", f"/sessions/{session}") == (404, "not_found")


async def test_a_team_of_a_stored_session_can_be_named_again(tmp_path: Path) -> None:
    """A daemon of another team knows it by its sessions alone, and says what it is made of."""
    old = write_team(tmp_path / "old", {"olga": ANSWERS})
    new = write_team(tmp_path / "new", {"nina": ANSWERS})
    async with served(tmp_path, old) as daemon:
        await begin(Api(daemon.client()))
        await daemon.room.quiesce()
    async with served(tmp_path, new) as daemon:
        api = Api(daemon.client())
        teams = await api.listed("/profiles")
        session = await begin(api, team=str(old))
        shown = the((await api.shown(f"/sessions/{session}"))["session"])

    assert [(one["team"], one["own"], _names(one)) for one in teams] == [
        (str(new), True, ["nina"]),
        (str(old), False, ["olga"]),
    ]
    assert (shown["team"], shown["profile"]) == (str(old), "olga")


def _names(team: Object) -> list[str]:
    return [str(profile["name"]) for profile in objects(team["profiles"])]


async def test_a_team_that_cannot_be_read_says_why(tmp_path: Path) -> None:
    old = write_team(tmp_path / "old", {"olga": ANSWERS})
    new = write_team(tmp_path / "new", {"nina": ANSWERS})
    async with served(tmp_path, old) as daemon:
        await begin(Api(daemon.client()))
        await daemon.room.quiesce()
    (old / "postroom.toml").write_text("entry = 5\n", encoding="utf-8")
    async with served(tmp_path, new) as daemon:
        api = Api(daemon.client())
        _, broken = await api.listed("/profiles")
        refused = await api.refused("POST", "/sessions", {"text": "hello", "team": str(old)})

    assert str(broken["broken"]).startswith("config_invalid: ")
    assert refused == (400, "config_invalid")
