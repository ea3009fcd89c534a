"""Nobody does anything through the API who may not: tried at every endpoint that there is."""

from collections.abc import AsyncIterator, Mapping
from pathlib import Path

import httpx2
import pytest

from postroom.daemon.api.guard import Scope
from postroom.daemon.api.origins import SAFE_METHODS
from postroom.daemon.protocol import PREFIX, PROTOCOL_HEADER
from postroom.errors import Refused
from postroom.observe import looks
from postroom.profiles.daemon_settings import DaemonSettings
from postroom.testing.clock import FakeClock
from postroom.testing.world import World
from tests.frontends.daemon import Daemon, served, serving
from tests.frontends.endpoints import Endpoint, endpoints

GUARDED = [e for e in endpoints() if e.scopes]
UNGUARDED = [e for e in endpoints() if not e.scopes and e.is_of_api]
NARROWER = {Scope.OPERATE: Scope.READ, Scope.ADMIN: Scope.OPERATE}
MANY_GUESSES = DaemonSettings(port=0, logins_per_min=10_000)
HOUR_US = 3_600_000_000


@pytest.fixture
async def daemon(tmp_path: Path, team: Path) -> AsyncIterator[Daemon]:
    async with served(tmp_path, team, settings=MANY_GUESSES) as daemon:
        yield daemon


async def ask(
    client: httpx2.AsyncClient, endpoint: Endpoint, headers: Mapping[str, str] | None = None
) -> tuple[int, str]:
    """Status and code of what an endpoint answers to a request that is right otherwise."""
    content, kind = (
        (None, {}) if endpoint.method in SAFE_METHODS else (b"{}", {"content-type": "application/json"})
    )
    answer = await client.request(
        endpoint.method, endpoint.path, headers={**kind, **(headers or {})}, content=content
    )
    return answer.status_code, str(answer.json()["error"]["code"]) if answer.is_error else ""


async def all_refuse(
    daemon: Daemon, tried: list[Endpoint], expected: tuple[int, str], headers: Mapping[str, str]
) -> None:
    """Each of them answers so, and nothing is done."""
    before = await daemon.room.store.read(looks.newest_pos, 0)
    client = daemon.stranger(prefix="")
    said = {f"{e.method} {e.path}": await ask(client, e, headers) for e in tried}

    assert {name: answer for name, answer in said.items() if answer != expected} == {}
    assert await daemon.room.store.read(looks.newest_pos, 0) == before
    assert not daemon.house.life.is_closing


def bearer(secret: str) -> dict[str, str]:
    """The header of a token."""
    return {"authorization": f"Bearer {secret}"}


async def logged_in(daemon: Daemon, scope: Scope = Scope.ADMIN) -> httpx2.AsyncClient:
    """A browser that has opened a login link; its paths begin at the root."""
    made = await daemon.client().post("/login/links", json={"scope": scope})
    browser = daemon.stranger(prefix="")
    opened = await browser.get(made.json()["url"])
    assert opened.status_code == 303, opened.text
    return browser


def own_page(daemon: Daemon) -> dict[str, str]:
    """What a browser says of a request that our page makes."""
    return {"origin": daemon.url, "sec-fetch-site": "same-origin", PROTOCOL_HEADER: "1"}


async def test_nobody_is_let_in_without_a_token(daemon: Daemon) -> None:
    await all_refuse(daemon, GUARDED, (401, "unauthenticated"), {})


async def test_a_token_that_nobody_handed_out_opens_nothing(daemon: Daemon) -> None:
    shown = (
        "Bearer",
        "Bearer pr_",
        "Bearer pr_x y",
        "Basic cHI6cHI=",
        "pr_x",
        "Bearer " + "x" * 5_000,
        "Bearer é",
    )
    client = daemon.stranger()

    said = [await client.get("/agents", headers=[(b"authorization", value.encode())]) for value in shown]

    assert {answer.status_code for answer in said} == {401}
    assert len({answer.text for answer in said}) == 1, "the answer tells what was wrong with the token"
    assert said[0].headers["www-authenticate"] == "Bearer"


