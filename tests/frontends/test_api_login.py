"""A browser logs in by a link that is good once, and keeps a cookie that no script and no other page has."""

import asyncio
import http.cookies
from collections.abc import AsyncIterator
from pathlib import Path

import httpx2
import pytest

from postroom.daemon.api.guard import Scope
from postroom.daemon.client import DoorClient
from postroom.daemon.own_token import TOKEN_NAME, read_own_token
from postroom.daemon.protocol import PREFIX, PROTOCOL_HEADER
from postroom.domain.token import TokenKind
from postroom.profiles.daemon_settings import DaemonSettings
from postroom.testing.clock import FakeClock
from postroom.testing.world import World
from tests.frontends.daemon import Daemon, served, serving

ME = f"{PREFIX}/me"


@pytest.fixture
async def daemon(tmp_path: Path, team: Path) -> AsyncIterator[Daemon]:
    async with served(tmp_path, team) as daemon:
        yield daemon


async def link(daemon: Daemon, scope: Scope = Scope.ADMIN) -> str:
    """A new login link."""
    made = await daemon.client().post("/login/links", json={"scope": scope})
    assert made.status_code == 201, made.text
    return str(made.json()["url"])


def own(daemon: Daemon) -> dict[str, str]:
    """What a browser says of a request that our page makes."""
    return {"origin": daemon.url, "sec-fetch-site": "same-origin", PROTOCOL_HEADER: "1"}


def cookie_of(answer: httpx2.Response) -> http.cookies.Morsel[str]:
    """The one cookie that an answer sets."""
    found = http.cookies.SimpleCookie(answer.headers["set-cookie"])
    assert len(found) == 1
    return next(iter(found.values()))


async def test_a_link_logs_one_browser_in_and_leaves_no_secret_in_any_address(daemon: Daemon) -> None:
    browser, url = daemon.stranger(prefix=""), await link(daemon)

    opened = await browser.get(url)
    page = await browser.get(str(opened.headers["location"]))
    me = (await browser.get(ME)).json()

    assert (opened.status_code, opened.headers["location"]) == (303, "/")
    assert (opened.headers["referrer-policy"], opened.headers["cache-control"]) == ("no-referrer", "no-store")
    assert page.status_code == 200
    assert (me["name"], me["scope"], me["is_page"]) == ("page", "admin", True)


async def test_the_cookie_is_kept_from_scripts_and_other_pages_and_is_of_this_port(daemon: Daemon) -> None:
    cookie = cookie_of(await daemon.stranger(prefix="").get(await link(daemon)))

    assert cookie.key == f"postroom_{daemon.url.rpartition(':')[2]}"
    assert (cookie["httponly"], cookie["samesite"].lower(), cookie["path"]) == (True, "strict", "/")
    assert (cookie["domain"], cookie["secure"]) == ("", "")
    assert cookie.value.startswith("pr_")


async def test_a_link_is_good_once(daemon: Daemon) -> None:
    url = await link(daemon)
    first = await daemon.stranger(prefix="").get(url)

    again = await daemon.stranger(prefix="").get(url)

    assert first.status_code == 303
    assert (again.status_code, again.headers["content-type"]) == (410, "text/html; charset=utf-8")
    assert "postroom open" in again.text
    assert "<script" not in again.text
    assert "set-cookie" not in again.headers


async def test_who_is_logged_in_may_open_a_used_link_again(daemon: Daemon) -> None:
    browser, url = daemon.stranger(prefix=""), await link(daemon)
    await browser.get(url)

    again = await browser.get(url)

    assert (again.status_code, again.headers["location"]) == (303, "/")
    assert "set-cookie" not in again.headers


async def test_a_browser_that_looks_ahead_does_not_use_a_link_up(daemon: Daemon) -> None:
    browser, url = daemon.stranger(prefix=""), await link(daemon)
    ahead = (
        {"sec-purpose": "prefetch"}, {"sec-purpose": "prefetch;prerender"}, {"purpose": "prefetch"},
        {"x-moz": "prefetch"}, {"x-purpose": "preview"},
    )  # fmt: skip

    looked = [(await browser.get(url, headers=headers)) for headers in ahead]
    head, options, post = await browser.head(url), await browser.options(url), await browser.post(url)

    assert {answer.status_code for answer in looked} == {425}
    assert {answer.status_code for answer in (head, options, post)} == {405}
    assert not [a for a in (*looked, head, options, post) if "set-cookie" in a.headers]
    assert (await browser.get(url)).status_code == 303


