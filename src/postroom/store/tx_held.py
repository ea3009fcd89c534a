"""The outbox: messages that are durable with their sender only, until they may go."""

import json
from dataclasses import replace

from postroom.domain.event import EventKind
from postroom.domain.keys import BranchKey, CallKey, MessageKey, PolicyKey, SessionKey
from postroom.domain.message import HeldFor, State
from postroom.rules.lifecycle import is_counted
from postroom.store.rows import Held, RecipientRow, held
from postroom.store.tx_mail import Letter, MailTx


class HeldTx(MailTx):
    """Held mail in the store, beside what is in mailboxes."""

    __slots__ = ()

    def hold(
        self, message: MessageKey, letter: Letter, to: RecipientRow, recipient_state: str, why: HeldFor
    ) -> None:
        """A message that is written lies with its sender: nothing of its recipient changes, its call ends."""
        kind, mode = str(letter.kind), str(letter.mode)
        delivery = self._insert(
            "insert_held", message, to.branch, letter.sender, kind, mode, str(why), str(recipient_state),
            self.now_us, letter.expires_us,
        )  # fmt: skip
        event = {
            "message": message, "delivery": delivery, "branch": to.branch, "sender": letter.sender,
            "kind": kind, "mode": mode, "reason": why, "call": letter.call,
            "expires_us": letter.expires_us,
        }  # fmt: skip
        if is_counted(letter.kind):
            self._do("add_to_pair", letter.sender, to.branch, 0, 1)
        session = letter.sender_session or 0
        self.event(
            session, EventKind.MESSAGE_HELD, json.dumps(event), actor=letter.actor, turn=letter.sender_turn
        )

    def admit(
        self, item: Held, to: RecipientRow, recipient_state: str, actor: str, *, keeps_outbox: bool
    ) -> None:
        """A held message enters its recipient's mailbox, behind what is there."""
        d, seq = item.delivery, to.mailbox_seq + 1
        accepted = replace(d, state=State.ACCEPTED, seq=seq)
        self.move(d, State.ACCEPTED, accepted)
        self._do("admit", seq, str(recipient_state), self.now_us, to.rounds, d.key)
        self._do("count_accepted", seq, 0, 0, 0, 0, to.branch)  # what it counts for has moved with it
        sent = f'{{"message":{d.message},"to":{to.branch},"call":{item.call},"kind":"{d.kind}"}}'
        self.event(item.session, EventKind.MESSAGE_SENT, sent, actor=actor, turn=item.turn)
        if keeps_outbox:
            self.log_delivered(item.session, (d.message, d.key, to.branch), actor, item.turn)
        self.log_accepted(to, (d.message, d.key, d.sender, d.kind, d.mode, seq, None), actor)

    def first_held(self, sender: int, recipient: int) -> Held | None:
        """The oldest of what one agent may not send yet to another."""
        return self._find("first_held", held, sender, recipient)

    def holders_for(self, recipient: int) -> list[BranchKey]:
        """Who may not send something yet to one agent, the one that has waited longest first."""
        return self._values("holders_for", BranchKey, recipient)

    def held_of_pair(self, sender: int, recipient: int) -> list[Held]:
        """What one agent may not send yet to another, oldest first."""
        return self._each("held_of_pair", held, sender, recipient)

    def held_pairs(self, sender: int) -> list[BranchKey]:
        """To whom one agent may not send something yet."""
        return self._values("held_pairs", BranchKey, sender)

    def holding_branches(self) -> list[BranchKey]:
        """Every agent that may not send something yet."""
        return self._values("holding_branches", BranchKey)

    def trees_of_makers(self, branch: int, but: int) -> list[tuple[SessionKey, PolicyKey]]:
        """The root and the policy of every tree in which a maker of an agent lives, except one."""
        rows = self._all("trees_of_makers", branch, but)
        return [(SessionKey(int(str(root))), PolicyKey(int(str(policy)))) for root, policy in rows]

    def maker_call(self, branch: int) -> CallKey | None:
        """The call that made an agent; none where the person did."""
        return self._value("maker_call", CallKey, branch)

    def held_copy(self, sender: int, recipient: int, body: str, since_us: int) -> bool:
        """Whether the same text to the same recipient is held, and is younger than this."""
        return self._one("held_copy", sender, recipient, since_us, body) is not None

    def held_of_message(self, message: int, recipient: int) -> Held | None:
        """A message to one agent that lies with its sender, if it still does."""
        return self._find("held_of_message", held, message, recipient)
