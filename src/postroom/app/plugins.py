"""Mail of plugins, which they may take back (CK-39)."""

from postroom.app.base import RoomBase, allowed
from postroom.domain.message import Mode
from postroom.domain.receipt import Receipt
from postroom.service.hooks import PluginText


class PluginRoom(RoomBase):
    """What a program may do in the name of a plugin, and recall."""

    async def plugin_send(self, plugin: str, to: str, body: str, *, key: str, mode: str = "steer") -> Receipt:
        """Write to any agent as a plugin, named in any way. Durable on return; it wakes.

        It starts a chain and counts for no cap or window. The same `plugin` and `key` write once, also
        after a restart. Raises `Refused` (`invalid_body`, `invalid_arguments` for a blank name or key,
        `idempotency_conflict`, `mailbox_limit`), `NotFound`, `RoomClosed`.
        """
        found = await self.agent_of(to)
        text = PluginText(plugin=plugin, body=body, mode=Mode(mode), key=key)
        return allowed(await self.office.plugin_send(found.branch, text), to).receipt

    async def plugin_recall(self, plugin: str, message_id: str) -> None:
        """Take a plugin's own message back before anybody reads it. Twice is fine.

        Raises `Refused` (`unknown_reference`, `already_being_read`, `already_ended`).
        """
        self.check_open()
        allowed(await self.office.recall(message_id, plugin), message_id)
