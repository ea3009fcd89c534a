"""What a sender reads of a message that is kept for it: when it goes."""

from collections.abc import Mapping
from typing import Final

from postroom.domain.message import HeldFor
from postroom.domain.receipt import Receipt

_WHEN: Final[Mapping[str, str]] = {
    HeldFor.APPROVAL: "the person gives leave",
    HeldFor.COLD: "the recipient is opened",
    HeldFor.NO_DIRECTORY: "the recipient's directory is there again",
}


def when_it_goes(receipt: Receipt) -> str:
    """What has to happen first, as the end of a sentence."""
    return _WHEN.get(receipt.held_for, _WHEN[HeldFor.APPROVAL])
