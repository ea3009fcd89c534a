"""From a model's name to a model: `openai:NAME` over HTTP, `scripted:NAME` from a team folder.

A vendor's SDK takes seconds to import, so nothing of it is touched before the first request.
"""

import asyncio
import re
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Protocol

from postroom.clock import Clock
from postroom.errors import ConfigFault, MissingExtra, MissingKey
from postroom.llm.port import Model, ModelAnswer, ModelRequest, OnText
from postroom.llm.scripted import ScriptPlayer, load_script

IDLE_S = 120.0
_SCRIPT_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")


def model_for(
    name: str,
    *,
    env: Mapping[str, str],
    clock: Clock,
    scripts: Path | None = None,
    idle_s: float = IDLE_S,
) -> Model:
    """The model of that name, ready to be asked; no connection is made yet.

    `env` holds keys and base URLs, `scripts` the folder of `scripted:` models. A stream that says
    nothing for `idle_s` seconds is given up. Raises `ConfigFault` for a name nobody knows,
    `MissingKey` and `MissingExtra` with what to do about it.
    """
    kind, _, rest = name.partition(":")
    match kind:
        case "openai" if rest:
            return _openai(rest, env, idle_s)
        case "scripted" if rest:
            return _scripted(rest, scripts, clock)
        case _:
            raise ConfigFault(f"no model is called {name!r}", remedy="use openai:NAME or scripted:NAME")


async def close_model(model: Model) -> None:
    """Close the connections a model holds, if it holds any. Safe to call twice."""
    if isinstance(model, OpenAIModel):
        await model.close()


class _ClosableModel(Model, Protocol):
    async def close(self) -> None: ...


class OpenAIModel:
    """An OpenAI-compatible model. The SDK is imported and the client made at the first request."""

    def __init__(self, name: str, *, key: str, base_url: str | None, idle_s: float) -> None:
        self._name = name
        self._key = key
        self._base_url = base_url
        self._idle_s = idle_s
        # Written under the lock, by the first request and by close.
        self._direct: _ClosableModel | None = None
        self._connecting = asyncio.Lock()

    async def request(self, request: ModelRequest, on_text: OnText) -> ModelAnswer:
        """Answer one request over the wire. Faults are those of the port."""
        direct = await self._connected()
        return await direct.request(request, on_text)

    async def close(self) -> None:
        """Close the HTTP connections. A later request opens new ones."""
        async with self._connecting:
            direct, self._direct = self._direct, None
        if direct is not None:
            await direct.close()

    async def _connected(self) -> _ClosableModel:
        async with self._connecting:
            if self._direct is None:
                # Loading the SDK takes seconds; on the event loop every other agent would wait.
                self._direct = await asyncio.to_thread(self._connect)
            return self._direct

    def _connect(self) -> _ClosableModel:
        from postroom.llm.direct import openai_model  # noqa: PLC0415 - loads the SDK

        return openai_model(self._name, key=self._key, base_url=self._base_url, idle_s=self._idle_s)


def _openai(name: str, env: Mapping[str, str], idle_s: float) -> Model:
    if not _is_installed("openai"):
        raise MissingExtra(
            f"openai:{name} needs the extra 'openai'",
            remedy="install it: pip install 'postroom[openai]'",
        )
    key = env.get("OPENAI_API_KEY", "").strip()
    if not key:
        raise MissingKey(
            f"openai:{name} needs OPENAI_API_KEY",
            remedy="set OPENAI_API_KEY; a local server takes any value",
        )
    base_url = env.get("POSTROOM_OPENAI_BASE_URL") or env.get("OPENAI_BASE_URL") or None
    return OpenAIModel(name, key=key, base_url=base_url, idle_s=idle_s)


def _scripted(name: str, scripts: Path | None, clock: Clock) -> Model:
    if not _SCRIPT_NAME.fullmatch(name):
        raise ConfigFault(f"{name!r} is no name of a script", remedy="letters, digits, . _ and -")
    if scripts is None:
        raise ConfigFault(f"scripted:{name} needs a team folder", remedy=f"put it into scripts/{name}.yaml")
    return ScriptPlayer(load_script(scripts / f"{name}.yaml"), clock=clock)


def _is_installed(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except (ImportError, ValueError):  # a module that something else has blocked
        return False
