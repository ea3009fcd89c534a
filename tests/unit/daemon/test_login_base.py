"""Under which address a login link leads to the daemon."""

from pathlib import Path

import pytest

from postroom.app import Postroom
from postroom.daemon.api.house import House
from postroom.daemon.api.login import base_of
from postroom.profiles.daemon_settings import DaemonSettings

OWN = "http://127.0.0.1:7678"
OWN_TLS = DaemonSettings(public_names=("box.example",), tls_cert_file="c.pem", tls_key_file="k.pem")


@pytest.mark.parametrize(("settings", "base"), [
    (DaemonSettings(), OWN),
    (DaemonSettings(public_names=("box.example",)), OWN),
    (DaemonSettings(public_names=("box.example", "b"), behind_proxy=("127.0.0.1",)), "https://box.example"),
    (DaemonSettings(public_names=("box.example:8443",), behind_proxy=("::1",)), "https://box.example:8443"),
    (OWN_TLS, "https://box.example:7678"),
])  # fmt: skip
async def test_a_link_leads_where_people_reach_the_daemon(
    tmp_path: Path, settings: DaemonSettings, base: str
) -> None:
    async with Postroom.open(tmp_path, idle=True) as room:
        assert base_of(House(room=room, settings=settings, url=OWN)) == base
