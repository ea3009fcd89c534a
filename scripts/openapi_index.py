"""Writes docs/reference/openapi.json, the contract of the daemon with its clients."""

import json
from pathlib import Path

from postroom.daemon.api.app import make_app

PAGE = Path(__file__).resolve().parents[1] / "docs" / "reference" / "openapi.json"


def pages() -> dict[Path, str]:
    """The document as it is committed."""
    return {PAGE: json.dumps(make_app().openapi(), indent=1, sort_keys=True) + "\n"}


if __name__ == "__main__":
    for path, text in pages().items():
        path.write_text(text, encoding="utf-8")
