"""What a person who watches hears in words: what lands with a reader of a bus, and what they are told.

Events hold no text (G12); these are the words to two kinds of them.
"""

from postroom.domain.message import Kind
from postroom.domain.node import MailFacts
from postroom.domain.plain import Json
from postroom.rules.envelope_roster import mail
from postroom.store.tx import Tx

HEARD_CHARS = 2_000
"""How much of one text: a line for whoever watches, not the record."""


def landed(tx: Tx, message: int, branch: int) -> Json:
    """A message of an agent as the reader of its bus gets it; `None` for one that went to a mailbox."""
    post = tx.post_row(message)
    reader = tx.reader_of_branch(post.bus, branch) if post is not None else None
    if post is None or reader is None or post.kind is not Kind.MAIL:
        return None
    is_older = post.seq <= reader.opened_seq
    facts = MailFacts(kind=post.kind, sender=post.sender_address, replayed=is_older, limit_chars=HEARD_CHARS)
    return {"reader": "" if reader.is_entry else reader.address, "text": mail(post.body, facts)}


def notice(tx: Tx, key: int) -> str:
    """What the person was told; empty where that was deleted."""
    found = tx.person_notices_after(key - 1, 1)
    return found[0].body if found and found[0].key == key else ""
