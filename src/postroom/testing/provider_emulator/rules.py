"""What every vendor refuses, on whatever wire: calls without results, blank text, too much of all.

Independent of `postroom.llm.strict` on purpose: that one reads our items, these rules what was sent.
"""

from collections.abc import Sequence

from postroom.rules.text import is_blank
from postroom.testing.provider_emulator.asked import Message
from postroom.testing.provider_emulator.breach import Breach, Place, Rule


def check_text(text: str, at: Place) -> None:
    """Refuse a text in which there is nothing to see."""
    if is_blank(text):
        raise Breach(Rule.BLANK_TEXT, at=at, names=() if text else ("empty",))


def check_size(raw: bytes, most_bytes: int) -> None:
    """Refuse a body that is larger than the vendor takes."""
    if len(raw) > most_bytes:
        raise Breach(Rule.TOO_LARGE, status=413, names=(str(len(raw)), str(most_bytes)))


def check_window(tokens: int, window: int) -> None:
    """Refuse a request that does not fit the model's window."""
    if tokens > window:
        raise Breach(Rule.OVER_WINDOW, at=("messages",), names=(str(tokens), str(window)))


def check_pairs(messages: Sequence[Message], *, in_one_message: bool = False) -> None:
    """Refuse calls without exactly one result directly after them, stray results and repeated ids.

    `in_one_message` asks for all results of an answer in one message of the request.
    """
    seen: set[str] = set()
    open_pairs = _OpenPairs()
    for message in messages:
        if message.role == "tool":
            open_pairs.settle(message, in_one_message=in_one_message)
            continue
        open_pairs.check_settled(message)
        for call in message.calls:
            if call.id in seen:
                raise Breach(Rule.REPEATED_ID, at=call.at, names=(call.id,))
            seen.add(call.id)
        open_pairs = _OpenPairs(message)
    open_pairs.check_settled(None)


class _OpenPairs:
    """The calls of one assistant message, and which of them have had their results."""

    def __init__(self, asking: Message | None = None) -> None:
        self._asking = asking
        self._waiting = [call.id for call in asking.calls] if asking else []
        self._settled: set[str] = set()
        self._place: Place = ()

    def settle(self, result: Message, *, in_one_message: bool) -> None:
        """Take a result. The first two steps of its place are the list and the message's number."""
        call_id = result.tool_call_id
        if call_id in self._settled:
            raise Breach(Rule.REPEATED_RESULT, at=result.at, names=(call_id,))
        if call_id not in self._waiting:
            raise Breach(Rule.STRAY_RESULT, at=result.at, names=(call_id,))
        if in_one_message and self._settled and result.at[:2] != self._place:
            self.check_settled(None)
        self._place = result.at[:2]
        self._waiting.remove(call_id)
        self._settled.add(call_id)

    def check_settled(self, following: Message | None) -> None:
        """Refuse to go on while a call waits."""
        if not self._waiting:
            return
        is_text = following is not None and following.role == "user"
        raise Breach(
            Rule.TEXT_INSIDE_PAIR if is_text else Rule.UNPAIRED_CALL,
            at=self._asking.at if self._asking else (),
            names=tuple(self._waiting),
        )
