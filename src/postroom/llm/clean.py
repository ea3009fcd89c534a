"""What a model's answer holds is scrubbed where it enters, in every text and key (O-27)."""

from postroom.llm.port import Json
from postroom.rules.text import scrub


def clean_json(value: Json) -> Json:
    """A JSON value with every text and key scrubbed."""
    match value:
        case str():
            return scrub(value)
        case list():
            return [clean_json(entry) for entry in value]
        case dict():
            return {scrub(key): clean_json(entry) for key, entry in value.items()}
        case _:
            return value
