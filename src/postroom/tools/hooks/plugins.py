"""Finds plugins in Python: those that a program gives, and the entry points of installed packages."""

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib.metadata import EntryPoint, entry_points
from typing import TYPE_CHECKING, Final, cast

from postroom.clock import Clock
from postroom.errors import ConfigFault
from postroom.profiles.hook_settings import PLUGIN_S, Moment, OnFailure, PluginSettings
from postroom.profiles.located import near, nearest
from postroom.rules.naming import is_plugin_name
from postroom.tools.hooks.plugin import PythonHook, Treatment

if TYPE_CHECKING:
    from pluggy import HookCaller, PluginManager

ENTRY_POINT_GROUP: Final = "postroom.plugins"
_STARTED, _EVENT, _CALL, _STOP, _CLOSING = (
    "postroom_started", "postroom_event", "postroom_before_call", "postroom_before_stop", "postroom_closing",
)  # fmt: skip
_HOOKS: Final = (_STARTED, _EVENT, _CALL, _STOP, _CLOSING)
_MARK: Final = "postroom_impl"
"""The attribute by which `HookimplMarker("postroom")` marks a function."""
_MOMENTS: Final = {_EVENT: Moment.EVENT, _CALL: Moment.BEFORE_CALL}
_TYPES: Final = {_STOP: ("turn.stop",)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Plugins:
    """The functions of all plugins, by what they are for; each in the order in which it is called."""

    hooks: tuple[PythonHook, ...] = ()
    """What is asked about calls and ends of turns, and what is told of events."""
    starting: tuple[PythonHook, ...] = ()
    closing: tuple[PythonHook, ...] = ()
    troubles: tuple[str, ...] = ()
    """What may be a slip of the pen, in sentences for the person."""
    treatments: Mapping[str, Treatment] = field(default_factory=dict[str, Treatment])
    """How each plugin is treated, by its name."""
    disabled: tuple[str, ...] = ()
    """Installed plugins that the settings switch off."""


def find_plugins(given: Sequence[object], settings: Mapping[str, PluginSettings], clock: Clock) -> Plugins:
    """Given ones first, then installed ones by name. Raises `ConfigFault` for what is no plugin."""
    named = [(_name_of(plugin), plugin) for plugin in given]
    installed = sorted(entry_points(group=ENTRY_POINT_GROUP), key=lambda entry: entry.name)
    known = {name for name, _ in named}.union(entry.name for entry in installed)
    troubles = [_is_nobody(name, known) for name in settings if name not in known]
    is_off = {entry.name for entry in installed if not settings.get(entry.name, PluginSettings()).enabled}
    named.extend((entry.name, _load(entry)) for entry in installed if entry.name not in is_off)
    disabled = tuple(sorted(is_off))
    if not named:
        return Plugins(troubles=tuple(troubles), disabled=disabled)
    troubles.extend(trouble for name, plugin in named for trouble in _unmarked(name, plugin))
    treatments = {name: _treatment(name, plugin, settings) for name, plugin in named}
    found = _sorted(_registered(named), treatments, clock)
    return replace(found, troubles=tuple(troubles), treatments=treatments, disabled=disabled)


def _is_nobody(name: str, known: Iterable[str]) -> str:
    told = f"[plugins.{name}] of your config.toml has no effect: no plugin here has that name"
    meant = nearest(name, known)
    return told if meant is None else f"{told} (did you mean {meant}?)"


def _unmarked(name: str, plugin: object) -> Iterator[str]:
    """A function with the name of a hook that nothing would call."""
    for one in dir(plugin):
        function: object = inspect.getattr_static(plugin, one, None)
        if one in _HOOKS and inspect.isroutine(function) and not hasattr(function, _MARK):
            yield f"the plugin {name} has {one} without the mark `hookimpl`: it is never called"


def _sorted(manager: "PluginManager", treatments: Mapping[str, Treatment], clock: Clock) -> Plugins:

    def hooks(purpose: str) -> tuple[PythonHook, ...]:
        caller = cast("HookCaller", getattr(manager.hook, purpose))
        moment, types = _MOMENTS.get(purpose), _TYPES.get(purpose, ())
        return tuple(
            PythonHook(function, treatments[name], clock, moment, types)
            for name, function in _functions(caller)
        )

    asked = hooks(_EVENT) + hooks(_CALL) + hooks(_STOP)
    return Plugins(hooks=asked, starting=hooks(_STARTED), closing=hooks(_CLOSING))


def _functions(caller: "HookCaller") -> Iterator[tuple[str, Callable[..., object]]]:
    """(plugin, function) in call order: as the plugins stand, but for `tryfirst` and `trylast`."""
    for one in reversed(caller.get_hookimpls()):
        if one.wrapper or one.hookwrapper:
            message = f"the plugin {one.plugin_name} wraps {caller.name}"
            raise ConfigFault(message, remedy="make it a plain hook")
        yield one.plugin_name, one.function if one.argnames else _without_arguments(one.function)


def _without_arguments(function: Callable[..., object]) -> Callable[..., object]:
    """A hook may leave out what it has no use for."""
    if not inspect.iscoroutinefunction(function):
        return lambda *_: function()

    async def called(*_: object) -> object:
        return await function()

    return called


def _registered(named: Sequence[tuple[str, object]]) -> "PluginManager":
    from pluggy import PluginManager, PluginValidationError  # noqa: PLC0415 -- a room without plugins does not load it

    from postroom.tools.hooks.spec import PROJECT, Specs  # noqa: PLC0415 -- see above

    manager = PluginManager(PROJECT)
    manager.add_hookspecs(Specs)
    try:
        for name, plugin in reversed(named):  # the last one registered is called first
            if manager.has_plugin(name):
                raise ConfigFault(f"two plugins have the name {name}", remedy="give one another `name`")
            manager.register(plugin, name)
            _check_hooks(name, manager.get_hookcallers(plugin) or [])
    except (PluginValidationError, ValueError) as error:
        raise ConfigFault(f"a plugin cannot be used: {error}", remedy="see docs/how-to/plugins.md") from error
    return manager


def _check_hooks(name: str, callers: "Sequence[HookCaller]") -> None:
    """Pluggy itself would name an unknown hook's plugin by its place in memory."""
    if not callers:
        raise ConfigFault(f"the plugin {name} has no hooks", remedy="mark one with `hookimpl`")
    for caller in callers:
        is_optional = any(one.plugin_name == name and one.optionalhook for one in caller.get_hookimpls())
        if not caller.has_spec() and not is_optional:
            message = f"the plugin {name} has {caller.name}, which is no hook"
            raise ConfigFault(message, remedy=near(caller.name, _HOOKS))


def _name_of(plugin: object) -> str:
    """Its own `name`, else that of its module or class."""
    named = getattr(plugin, "name", None) or getattr(plugin, "__name__", None) or type(plugin).__name__
    return str(named)


def _load(entry: EntryPoint) -> object:
    """What an installed package names; a class is made one of."""
    try:
        found = cast("object", entry.load())
        return found() if isinstance(found, type) else found
    except Exception as cause:  # outermost frame of foreign code that is being imported
        raise ConfigFault(
            f"the plugin {entry.name} ({entry.value}) cannot be loaded: {type(cause).__name__}: {cause}",
            remedy="mend or uninstall the package, or set `enabled = false` under "
            f"[plugins.{entry.name}] of your own config.toml",
        ) from cause


def _treatment(name: str, plugin: object, settings: Mapping[str, PluginSettings]) -> Treatment:
    if not is_plugin_name(name):
        raise ConfigFault(f"`{name}` is no name of a plugin", remedy="give it a `name` of letters and digits")
    said = settings.get(name, PluginSettings())
    timeout_s: object = said.timeout_s or getattr(plugin, "timeout_s", PLUGIN_S)
    on_failure: object = said.on_failure or getattr(plugin, "on_failure", OnFailure.ALLOW)
    if isinstance(timeout_s, bool) or not isinstance(timeout_s, int | float) or not timeout_s > 0:
        raise ConfigFault(f"the plugin {name}: timeout_s is no time", remedy="give it seconds")
    if on_failure not in tuple(OnFailure):
        raise ConfigFault(f"the plugin {name}: on_failure is neither allow nor deny", remedy="say which")
    return Treatment(name=name, timeout_s=timeout_s, on_failure=OnFailure(str(on_failure)))
