"""What went wrong with a server, in words that a person can act on and a model can read."""

from collections.abc import Callable
from typing import Final, TypeAlias, cast

import httpx2
from mcp import MCPError
from pydantic import ValidationError

_SHOWN_CHARS: Final = 300
Mask: TypeAlias = Callable[[str], str]
"""Puts names in the place of secrets. It comes before any cut: half a secret would not be known again."""


def tell(error: BaseException, mask: Mask) -> str:
    """Why a server cannot be used, as the end of a sentence that begins with its name."""
    match _innermost(error):
        case MCPError() as refused:
            return f"answered with an error: {_short(refused, mask)}"
        case ValidationError() as unfit:
            return f"answered what the protocol does not allow ({unfit.error_count()} faults)"
        case httpx2.HTTPError() as lost:
            return f"cannot be reached: {_short(lost, mask)}"
        case OSError() as failed:
            return f"cannot be started: {failed.strerror or _short(failed, mask)}{_file(failed)}"
        case other:
            return f"failed: {_short(other, mask)}"


def tell_call(error: Exception, mask: Mask) -> str:
    """Why one call gave nothing, though its server is there."""
    if isinstance(error, ValidationError):
        return "the server's answer is not what the protocol allows"
    return _short(error, mask)


def _innermost(error: BaseException) -> BaseException:
    """The first cause: a task group wraps what its tasks raised."""
    if not isinstance(error, BaseExceptionGroup):
        return error
    group = cast("BaseExceptionGroup[BaseException]", error)
    return _innermost(group.exceptions[0])


def _file(error: OSError) -> str:
    return f": {error.filename}" if isinstance(error.filename, str) else ""


def _short(error: BaseException, mask: Mask) -> str:
    said = " ".join(mask(str(error)).split()) or type(error).__name__
    return said if len(said) <= _SHOWN_CHARS else f"{said[:_SHOWN_CHARS]}…"
