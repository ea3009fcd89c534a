"""Characters that no store, stream or export could carry are replaced where a model's output enters.

A lone surrogate breaks every encoder after it, U+0000 ends text in half of the world's tools, and
U+FFFE and U+FFFF are no characters (O-27). Each becomes U+FFFD, everywhere alike.
"""

import re

from postroom.llm.port import Json

_BROKEN = re.compile("[\x00\ufffe\uffff]")


def clean_text(text: str) -> str:
    """The text with each unusable character replaced; two halves of a pair are joined first."""
    try:
        text.encode()
    except UnicodeEncodeError:
        text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return _BROKEN.sub("\ufffd", text)


def clean_json(value: Json) -> Json:
    """The same in every text and key of a JSON value."""
    match value:
        case str():
            return clean_text(value)
        case list():
            return [clean_json(entry) for entry in value]
        case dict():
            return {clean_text(key): clean_json(entry) for key, entry in value.items()}
        case _:
            return value
