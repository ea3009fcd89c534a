"""What a conversation looks like: text as it comes, everything else on one line each."""

import sys
from typing import Final

from postroom.daemon.wire import Failure
from postroom.domain.plain import Json
from postroom.frontends.cli.output import Output, Pieces, shown
from postroom.frontends.cli.texts import Row, text
from postroom.rules.text import brief

_LINE_CHARS: Final = 100
_PROMPT: Final = "> "
_CLEAR: Final = "\r\x1b[K"
"""Back to the start of the line, and nothing behind it."""


class Screen:
    """A terminal, a pipe that gets the answers alone, or JSON lines."""

    def __init__(self, out: Output, *, is_interactive: bool) -> None:
        self._out = out
        self._is_drawn = is_interactive and out.is_terminal and not out.as_json
        self._pieces = Pieces()
        self._at_start = True
        self._is_asking = False

    def record(self, what: str, **facts: Json) -> None:
        """Something that only programs read."""
        if self._out.as_json:
            self._out.json_line({"type": what, **facts})

    def piece(self, turn_id: str, round_: int, words: str) -> None:
        """Some more of the agent's answer."""
        if self._out.as_json:
            self.record("text", turn_id=turn_id, round=round_, text=words)
            return
        self._take_prompt_away()
        self._out.piece(self._pieces.add(words))
        self._at_start = words.endswith("\n") if words else self._at_start

    def end_line(self) -> None:
        """The answer is whole, or void."""
        self._pieces = Pieces()
        if not self._at_start:
            self._out.piece("\n")
            self._at_start = True

    def call(self, tool: str, arguments: str) -> None:
        """What the agent calls."""
        self.record("call", tool=tool, arguments=arguments)
        self._told(f"calls {tool} {arguments}")

    def mail(self, event: Row, words: str = "") -> None:
        """Who writes to whom, or in these words what lands."""
        facts = event.get("facts")
        kind = str(facts.get("kind", "")) if isinstance(facts, dict) else ""
        sender, to = text(event, "actor"), text(event, "to")
        self.record("mail", sender=sender, to=to, kind=kind, message_id=text(event, "message_id"))
        self._told(words or f"{sender} → {to}: {kind}")

    def note(self, words: str) -> None:
        """A line beside the conversation."""
        self.record("note", text=words)
        self._told(words)

    def read_out(self, words: str) -> None:
        """What the runtime tells the person, line by line and as long as it is."""
        self.record("note", text=words)
        for line in words.splitlines():
            self.tell(shown(line))

    def tell(self, words: str) -> None:
        """A line about an ask, as long as it is: what is cut off could be what matters."""
        if self._is_drawn:
            self._line(words)

    def fail(self, failure: Failure) -> None:
        """What went wrong; the conversation goes on."""
        self._take_prompt_away()
        self.end_line()
        self._out.fail(failure)

    def ready(self) -> None:
        """The person may speak."""
        if self._is_drawn and not self._is_asking:
            self.end_line()
            self._out.piece(_PROMPT)
            self._is_asking = True

    def heard(self) -> None:
        """The person has spoken, and so ended the line."""
        self._is_asking = False

    def leave(self, words: str) -> None:
        """The last line."""
        self.end_line()
        if self._is_drawn:
            self._out.piece("\n")
            self._out.note(words)

    def _told(self, words: str) -> None:
        if not self._is_drawn:
            return
        self._line(brief(shown(words), _LINE_CHARS))

    def _line(self, line: str) -> None:
        was_asking = self._is_asking
        self._take_prompt_away()
        self.end_line()
        _print_dim(f"· {line}")
        if was_asking:
            self.ready()

    def _take_prompt_away(self) -> None:
        """Before something else is written. What was typed behind it stays typed."""
        if self._is_asking:
            self._out.piece(_CLEAR if self._out.is_drawn else "\n")
            self._is_asking = False


def _print_dim(line: str) -> None:
    from rich.console import Console  # noqa: PLC0415 - only a terminal needs it
    from rich.text import Text  # noqa: PLC0415

    Console(file=sys.stdout, highlight=False, soft_wrap=True).print(Text(line, style="dim"))