async def test_a_wrong_token_opens_no_endpoint(daemon: Daemon) -> None:
    await all_refuse(daemon, GUARDED, (401, "unauthenticated"), bearer("pr_" + "A" * 43))


async def test_a_revoked_token_opens_nothing_from_then_on(daemon: Daemon) -> None:
    new = await daemon.room.add_token("ci", Scope.ADMIN)
    client = daemon.stranger()
    assert (await client.get("/me", headers=bearer(new.secret))).status_code == 200

    await daemon.room.revoke_token(new.token.token_id)

    await all_refuse(daemon, GUARDED, (401, "unauthenticated"), bearer(new.secret))


async def test_a_scope_that_is_too_narrow_is_told_and_does_nothing(daemon: Daemon) -> None:
    for scope, narrower in NARROWER.items():
        tried = [e for e in GUARDED if e.scopes == {scope}]
        await all_refuse(daemon, tried, (403, "forbidden_scope"), bearer(daemon.secret(narrower)))


async def test_a_scope_includes_those_before_it(daemon: Daemon) -> None:
    paths = {Scope.READ: "/agents", Scope.OPERATE: "/notices/seen", Scope.ADMIN: "/tokens"}
    for held in Scope:
        for needed, path in paths.items():
            client = daemon.client(held)
            answer = await (client.post(path, json={}) if needed is Scope.OPERATE else client.get(path))
            assert (answer.status_code == 403) is not held.covers(needed), (held, needed, answer.text)


async def test_a_foreign_name_reaches_no_endpoint(daemon: Daemon) -> None:
    """DNS rebinding: a page of another site under a name of its own that leads here."""
    headers = {**bearer(daemon.secret()), "host": "evil.example"}

    await all_refuse(daemon, [*GUARDED, *UNGUARDED], (403, "foreign_host"), headers)


async def test_a_name_must_be_ours_to_the_letter(daemon: Daemon) -> None:
    port = daemon.url.rpartition(":")[2]
    names = (
        f"127.0.0.1.evil.example:{port}", "localhost:1", "", "127.0.0.1", f"x@127.0.0.1:{port}",
        f"localhost.:{port}", f"[::ffff:127.0.0.1]:{port}", f"2130706433:{port}",
    )  # fmt: skip
    client = daemon.stranger(prefix="")

    said = [
        (await client.get(path, headers={"host": name})).status_code
        for name in names
        for path in ("/", "/login?code=x", f"{PREFIX}/hello")
    ]

    assert said == [403] * len(said)


async def test_own_names_and_public_names_are_answered(tmp_path: Path, team: Path) -> None:
    settings = DaemonSettings(port=0, public_names=("box.example", "proxy.example:8443"))
    async with served(tmp_path, team, settings=settings) as daemon:
        port = daemon.url.rpartition(":")[2]
        names = (
            f"localhost:{port}", f"LOCALHOST:{port}", f"[::1]:{port}", "box.example", f"box.example:{port}",
            "proxy.example:8443",
        )  # fmt: skip
        client = daemon.client()
        said = [(await client.get("/me", headers={"host": name})).status_code for name in names]

    assert said == [200] * len(names)


FOREIGN: tuple[Mapping[str, str], ...] = (
    {"origin": "https://evil.example"}, {"origin": "null"}, {"origin": "http://127.0.0.1:1"},
    {"sec-fetch-site": "cross-site"}, {"sec-fetch-site": "same-site"}, {"sec-fetch-site": "none"}, {},
    {"origin": "own", "sec-fetch-site": "cross-site"},
)  # fmt: skip
"""What browsers say of requests that another page has made, and what they never say of ours."""


async def test_the_cookie_of_a_login_is_worth_nothing_to_another_page(daemon: Daemon) -> None:
    """CSRF: the browser sends the cookie along, and says who has made the request."""
    browser = await logged_in(daemon)
    changing = [e for e in GUARDED if e.method not in SAFE_METHODS]
    before = await daemon.room.store.read(looks.newest_pos, 0)

    for said in FOREIGN:
        headers = {name: daemon.url if value == "own" else value for name, value in said.items()}
        found = {e.path: await ask(browser, e, {PROTOCOL_HEADER: "1", **headers}) for e in changing}
        assert {path for path, answer in found.items() if answer != (403, "foreign_origin")} == set(), said

    assert await daemon.room.store.read(looks.newest_pos, 0) == before


