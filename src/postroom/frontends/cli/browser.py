"""Opens the page in a browser, where somebody would see it."""

import sys
from collections.abc import Mapping
from typing import Final

_DISPLAYS: Final = ("DISPLAY", "WAYLAND_DISPLAY")
_SSH: Final = ("SSH_CONNECTION", "SSH_TTY", "SSH_CLIENT")


def has_display(environ: Mapping[str, str], platform: str = sys.platform) -> bool:
    """Whether whoever started this sees windows that it opens: a display, and no SSH between."""
    if any(environ.get(name) for name in _SSH):
        return False
    return platform in {"darwin", "win32"} or any(environ.get(name) for name in _DISPLAYS)


def show_page(url: str, environ: Mapping[str, str]) -> bool:
    """Open an address in the person's browser, if there is a display; whether that was tried."""
    if not has_display(environ):
        return False
    import webbrowser  # noqa: PLC0415 - looks for browsers when it is loaded

    return webbrowser.open(url)
