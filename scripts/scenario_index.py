"""Writes docs/reference/scenario-schema.json: what a scenario file may hold, for editors."""

import json
from pathlib import Path

from postroom.testing.scenario.file import Scenario

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "reference" / "scenario-schema.json"


def _without_titles(value: object) -> object:
    """Pydantic gives every key a title that only repeats it."""
    if isinstance(value, list):
        return [_without_titles(one) for one in value]
    if not isinstance(value, dict):
        return value
    return {
        key: _without_titles(one) for key, one in value.items() if key != "title" or isinstance(one, dict)
    }


def pages() -> dict[Path, str]:
    """Page -> the text it should hold now."""
    schema = _without_titles(Scenario.model_json_schema())
    return {PAGE: json.dumps(schema, indent=2, ensure_ascii=False) + "\n"}


if __name__ == "__main__":
    for page, text in pages().items():
        page.write_text(text, encoding="utf-8")
