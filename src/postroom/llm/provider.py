"""From a model's name to a model: three vendors' wires over HTTP, and scripts from a team folder.

Nothing of a vendor's SDK is touched before the first request.
"""

import re
from collections.abc import Mapping
from pathlib import Path

from postroom.clock import Clock
from postroom.errors import ConfigFault
from postroom.extras import is_installed, missing_extra
from postroom.llm.keys import ProviderSettings, find_base_url, find_key
from postroom.llm.port import Model
from postroom.llm.remote import Link, RemoteModel
from postroom.llm.scripted import ScriptPlayer, load_script
from postroom.llm.vendors import VENDORS, Vendor

__all__ = ["IDLE_S", "ProviderSettings", "close_model", "model_for"]

IDLE_S = 120.0
_SCRIPT_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_NO_PROVIDERS: Mapping[str, ProviderSettings] = {}


def model_for(
    name: str,
    *,
    env: Mapping[str, str],
    clock: Clock,
    scripts: Path | None = None,
    idle_s: float = IDLE_S,
    providers: Mapping[str, ProviderSettings] = _NO_PROVIDERS,
) -> Model:
    """The model of that name, ready to be asked; no connection is made yet.

    `env` holds keys and base URLs, `providers` what a team says of a vendor by its name, `scripts` the
    folder of `scripted:` models. A stream that says nothing for `idle_s` seconds is given up. Raises
    `ConfigFault` for a name nobody knows, `MissingKey` and `MissingExtra` with what to do about it.
    """
    kind, _, rest = name.partition(":")
    if rest and kind == "scripted":
        return _scripted(rest, scripts, clock)
    if rest and kind in VENDORS:
        return RemoteModel(
            _link(VENDORS[kind], rest, env, providers.get(kind, ProviderSettings()), idle_s=idle_s)
        )
    known = ", ".join(f"{vendor}:NAME" for vendor in VENDORS)
    raise ConfigFault(f"no model is called {name!r}", remedy=f"use {known} or scripted:NAME")


async def close_model(model: Model) -> None:
    """Close the connections a model holds, if it holds any. Safe to call twice."""
    if isinstance(model, RemoteModel):
        await model.close()


def _link(
    vendor: Vendor, model: str, env: Mapping[str, str], settings: ProviderSettings, *, idle_s: float
) -> Link:
    name = f"{vendor.name}:{model}"
    if not is_installed(vendor.module):
        raise missing_extra(name, vendor.name)
    base_url = find_base_url(vendor, settings, env)
    key = find_key(vendor, name, settings, env, base_url)
    return Link(vendor=vendor, model=model, base_url=base_url, key=key, idle_s=idle_s)


def _scripted(name: str, scripts: Path | None, clock: Clock) -> Model:
    if not _SCRIPT_NAME.fullmatch(name):
        raise ConfigFault(f"{name!r} is no name of a script", remedy="letters, digits, . _ and -")
    if scripts is None:
        raise ConfigFault(f"scripted:{name} needs a team folder", remedy=f"put it into scripts/{name}.yaml")
    return ScriptPlayer(load_script(scripts / f"{name}.yaml"), clock=clock)
