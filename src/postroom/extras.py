"""The optional parts of an installation: whether one is there, and what to say where it is not."""

from importlib.util import find_spec

from postroom.errors import MissingExtra


def is_installed(module: str) -> bool:
    """Whether a module could be imported; nothing of it is loaded."""
    try:
        return find_spec(module) is not None
    except (ImportError, ValueError):  # a module that something else has blocked
        return False


def missing_extra(what: str, extra: str) -> MissingExtra:
    """The fault of something that needs an extra which is not installed."""
    return MissingExtra(
        f"{what} needs the extra '{extra}'", remedy=f"install it: pip install 'postroom[{extra}]'"
    )
