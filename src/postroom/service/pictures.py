"""Pictures of a result as the call's row keeps them, and back."""

import base64
import json
from collections.abc import Sequence

from postroom.llm.port import Image
from postroom.rules.text import CHARS_PER_TOKEN

TOKENS_EACH = 1_500
"""What a picture is taken to cost in a request; vendors count 250 to 1,600 tokens by its size."""


def images_text(images: Sequence[Image]) -> str | None:
    """The column's text: a JSON list with the data in base64; nothing for no pictures."""
    if not images:
        return None
    rows = [{"media_type": i.media_type, "data": base64.b64encode(i.data).decode("ascii")} for i in images]
    return json.dumps(rows)


def images_of(text: str | None) -> tuple[Image, ...]:
    """The pictures of a column's text."""
    rows: list[dict[str, str]] = json.loads(text) if text else []
    return tuple(Image(media_type=r["media_type"], data=base64.b64decode(r["data"])) for r in rows)


def images_chars(text: str | None) -> int:
    """How much the pictures add to the estimated length of a request, in characters."""
    return len(images_of(text)) * TOKENS_EACH * CHARS_PER_TOKEN if text else 0
