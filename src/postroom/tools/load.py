"""Finds Python tools: `--tools module:attr`, and the entry points of installed packages."""

import importlib
import sys
from collections.abc import Iterable
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from types import ModuleType
from typing import Final, cast

from postroom.errors import ConfigFault
from postroom.tools.base import Tool, Toolset
from postroom.tools.python import tool_from

ENTRY_POINT_GROUP: Final = "postroom.tools"


def load_toolset(reference: str) -> Toolset:
    """The tools of `module:attr`: a function, a `Tool`, or a list of these.

    A module in the working directory is found too. Raises `ConfigFault` when the module or the
    attribute is missing, importing fails, or something in it is no tool.
    """
    module_name, colon, attribute = reference.partition(":")
    if not (module_name and colon and attribute):
        raise ConfigFault(f"`{reference}` names no tools", remedy="write MODULE:ATTRIBUTE")
    found: object = _import(module_name, reference)
    for part in attribute.split("."):
        if not hasattr(found, part):
            raise ConfigFault(
                f"{reference}: `{module_name}` has no `{part}`",
                remedy="name a function, a Tool, or a list of them",
            )
        found = getattr(found, part)
    return Toolset(group=module_name, origin=reference, tools=_tools(found, reference))


def installed_toolsets() -> tuple[Toolset, ...]:
    """The tools of every installed entry point of the group `postroom.tools`, by name."""
    return tuple(_installed(entry) for entry in sorted(entry_points(group=ENTRY_POINT_GROUP)))


def _installed(entry: EntryPoint) -> Toolset:
    origin = f"entry point {entry.name} ({entry.value})"
    if entry.dist is not None:
        origin += f" of {entry.dist.name}"
    try:
        found = cast("object", entry.load())
    except Exception as cause:  # outermost frame of foreign code that is being imported
        raise ConfigFault(
            f"{origin} cannot be loaded: {type(cause).__name__}: {cause}",
            remedy="mend or uninstall the package",
        ) from cause
    return Toolset(group=entry.name, origin=origin, tools=_tools(found, origin))


def _import(name: str, reference: str) -> ModuleType:
    """Import by name, as `python -m` would: with the working directory first."""
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.insert(0, here)
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as cause:
        missing = f"there is no module `{cause.name}`"
        raise ConfigFault(f"{reference}: {missing}", remedy="install it, or start where it lies") from cause
    except Exception as cause:  # outermost frame of foreign code that is being imported
        raise ConfigFault(
            f"{reference}: importing `{name}` failed: {type(cause).__name__}: {cause}",
            remedy="mend the module",
        ) from cause


def _tools(found: object, origin: str) -> tuple[Tool, ...]:
    if isinstance(found, list | tuple):
        listed = cast("Iterable[object]", found)
        return tuple(_tool(one, origin) for one in listed)
    return (_tool(found, origin),)


def _tool(found: object, origin: str) -> Tool:
    if isinstance(found, Tool):
        return found
    if callable(found) and not isinstance(found, type):
        return tool_from(found, shown=f"{origin}: {getattr(found, '__name__', 'tool')}")
    raise ConfigFault(
        f"{origin}: {type(found).__name__} is no tool",
        remedy="name a function, a Tool, or a list of them",
    )