async def test_a_link_is_good_for_ten_minutes(world: World) -> None:
    world.puppet("r")
    async with serving(await world.open()) as daemon:
        clock = world.clock
        assert isinstance(clock, FakeClock)
        in_time, late = await link(daemon), await link(daemon)
        await clock.advance(599)
        first = await daemon.stranger(prefix="").get(in_time)
        await clock.advance(1)
        second = await daemon.stranger(prefix="").get(late)

    assert (first.status_code, second.status_code) == (303, 410)
    await world.check()


async def test_a_login_lasts_for_thirty_days(world: World) -> None:
    world.puppet("r")
    async with serving(await world.open()) as daemon:
        clock = world.clock
        assert isinstance(clock, FakeClock)
        browser = daemon.stranger(prefix="")
        await browser.get(await link(daemon))
        await clock.advance(30 * 86_400 - 1)
        before = await browser.get(ME)
        await clock.advance(1)
        after = await browser.get(ME)
        listed = (await daemon.client().get("/tokens")).json()

    assert (before.status_code, after.status_code, listed) == (200, 401, [])
    await world.check()


async def test_a_link_gives_no_more_than_was_said(daemon: Daemon) -> None:
    browser = daemon.stranger(prefix="")
    await browser.get(await link(daemon, Scope.READ))

    refused = await browser.post(f"{PREFIX}/notices/seen", json={}, headers=own(daemon))

    assert (refused.status_code, refused.json()["error"]["code"]) == (403, "forbidden_scope")


async def test_only_an_admin_makes_links(daemon: Daemon) -> None:
    refused = await daemon.client(Scope.OPERATE).post("/login/links")

    assert (refused.status_code, refused.json()["error"]["code"]) == (403, "forbidden_scope")


async def test_logging_out_ends_the_login_also_for_who_has_copied_the_cookie(daemon: Daemon) -> None:
    browser = daemon.stranger(prefix="")
    cookie = cookie_of(await browser.get(await link(daemon)))
    copied = {"cookie": f"{cookie.key}={cookie.value}"}
    assert (await daemon.stranger(prefix="").get(ME, headers=copied)).status_code == 200

    out = await browser.post(f"{PREFIX}/logout", headers=own(daemon))

    assert out.status_code == 204
    assert cookie_of(out)["max-age"] == "0"
    assert (await browser.get(ME)).status_code == 401
    assert (await daemon.stranger(prefix="").get(ME, headers=copied)).status_code == 401


async def test_logging_out_with_a_token_revokes_nothing(daemon: Daemon) -> None:
    new = await daemon.room.add_token("ci", Scope.READ)
    client = daemon.stranger()
    client.headers["authorization"] = f"Bearer {new.secret}"

    assert (await client.post("/logout")).status_code == 204
    assert (await client.get("/me")).json()["token_id"] == new.token.token_id


async def test_a_cookie_is_no_token_and_a_token_is_no_cookie(daemon: Daemon) -> None:
    browser = daemon.stranger(prefix="")
    cookie = cookie_of(await browser.get(await link(daemon)))
    token = await daemon.room.add_token("ci", Scope.ADMIN)
    as_token = {"authorization": f"Bearer {cookie.value}"}
    as_cookie = {"cookie": f"{cookie.key}={token.secret}"}

    said = [
        (await daemon.stranger(prefix="").get(ME, headers=headers)).status_code
        for headers in (as_token, as_cookie)
    ]

    assert said == [401, 401]


async def test_a_cookie_that_another_port_has_planted_locks_nobody_out(daemon: Daemon) -> None:
    browser = daemon.stranger(prefix="")
    cookie = cookie_of(await browser.get(await link(daemon)))
    both = {"cookie": f"{cookie.key}=planted; other=1; {cookie.key}={cookie.value}"}

    assert (await daemon.stranger(prefix="").get(ME, headers=both)).status_code == 200


async def test_a_wrong_token_is_not_helped_by_a_cookie(daemon: Daemon) -> None:
    browser = daemon.stranger(prefix="")
    await browser.get(await link(daemon))

    assert (await browser.get(ME, headers={"authorization": "Bearer pr_wrong"})).status_code == 401


