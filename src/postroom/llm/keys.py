"""Where a vendor's key and address come from: a file that the settings name, then the environment.

A key is never shown, logged or stored: it travels as a `Key`, which prints as nothing.
"""

import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from postroom.errors import ConfigFault, MissingKey
from postroom.llm.vendors import VENDORS, Vendor

_FILE_BYTES_MAX: Final = 16_384
# What an HTTP header can carry as one word; every vendor's keys are such words.
_KEY_FORM: Final = re.compile(r"[!-~]+")
# Shorter ones are stand-ins for a local server, and cutting them out would eat into words.
_SECRET_CHARS_MIN: Final = 8
_LOOPBACK: Final = re.compile(r"localhost|127(\.\d{1,3}){3}|::1")
_NO_KEY: Final = "none"
_USER: Final = re.compile(r"^([a-z][a-z0-9+.-]*://)?.*@", re.IGNORECASE | re.DOTALL)
_QUERY: Final = re.compile(r"([?#]).*", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderSettings:
    """`[providers.NAME]`: how a person reaches one vendor. What is empty comes from the environment."""

    base_url: str = ""
    """Where the vendor's API is, for a proxy or a server of your own."""
    api_key_file: str = ""
    """A file that holds the key and nothing else."""


@dataclass(frozen=True, slots=True, repr=False)
class Key:
    """A vendor's secret. Ask `reveal` where it must be sent, and nowhere else."""

    _secret: str

    def reveal(self) -> str:
        """The secret itself."""
        return self._secret

    def hide_in(self, text: str) -> str:
        """The text without the secret, for words that others wrote."""
        return text.replace(self._secret, "(key)") if len(self._secret) >= _SECRET_CHARS_MIN else text

    def __repr__(self) -> str:
        return "Key()"


def find_base_url(vendor: Vendor, settings: ProviderSettings, env: Mapping[str, str]) -> str:
    """Settings, `POSTROOM_<VENDOR>_BASE_URL`, the vendor's own variable, the vendor's address."""
    given = {f"providers.{vendor.name}.base_url": settings.base_url.strip()}
    given |= {name: env.get(name, "").strip() for name in vendor.url_names}
    place, url = next(((name, url) for name, url in given.items() if url), ("", vendor.home))
    try:
        parts = urlsplit(url)
        usable = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:  # a port that is no number
        usable = False
    if not usable:
        raise ConfigFault(
            f"the base URL of {vendor.name} ({place}) is no address",
            remedy="it begins with http:// or https://",
        )
    return url


def shown_url(url: str) -> str:
    """An address as it may be shown: without user, password and query, each of which can be a secret."""
    return _QUERY.sub(r"\1***", _USER.sub(r"\1***@", url))


def find_key(vendor: Vendor, model: str, settings: ProviderSettings, env: Mapping[str, str], url: str) -> Key:
    """The key of a vendor: the file of the settings, the variable, the file that `<variable>_FILE` names.

    A server of the OpenAI kind on this machine needs none. Raises `MissingKey`, and `ConfigFault` for
    a file that cannot be used, which it names, and never with anything of what the file holds.
    """
    if settings.api_key_file:
        return _from_file(settings.api_key_file, "api_key_file")
    for name in vendor.key_names:
        if value := env.get(name, "").strip():
            return _checked(value, name)
        if path := env.get(f"{name}_FILE", "").strip():
            return _from_file(path, f"{name}_FILE")
    if vendor.keyless_at_home and _LOOPBACK.fullmatch(urlsplit(url).hostname or ""):
        return Key(_NO_KEY)
    name = vendor.key_names[0]
    hint = "; a local server takes any value" if vendor.keyless_at_home else ""
    raise MissingKey(
        f"{model} needs {name}", remedy=f"set {name}, or {name}_FILE to a file with the key{hint}"
    )


def key_files(providers: Mapping[str, ProviderSettings], env: Mapping[str, str]) -> tuple[Path, ...]:
    """Every file that the settings or a variable name for a key, whether or not it is used or there."""
    named = [settings.api_key_file for settings in providers.values()]
    named += [env.get(f"{name}_FILE", "").strip() for vendor in VENDORS.values() for name in vendor.key_names]
    found: list[Path] = []
    for path in filter(None, named):
        with suppress(RuntimeError):  # there is no such home
            found.append(Path(path).expanduser())
    return tuple(found)


def keys_at_hand(providers: Mapping[str, ProviderSettings], env: Mapping[str, str]) -> tuple[Key, ...]:
    """Every key of any vendor that can be read now, to be hidden wherever it turns up."""
    found = [env.get(name, "").strip() for vendor in VENDORS.values() for name in vendor.key_names]
    keys = [Key(value) for value in found if value]
    for path in key_files(providers, env):
        with suppress(ConfigFault):  # whoever needs this one is told what is wrong with it
            keys.append(_from_file(str(path), "to hide it"))
    return tuple(sorted(keys, key=lambda key: -len(key.reveal())))


def _from_file(path: str, setting: str) -> Key:
    where = f"the key file {path} ({setting})"
    try:
        with Path(path).expanduser().open("rb") as file:
            raw = file.read(_FILE_BYTES_MAX + 1)
    except (OSError, RuntimeError, ValueError) as error:
        cause = error.strerror if isinstance(error, OSError) else ""
        raise ConfigFault(
            f"{where} cannot be read: {cause or 'the path is wrong'}", remedy="name a readable file"
        ) from None
    text = raw.decode("ascii", errors="replace").strip()
    if not text:
        raise ConfigFault(f"{where} is empty", remedy="put the key into it")
    if len(raw) > _FILE_BYTES_MAX:
        raise ConfigFault(f"{where} is too large for a key", remedy="put the key into it and nothing else")
    return _checked(text, where)


def _checked(value: str, where: str) -> Key:
    if not _KEY_FORM.fullmatch(value):
        raise ConfigFault(f"{where} holds no key", remedy="a key is one word of plain letters and signs")
    return Key(value)
