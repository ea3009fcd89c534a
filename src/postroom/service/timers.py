"""The person's texts that are said later: durable, due at a wall time, said once.

A text whose time comes is not the person speaking now, so it ends no pause (G11): in a paused mailbox it
waits like any mail.
"""

from dataclasses import dataclass

from postroom.domain.keys import BranchKey
from postroom.domain.receipt import Code, Refusal
from postroom.rules.guards import check_client_id
from postroom.service.addresses import closed_to_all
from postroom.service.budgets import LimitsNow, unknown_limits
from postroom.service.decisions import expire_asks
from postroom.service.expiry import expire_mail
from postroom.service.facts import Directory, Ring
from postroom.service.say import Text, check_text, post_text
from postroom.store.tx import Tx
from postroom.store.tx_work import TimerRow


@dataclass(frozen=True, slots=True, kw_only=True)
class Fired:
    """How many texts were said, when the next is due, and what is to be looked at."""

    said: int
    next_us: int | None
    ring: Ring


def set_timer(tx: Tx, branch: BranchKey, text: Text, due_us: int) -> TimerRow | Refusal:
    """Keep a text until its time. Durable on return; a known client id gives the first timer.

    The time is not compared: who says `in ten minutes` again, says it of another moment.
    Refuses what `say` would refuse now (`invalid_arguments`, `invalid_body`, `archived`), and another text
    under a known client id.
    """
    if (code := check_client_id(text.client_id)) is not None:
        return Refusal(code=code)
    known = tx.timer_by_client(text.client_id) if text.client_id else None
    if known is not None:
        same = (known.branch, known.body, known.mode) == (branch, text.body, text.mode)
        return known if same else Refusal(code=Code.IDEMPOTENCY_CONFLICT)
    if (code := check_text(text)) is not None:
        return Refusal(code=code)
    if (closed := closed_to_all(tx, branch)) is not None:
        return closed
    session = tx.branch_row(branch).session
    return tx.insert_timer(session, branch, text.mode, text.body, text.client_id, due_us)


def fire_timers(tx: Tx, directory: Directory, limits: LimitsNow = unknown_limits) -> Fired:
    """Say every text whose time has come, each once and in order; end mail that nobody began to read in time,
    and asks that nobody decided.
    """
    ring, due = Ring(), tx.due_timers()
    for timer in due:
        text = Text(body=timer.body, mode=timer.mode)
        said = post_text(tx, timer.branch, text, limits, lifts_pause=False)
        tx.end_timer(tx.branch_row(timer.branch).session, timer.timer, "fired", said.message)
        ring.take(said.ring)
    ring.take(expire_mail(tx, directory))
    ring.take(expire_asks(tx))
    return Fired(said=len(due), next_us=next_due(tx), ring=ring)


def next_due(tx: Tx) -> int | None:
    """When something durable is due next, in microseconds of wall time: a text, an ask's end or mail's."""
    dues = [due for due in (tx.next_due(), tx.next_due_ask(), tx.next_due_mail()) if due is not None]
    return min(dues, default=None)


def cancel_timer(tx: Tx, public_id: str) -> TimerRow | Refusal:
    """Take a text back before its time. Refuses `unknown_reference` and `already_ended`."""
    timer = tx.timer_by_public_id(public_id)
    if timer is None:
        return Refusal(code=Code.UNKNOWN_REFERENCE)
    if timer.state != "set":
        return Refusal(code=Code.ALREADY_ENDED)
    tx.end_timer(tx.branch_row(timer.branch).session, timer.timer, "cancelled")
    return timer._replace(state="cancelled")
