"""The page that the daemon serves, as `make page` builds it from `web/`."""

from pathlib import Path
from typing import Final

STATIC: Final = Path(__file__).parent / "static"
"""Where it lies; in no commit."""


def is_built() -> bool:
    """Whether there is a page."""
    return (STATIC / "index.html").is_file()