async def test_other_pages_cannot_even_look_with_the_cookie(daemon: Daemon) -> None:
    browser = await logged_in(daemon)
    foreign = (
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
        {"origin": "http://x.example"},
    )

    said = [(await browser.get(f"{PREFIX}/me", headers=headers)).status_code for headers in foreign]
    own = await browser.get(f"{PREFIX}/me", headers=own_page(daemon))

    assert said == [403, 403, 403]
    assert own.json()["is_page"] is True


async def test_what_a_form_can_send_changes_nothing(daemon: Daemon) -> None:
    browser = await logged_in(daemon)
    as_form = {"origin": daemon.url, "sec-fetch-site": "same-origin"}
    kinds = ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x")

    said = [
        (await browser.post(f"{PREFIX}/logout", content=b"{}", headers={**as_form, "content-type": kind}))
        for kind in kinds
    ]
    out = await browser.post(f"{PREFIX}/logout", headers={**as_form, "content-type": "application/json"})

    assert [answer.status_code for answer in said] == [403] * 3
    assert out.status_code == 204


async def test_no_other_site_is_allowed_anything(daemon: Daemon) -> None:
    """CORS stays off: no answer names an origin, and there is nothing to ask before a request."""
    headers = {
        "origin": "https://evil.example",
        "access-control-request-method": "POST",
        **bearer(daemon.secret()),
    }

    preflight = await daemon.stranger().options("/tokens", headers=headers)
    plain = await daemon.stranger().get("/me", headers=headers)

    assert preflight.status_code == 405
    assert not [name for answer in (preflight, plain) for name in answer.headers if "access-control" in name]


@pytest.mark.parametrize(("header", "query"), [("2", ""), ("", "2"), ("0", "1"), ("one", ""), ("1", "2")])
async def test_another_protocol_is_refused_everywhere(daemon: Daemon, header: str, query: str) -> None:
    """CK-33: the refusal names both versions and says what to do."""
    headers = bearer(daemon.secret()) | ({PROTOCOL_HEADER: header} if header else {})
    client, tried = daemon.stranger(prefix=""), [*GUARDED, *UNGUARDED]
    suffix = f"?protocol={query}" if query else ""
    said = {
        (answer.status_code, answer.json()["error"]["code"])
        for e in tried
        for answer in [await client.request(e.method, e.path + suffix, headers=headers)]
    }
    told = (await client.get(f"{PREFIX}/hello{suffix}", headers=headers)).json()["error"]

    assert said == {(426, "protocol_mismatch")}
    assert "protocol 1" in told["message"]
    assert "reload the page" in told["remedy"]


async def test_a_client_may_leave_its_protocol_out(daemon: Daemon) -> None:
    client = daemon.client()

    said = [
        (await client.get("/me")).status_code,
        (await client.get("/me", headers={PROTOCOL_HEADER: "1"})).status_code,
        (await client.get("/me?protocol=1")).status_code,
    ]

    assert said == [200, 200, 200]


async def test_a_token_ends_at_its_time(world: World) -> None:
    clock = world.clock
    assert isinstance(clock, FakeClock)
    world.puppet("r")
    async with serving(await world.open()) as daemon:
        new = await daemon.room.add_token("brief", Scope.READ, expires_us=clock.now_us() + HOUR_US)
        client = daemon.stranger()
        first = await client.get("/me", headers=bearer(new.secret))
        await clock.advance(3_600)
        then = await client.get("/me", headers=bearer(new.secret))
        listed = (await daemon.client().get("/tokens")).json()

        with pytest.raises(Refused, match="invalid_arguments"):
            await daemon.room.add_token("late", Scope.READ, expires_us=clock.now_us())

    assert (first.status_code, then.status_code) == (200, 401)
    assert [(token["name"], token["is_live"]) for token in listed] == [("brief", False)]
    await world.check()
