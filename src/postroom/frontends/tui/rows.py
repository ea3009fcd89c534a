"""The rows of a transcript in a terminal. Live and later they come from the same place and look alike.

Every text stands behind a bar, so that nothing in it can pass for a heading of ours; what steers a terminal
is shown and not obeyed.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Final

from rich.text import Text

from postroom.frontends.cli.output import shown
from postroom.frontends.cli.texts import clock
from postroom.frontends.cli.words import counted
from postroom.frontends.tui.walled import BAR
from postroom.observe.transcript_parts import CallView, Letter, Reached
from postroom.observe.transcript_rows import (
    AnswerRow,
    CallsRow,
    CloseReportRow,
    MailInRow,
    MailOutRow,
    NoticeRow,
    Row,
    SpawnRow,
    SummaryRow,
    TextRow,
    TurnEndRow,
    WaitingRow,
)

LABELS: Final[Mapping[str, tuple[str, str]]] = {
    "user": ("YOU", "bold cyan"), "agent": ("AGENT", "bold green"), "system": ("POSTROOM", "bold magenta"),
    "plugin": ("PLUGIN", "bold yellow"), "mixed": ("MIXED", "bold blue"),
}  # fmt: skip
"""Who speaks, in a word and a style: never by the style alone."""
LINES_MAX: Final = 200
"""Lines of one text that are shown; what is left out is counted."""


def row_text(row: Row) -> Text:
    """One row, with its heading and whatever it says."""
    return _BY_KIND[row.kind](row)


def heading(provenance: str, words: str, ts_us: int) -> Text:
    """Who speaks, what kind of thing it is, and when."""
    label, style = LABELS[provenance]
    text = Text().append(clock(ts_us), style="dim").append(f" {label} ", style=style)
    return text.append(one_line(words))


def one_line(words: str) -> str:
    """A name or a code as one line that steers nothing."""
    return shown(" ".join(words.split()))


def cut(words: str, cells: int) -> str:
    """Words in at most so many columns of a terminal; wide characters take two."""
    text = Text(words)
    text.truncate(cells, overflow="ellipsis")
    return text.plain


def body(text: str, missing_chars: int = 0) -> Text:
    """A text behind its bar."""
    lines = shown(text).splitlines()
    told = [f"{BAR}{line}" for line in lines[:LINES_MAX]]
    if len(lines) > LINES_MAX:
        told.append(f"{BAR}… {len(lines) - LINES_MAX} lines more")
    if missing_chars:
        told.append(f"{BAR}… {missing_chars} characters more")
    return Text("".join(f"\n{line}" for line in told))


def _text(row: TextRow) -> Text:
    if row.provenance == "mixed":
        return _letters(row.parts, row.ts_us)
    head = heading(row.provenance, "", row.ts_us)
    for part in row.parts:
        head.append_text(body(part.text, part.missing_chars))
    return head


def _answer(row: AnswerRow) -> Text:
    head = heading(row.provenance, f"answer, round {row.round}", row.ts_us)
    return head.append_text(body(row.text, row.missing_chars))


def _calls(row: CallsRow) -> Text:
    text = heading(row.provenance, "", row.ts_us)
    text.append(f"calls {len(row.calls)} tools" if len(row.calls) > 1 else "calls a tool")
    for call in row.calls:
        text.append(
            f"\n  {'✗' if call.is_error else '•'} {_call(call)}", style="red" if call.is_error else ""
        )
    return text


def _call(call: CallView) -> str:
    asks = "".join(f" [{ask.ask_kind} {ask.state}]" for ask in call.asks)
    result = one_line(call.result)[:80]
    return (
        one_line(f"{call.tool}({call.arguments[:80]})")
        + f" {call.state}{asks}"
        + (f": {result}" if result else "")
    )


def _mail_in(row: MailInRow) -> Text:
    return _letters(row.parts, row.ts_us)


def _letters(letters: Iterable[Letter], ts_us: int) -> Text:
    text = Text()
    for n, letter in enumerate(letters):
        text.append("\n" if n else "").append_text(_letter(letter, ts_us))
    return text


def _letter(letter: Letter, ts_us: int) -> Text:
    """Mail as it came in: from whom, in which mode, and how it stands (CK-32)."""
    sender = f" from {letter.sender.name}" if letter.sender.name else ""
    what = f"{letter.message_kind}{sender}, {letter.mode}: {standing(letter)}"
    return heading(letter.provenance, what, ts_us).append_text(body(letter.text, letter.missing_chars))


def standing(one: Letter | Reached) -> str:
    """The state of a message with one recipient, in words."""
    parked = " (parked)" if one.parked else ""
    reason = f" ({one.reason})" if one.reason else ""
    read = f", read in round {one.read_round}" if one.read_round is not None else ""
    return f"{one.state}{reason}{parked}{read}{', in a part that was left' if one.reverted else ''}"


def _mail_out(row: MailOutRow) -> Text:
    to = "; ".join(f"{one.to.name} {standing(one)}" for one in row.to) or row.selector
    return heading(
        row.provenance, f"{row.what} {row.message_kind} to {to}, {row.mode}", row.ts_us
    ).append_text(body(row.summary))


def _spawn(row: SpawnRow) -> Text:
    how = "in the background" if row.background else "and waits"
    cause = f" ({row.cause})" if row.cause else ""
    what = f"gave work to {row.agent.name} {how}: {row.status}{cause}, {row.tokens} tokens"
    return heading(row.provenance, what, row.ts_us).append_text(body(row.preview or row.description))


def _close_report(row: CloseReportRow) -> Text:
    text = heading(row.provenance, f"the bus has closed: {row.read} read", row.ts_us)
    text.append_text(body(row.sentence) if row.sentence else Text())
    for one in row.undelivered:
        text.append_text(body(f"unread, {one.sender} to {one.to}: {one.text}", one.missing_chars))
    return text


def _notice(row: NoticeRow) -> Text:
    return heading(row.provenance, row.code, row.ts_us).append_text(body(row.text, row.missing_chars))


def _summary(row: SummaryRow) -> Text:
    head = heading(row.provenance, f"a summary stands for {row.covers} items", row.ts_us)
    return head.append_text(body(row.text, row.missing_chars))


def _turn_end(row: TurnEndRow) -> Text:
    cause = ": ".join(part for part in (row.code, row.cause) if part)
    remedy = f" ({row.remedy})" if row.remedy else ""
    what = f"turn {row.state} after {counted(row.rounds, 'round')}" + (f": {cause}{remedy}" if cause else "")
    return heading(row.provenance, what, row.ts_us)


def _waiting(row: WaitingRow) -> Text:
    return _letter(row.letter, row.ts_us)


_BY_KIND: Final[Mapping[str, Callable[..., Text]]] = {
    "text": _text, "answer": _answer, "calls": _calls, "mail_in": _mail_in, "mail_out": _mail_out,
    "spawn": _spawn, "close_report": _close_report, "notice": _notice, "summary": _summary,
    "turn_end": _turn_end, "waiting": _waiting,
}  # fmt: skip
