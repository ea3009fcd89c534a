"""The mail of a store, of a tree or of an agent as it was written: newest first, a page at a time.

A page is cut by the key of its last message, and messages are written in the order of their keys. So pages
that follow each other have no gap and show nothing twice, however much mail arrives between them.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from heapq import merge
from itertools import islice
from typing import Final, TypeAlias

from postroom.domain.keys import NEWEST
from postroom.domain.message import NOBODY, State
from postroom.observe.find import find_agent, find_message, find_session
from postroom.observe.mail_views import MailAt, MailEntry, MailPage, MailView, Party, shown_at, shown_entry
from postroom.store.tx import Tx
from postroom.store.tx_timeline import TimedDelivery, TimedMessage

PAGE_MAX: Final = 200
"""The most messages that one page holds."""
LOOKED_AT_MAX: Final = 2_000
"""Messages that one page looks at, of which a filter may let none pass; the next page goes on from there."""
POSTED: Final = "posted"
"""How a message on the bus of a turn stands that nobody has taken yet."""
PARKED: Final = "parked"
"""How a message stands that was given back and opens no turn by itself."""
_CHUNK: Final = 64
_FIRST_CHUNK: Final = 4

Read: TypeAlias = Callable[[int, int, int], list[int]]


@dataclass(frozen=True, slots=True, kw_only=True)
class MailQuery:
    """Which mail is asked for. What is empty does not matter."""

    agent: str = ""
    """What an agent wrote or was sent."""
    between: str = ""
    """Of that, what went between it and this other agent."""
    session: str = ""
    """What the agents of the tree of a session wrote or were sent."""
    state: str = ""
    """How it stands with one of its recipients."""
    kind: str = ""
    before: int | None = None
    """The `next` of the page before."""
    limit: int = 50


@dataclass(frozen=True, slots=True)
class _Looked:
    """A message with how it stands everywhere."""

    message: TimedMessage
    at: list[TimedDelivery]


@dataclass(slots=True)
class Parties:
    """Agents as people see them, each read once for a page."""

    tx: Tx
    _known: dict[int, Party] = field(default_factory=dict[int, Party])

    def agent(self, branch: int) -> Party:
        """An agent; of none, where a message on a bus has reached nobody."""
        if branch not in self._known:
            self._known[branch] = _party(self.tx, branch)
        return self._known[branch]


def mail_page(tx: Tx, query: MailQuery, looked_at_max: int = LOOKED_AT_MAX) -> MailPage:
    """A page of mail, newest first. Raises `NotFound` for an agent or a session that there is not."""
    before = NEWEST if query.before is None else query.before
    other = find_agent(tx, query.between).branch if query.between else None
    keys = _keys(tx, query, before)
    found, looked_at = list[_Looked](), before
    for _ in range(0, looked_at_max, _CHUNK):
        chunk = list(islice(keys, _CHUNK))
        for looked in _look(tx, chunk):
            looked_at = looked.message.key
            if _passes(looked, query, other):
                found.append(looked)
            if len(found) == query.limit:
                return _page(tx, found, looked_at)
        if len(chunk) < _CHUNK:
            return _page(tx, found, None)
    return _page(tx, found, looked_at)


def mail_view(tx: Tx, message_id: str) -> MailView | None:
    """One message with its whole text, by its id or by that of the task that it gives."""
    key = find_message(tx, message_id)
    looked = next(_look(tx, [key]), None) if key is not None else None
    if looked is None:
        return None
    body = tx.body_of_message(looked.message.key)
    size, digest = (None if body else tx.digest_of_body(looked.message.key)) or (None, "")
    return MailView(mail=_entry(tx, Parties(tx), looked), body=body, pruned_bytes=size, pruned_sha256=digest)


def _keys(tx: Tx, query: MailQuery, before: int) -> Iterator[int]:
    """Messages before a key that may be meant, newest first, each once."""
    if query.agent:
        branch = find_agent(tx, query.agent).branch
        reads = (tx.messages_from, tx.messages_to, tx.posts_for_entry)
        return _once(_walk(read, branch, before) for read in reads)
    if query.session:
        return _once(_walks_of_tree(tx, find_session(tx, query.session).root, before))
    return _walk(lambda _, key, limit: tx.messages_before(key, limit), 0, before)


def _walks_of_tree(tx: Tx, root: int, before: int) -> Iterator[Iterator[int]]:
    """For each agent what it wrote and what it was sent; nothing is read but where each begins."""
    for head in tx.mail_heads_of_tree(root, before):
        if head.sent is not None:
            yield _walk(tx.messages_from, head.branch, head.sent, is_first=True)
        if head.got is not None:
            yield _walk(tx.messages_to, head.branch, head.got, is_first=True)
    yield from (_walk(tx.posts_for_entry, branch, before) for branch in tx.entries_of_tree(root))


def _walk(read: Read, branch: int, key: int, *, is_first: bool = False) -> Iterator[int]:
    """Backward from a key, which comes first when it is known to be one of them.

    The more of it is wanted the more is read at once: of most agents of a large tree a page wants little.
    """
    if is_first:
        yield key
    chunk = _FIRST_CHUNK if is_first else _CHUNK
    while keys := read(branch, key, chunk):
        yield from keys
        key, chunk = keys[-1], min(2 * chunk, _CHUNK)


def _once(walks: Iterable[Iterator[int]]) -> Iterator[int]:
    """All walks in one, newest first; what two agents share is there once."""
    last = 0
    for key in merge(*walks, reverse=True):
        if key != last:
            yield key
        last = key


def _look(tx: Tx, keys: Sequence[int]) -> Iterator[_Looked]:
    at: dict[int, list[TimedDelivery]] = {key: [] for key in keys}
    for one in tx.timed_deliveries(keys):
        at[one.message].append(one)
    return (_Looked(message, at[message.key]) for message in tx.timed_messages(keys))


def _passes(looked: _Looked, query: MailQuery, other: int | None) -> bool:
    message = looked.message
    return (
        (not query.kind or message.kind == query.kind)
        and (not query.state or query.state in _states(looked))
        and (other is None or other == message.sender or any(one.recipient == other for one in looked.at))
    )


def _states(looked: _Looked) -> set[str]:
    if not looked.at:
        return {POSTED}
    parked = {PARKED for one in looked.at if one.parked and one.state == State.ACCEPTED}
    return {one.state for one in looked.at} | parked


def _page(tx: Tx, found: Sequence[_Looked], looked_at: int | None) -> MailPage:
    parties = Parties(tx)
    return MailPage(messages=[_entry(tx, parties, looked) for looked in found], next=looked_at)


def _entry(tx: Tx, parties: Parties, looked: _Looked) -> MailEntry:
    message = looked.message
    sender = Party() if message.sender is None else parties.agent(message.sender)
    at = [_at(parties, one) for one in looked.at]
    return shown_entry(message, sender, at, [one.public_id for one in tx.answers_given(message.key)])


def _at(parties: Parties, one: TimedDelivery) -> MailAt:
    return shown_at(one, parties.agent(one.recipient))


def _party(tx: Tx, branch: int) -> Party:
    label = None if branch == NOBODY else tx.branch_label(branch)
    if label is None:
        return Party()
    _, address = tx.address_of_branch(branch)
    return Party(label=label.label, address=address, session_id=label.session_id, branch_id=label.branch_id)
