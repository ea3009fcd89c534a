"""Contexts: what of a conversation is sent to a model, and summaries in the place of its beginning."""

from postroom.domain.event import EventKind
from postroom.domain.keys import NodeKey, TurnKey
from postroom.domain.node import Node
from postroom.errors import BrokenPredecessorChain
from postroom.store.tx_log import LogTx


class ContextTx(LogTx):
    """Contexts in the store."""

    __slots__ = ()

    def texts_to_summary(self, head: int) -> list[Node]:
        """A conversation from its newest summary to a node, or all of it, oldest first, without results.

        Raises `BrokenPredecessorChain` where it ends at a node that is not there (OP-93).
        """
        rows = self._all("texts_to_summary", head)
        if rows and rows[-1][0] is None:
            raise self._broken(head)
        return list(map(Node._make, reversed(rows)))

    def _broken(self, head: int) -> BrokenPredecessorChain:
        at, missing = self._one("missing_predecessor", head) or (None, head)
        return BrokenPredecessorChain(f"node {at} follows node {missing}, which is not there")

    def newest_summary(self, head: int | None) -> Node | None:
        """The newest summary of a conversation."""
        row = None if head is None else self._one("newest_summary", head)
        return None if row is None else Node._make(row)

    def compact(
        self, session: int, branch: int, node: NodeKey, through: int, chars: int, turn: TurnKey | None
    ) -> None:
        """A summary is the head now; a request is as long as its own text and what stays beside it."""
        self._do("set_head", node, chars, branch)
        event = f'{{"branch":{branch},"node":{node},"through":{through},"chars":{chars}}}'
        self.event(session, EventKind.CONTEXT_COMPACTED, event, turn=turn)
