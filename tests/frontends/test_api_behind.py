"""A daemon that others reach: over TLS of its own, or behind a proxy that alone is believed."""

import http.cookies
import ssl
from pathlib import Path
from urllib.parse import urlsplit

import httpx2
import pytest

from postroom.daemon.api.login import base_of, make_link
from postroom.daemon.certificate import certificate_of
from postroom.daemon.presence import told
from postroom.daemon.protocol import PREFIX, PROTOCOL_HEADER
from postroom.domain.token import Scope
from postroom.errors import ConfigFault
from postroom.profiles.daemon_settings import DaemonSettings
from tests.frontends.daemon import PATIENCE_S, Daemon, served
from tests.frontends.proxy import NAME, certified, proxied

LOGINS = 3
BEHIND = DaemonSettings(port=0, public_names=(NAME,), behind_proxy=("127.0.0.1",), logins_per_min=LOGINS)


def browser(base: str, *, verify: ssl.SSLContext | bool = True) -> httpx2.AsyncClient:
    """A browser that calls a daemon by its public name, wherever that leads."""
    return httpx2.AsyncClient(
        base_url=base, headers={"host": NAME}, timeout=PATIENCE_S, trust_env=False, verify=verify
    )


async def log_in(daemon: Daemon, client: httpx2.AsyncClient) -> tuple[str, http.cookies.Morsel[str]]:
    """Open a new link; its scheme and name, and the cookie, which the browser sends from then on."""
    url = urlsplit(make_link(daemon.house, base_of(daemon.house), Scope.ADMIN).url)
    answer = await client.get(f"{url.path}?{url.query}", headers={"sec-fetch-site": "none"})
    (cookie,) = http.cookies.SimpleCookie(answer.headers["set-cookie"]).values()
    client.headers["cookie"] = f"{cookie.key}={cookie.value}"
    return f"{url.scheme}://{url.netloc}", cookie


async def say(client: httpx2.AsyncClient, origin: str) -> str:
    """Change something as a page at an origin would; the code of what came of it."""
    headers = {"origin": origin, PROTOCOL_HEADER: "1"}
    answer = await client.post(f"{PREFIX}/login/links", headers=headers, json={})
    return "" if answer.is_success else str(answer.json()["error"]["code"])


async def guesses(client: httpx2.AsyncClient) -> list[int]:
    """How wrong tokens are answered, one more of them than one address may show in a minute."""
    wrong = {"authorization": "Bearer pr_wrong"}
    return [(await client.get(f"{PREFIX}/me", headers=wrong)).status_code for _ in range(LOGINS + 1)]


async def test_over_tls_the_cookie_is_secure_and_clients_are_told_the_certificate(
    tmp_path: Path, team: Path
) -> None:
    settings = certified(tmp_path / "tls")
    async with served(tmp_path, team, settings=settings) as daemon:
        trusts = ssl.create_default_context(cafile=settings.tls_cert_file)
        trusts.check_hostname = False  # no name server leads to its name here
        async with browser(daemon.url, verify=trusts) as client:
            client.headers["host"] = f"{NAME}:{daemon.url.rpartition(':')[2]}"
            base, cookie = await log_in(daemon, client)
            by_own, by_other = await say(client, base), await say(client, base.replace("https", "http"))
        presence = told(daemon.room.folder)

    assert base == f"https://{NAME}:{daemon.url.rpartition(':')[2]}"
    assert cookie.key.startswith("__Host-")
    assert (cookie["secure"], cookie["httponly"], cookie["samesite"]) == (True, True, "strict")
    assert (by_own, by_other) == ("", "foreign_origin")
    assert presence is not None
    assert presence.certificate == certificate_of(settings)
    assert "PRIVATE" not in presence.certificate


async def test_a_proxy_that_was_named_says_who_calls_and_that_it_was_over_tls(
    tmp_path: Path, team: Path
) -> None:
    async with served(tmp_path, team, settings=BEHIND) as daemon, proxied(daemon.url) as (proxy, url):
        daemon.hold_rates()
        async with browser(url) as client:
            base, cookie = await log_in(daemon, client)
            said = [await say(client, origin) for origin in (base, f"http://{NAME}", "https://evil.example")]
            foreign = await client.get(f"{PREFIX}/hello", headers={"host": "evil.example"})
            async with client.stream(
                "GET", f"{PREFIX}/events", headers={"sec-fetch-site": "same-origin"}
            ) as stream:
                first = await anext(stream.aiter_lines())
        async with browser(url) as stranger:
            one = await guesses(stranger)
            proxy.caller = "192.0.2.2"
            other = await guesses(stranger)

    assert base == f"https://{NAME}"
    assert (cookie.key.startswith("__Host-"), cookie["secure"]) == (True, True)
    assert said == ["", "foreign_origin", "foreign_origin"]
    assert foreign.json()["error"]["code"] == "foreign_host"
    assert first == "event: open"
    assert one == other == [401] * LOGINS + [429]


async def test_a_proxy_that_nobody_named_is_a_caller_like_any_other(tmp_path: Path, team: Path) -> None:
    settings = DaemonSettings(port=0, public_names=(NAME,), logins_per_min=LOGINS)
    async with served(tmp_path, team, settings=settings) as daemon, proxied(daemon.url) as (proxy, url):
        daemon.hold_rates()
        async with browser(url) as client:
            _, cookie = await log_in(daemon, client)
            said = [await say(client, origin) for origin in (f"http://{NAME}", f"https://{NAME}")]
        async with browser(url) as stranger:
            first = await guesses(stranger)
            proxy.caller = "192.0.2.2"
            second = await guesses(stranger)

    assert (cookie.key.startswith("__Host-"), cookie["secure"]) == (False, "")
    assert said == ["", "foreign_origin"]
    assert (first[0], second[0]) == (401, 429)


@pytest.mark.parametrize("broken", ["no file", "other key", "no certificate"])
def test_a_certificate_that_cannot_be_used_is_a_fault_of_the_settings(tmp_path: Path, broken: str) -> None:
    """Told before anything listens, and never by a question for a password."""
    one, other = certified(tmp_path / "one"), certified(tmp_path / "other")
    if broken == "no file":
        Path(one.tls_key_file).unlink()
    elif broken == "other key":
        Path(one.tls_key_file).write_bytes(Path(other.tls_key_file).read_bytes())
    else:
        Path(one.tls_cert_file).write_text("nothing")

    with pytest.raises(ConfigFault, match="cannot be used for TLS"):
        certificate_of(one)