async def test_a_login_outlives_the_daemon_and_a_link_does_not(tmp_path: Path, team: Path) -> None:
    async with served(tmp_path, team) as daemon:
        port, unused = int(daemon.url.rpartition(":")[2]), await link(daemon)
        cookie = cookie_of(await daemon.stranger(prefix="").get(await link(daemon)))
    async with served(tmp_path, team, settings=DaemonSettings(port=port)) as daemon:
        browser = daemon.stranger(prefix="")
        late = await browser.get(unused)
        me = await browser.get(ME, headers={"cookie": f"{cookie.key}={cookie.value}"})

    assert (late.status_code, me.status_code) == (410, 200)


async def test_over_tls_the_cookie_travels_by_tls_alone(tmp_path: Path, team: Path) -> None:
    settings = DaemonSettings(port=0, behind_proxy=("127.0.0.1",), public_names=("box.example",))
    proxied = {"x-forwarded-proto": "https", "x-forwarded-for": "203.0.113.9", "host": "box.example"}
    async with served(tmp_path, team, settings=settings) as daemon:
        made = await daemon.client().post("/login/links", headers=proxied)
        url = str(made.json()["url"])
        opened = await daemon.stranger(prefix="").get(
            url.removeprefix("https://box.example"), headers=proxied
        )
        cookie = cookie_of(opened)
        as_own_page = {**proxied, "origin": "https://box.example", PROTOCOL_HEADER: "1"}
        as_plain_page = {**as_own_page, "origin": "http://box.example"}
        sent = {"cookie": f"{cookie.key}={cookie.value}"}
        plain = await daemon.stranger().post("/logout", headers={**as_plain_page, **sent})
        out = await daemon.stranger().post("/logout", headers={**as_own_page, **sent})

    assert url.startswith("https://box.example/login?code=")
    assert cookie.key.startswith("__Host-postroom_")
    assert cookie["secure"] is True
    assert "strict-transport-security" in opened.headers
    assert (plain.status_code, out.status_code) == (403, 204)


async def test_who_calls_directly_is_not_believed_to_be_a_proxy(daemon: Daemon) -> None:
    made = await daemon.client().post("/login/links", headers={"x-forwarded-proto": "https"})

    assert str(made.json()["url"]).startswith(f"{daemon.url}/login?code=")


async def test_the_door_gives_links_too(daemon: Daemon) -> None:
    def ask() -> str:
        door = DoorClient.connect(daemon.room.folder)
        assert door is not None
        with door:
            found = door.ask("login_link", {"scope": "operate"})
        assert isinstance(found, dict)
        return str(found["url"])

    browser = daemon.stranger(prefix="")
    opened = await browser.get(await asyncio.to_thread(ask))

    assert opened.status_code == 303
    assert (await browser.get(ME)).json()["scope"] == "operate"


async def test_logins_stand_among_the_tokens_and_are_revoked_like_them(daemon: Daemon) -> None:
    browser = daemon.stranger(prefix="")
    await browser.get(await link(daemon))
    (login,) = (await daemon.client().get("/tokens")).json()

    assert (login["kind"], login["name"]) == (TokenKind.PAGE, "page")
    assert (await daemon.client().delete(f"/tokens/{login['token_id']}")).status_code == 200
    assert (await browser.get(ME)).status_code == 401


async def test_the_own_token_is_for_its_owner_alone_and_ends_with_the_daemon(
    tmp_path: Path, team: Path
) -> None:
    async with served(tmp_path, team) as daemon:
        path = daemon.room.folder / TOKEN_NAME
        mode, secret = path.stat().st_mode & 0o777, read_own_token(daemon.room.folder)
        me = await daemon.stranger().get("/me", headers={"authorization": f"Bearer {secret}"})
        listed = (await daemon.client().get("/tokens")).json()

    assert mode == 0o600
    assert (me.json()["scope"], me.json()["token_id"]) == ("admin", "")
    assert listed == []
    assert not path.exists()
    async with served(tmp_path, team) as daemon:
        again = await daemon.stranger().get("/me", headers={"authorization": f"Bearer {secret}"})
    assert again.status_code == 401


async def test_no_secret_is_kept_anywhere_in_the_store(tmp_path: Path, team: Path) -> None:
    async with served(tmp_path, team) as daemon:
        cookie = cookie_of(await daemon.stranger(prefix="").get(await link(daemon)))
        token = (await daemon.room.add_token("ci", Scope.READ)).secret
        used = await daemon.stranger().get("/me", headers={"authorization": f"Bearer {token}"})
        files = [path for path in daemon.room.folder.rglob("*") if path.is_file() and not path.is_socket()]
        found = [
            path.name
            for path in files
            for secret in (cookie.value, token)
            if secret.encode() in path.read_bytes()
        ]

    assert used.status_code == 200
    assert found == []
