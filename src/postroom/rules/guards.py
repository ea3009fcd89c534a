"""The guards of accept: limits on counts that the accepting transaction has just read."""

from postroom.domain.chain import Chain, ChainLimits
from postroom.domain.message import HARD_BODY_BYTES_MAX, HARD_WAITING_MAX, RESUBMITTED, RETRIED
from postroom.domain.policy import Policy
from postroom.domain.receipt import Code
from postroom.rules.envelope import PLUGIN
from postroom.rules.text import is_blank, is_encodable

_OWN_IDS = (PLUGIN, RESUBMITTED, RETRIED)
"""How ids begin that the runtime gives by itself, and that stand where a client's own do."""


def check_client_id(client_id: str | None) -> Code | None:
    """A client may choose any id that can be kept, and that the runtime will never give to another text."""
    if not client_id:
        return None
    is_usable = is_encodable(client_id) and not client_id.startswith(_OWN_IDS)
    return None if is_usable else Code.INVALID_ARGUMENTS


def check_body(body: str, bytes_max: int) -> Code | None:
    """Blank, unencodable or too long in UTF-8 bytes (CK-15, O-27, O-28, O-29)."""
    if not is_encodable(body) or is_blank(body):
        return Code.INVALID_BODY
    limit = min(bytes_max, HARD_BODY_BYTES_MAX)
    size = len(body) if body.isascii() else len(body.encode())
    return Code.INVALID_BODY if size > limit else None


def is_too_long(body: str, bytes_max: int) -> bool:
    """Of a body that is refused: whether it could be said, if it were shorter."""
    sayable = is_encodable(body) and not is_blank(body)
    return sayable and check_body(body, bytes_max) is not None


def check_mailbox(n_cap: int, n_waiting: int, policy: Policy) -> Code | None:
    """The recipient's cap counts its unacknowledged agent mail (CK-16); the hard limit counts all.

    A mailbox that drops its oldest mail is never full.
    """
    refuses = policy.overflow == "refuse"
    if refuses and policy.mailbox_cap is not None and n_cap >= policy.mailbox_cap:
        return Code.INBOX_FULL
    return check_waiting(n_waiting)


def check_waiting(n_waiting: int) -> Code | None:
    """The hard limit of every mailbox, whatever counts for its cap."""
    return Code.MAILBOX_LIMIT if n_waiting >= HARD_WAITING_MAX else None


def check_pair(unacked: int, policy: Policy) -> Code | None:
    """The window of one directed pair (CK-18)."""
    full = policy.pair_window is not None and unacked >= policy.pair_window
    return Code.INFLIGHT_FULL if full else None


def check_pair_cap(messages: int, policy: Policy) -> Code | None:
    """What one sender has held, unread and being read at one recipient (DS-30)."""
    full = policy.pair_cap is not None and messages >= policy.pair_cap
    return Code.MAILBOX_FULL if full else None


def check_hop(hop: int, policy: Policy) -> Code | None:
    """Limit 1 lets hops 0 and 1 pass (CK-19)."""
    over = policy.hops_max is not None and hop > policy.hops_max
    return Code.MAX_HOPS_EXCEEDED if over else None


def check_chain(chain: Chain) -> Code | None:
    """A spent chain refuses sends and delegations and wakes nobody."""
    return Code.CHAIN_SPENT if chain.is_spent else None


def check_messages(messages: int, limits: ChainLimits) -> Code | None:
    """At limit - 1 one more passes, at the limit none does (OP-34)."""
    spent = limits.messages_max is not None and messages >= limits.messages_max
    return Code.MESSAGES_SPENT if spent else None


def check_generations(generations: int, limits: ChainLimits) -> Code | None:
    """Limit 1: the person's agent makes agents, and they make none (OP-59)."""
    spent = limits.generations_max is not None and generations >= limits.generations_max
    return Code.GENERATIONS_SPENT if spent else None


def check_fan_out(fan_out: int, limits: ChainLimits) -> Code | None:
    """Agents that this turn has made already (OP-61)."""
    spent = limits.fan_out_max is not None and fan_out >= limits.fan_out_max
    return Code.FAN_OUT_SPENT if spent else None
