"""A plugin that keeps a list of all mail and lets no key out.

It needs nothing of Postroom: `pluggy`, which Postroom brings along, marks its hooks.
"""

import json
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pluggy import HookimplMarker

hookimpl = HookimplMarker("postroom")
SECRET = re.compile(r"\b(?:sk|key|ghp)[-_][A-Za-z0-9]{16,}")
LIST = Path(os.environ.get("MAIL_AUDIT", "mail-audit.jsonl"))


class MailAudit:
    """One line for every mail that was accepted, read, refused or stopped."""

    name = "mail-audit"
    # A guard that fails should rather stop a message than let a key out.
    on_failure = "deny"

    @hookimpl
    def postroom_event(self, event: Mapping[str, Any]) -> None:
        """Told of everything that has happened, in order, after it is on disk."""
        if event["kind"].startswith("message.") or event["kind"] in ("hook.decided", "gap"):
            kept = {key: event.get(key) for key in ("pos", "kind", "agent", "actor", "to", "message_id")}
            with LIST.open("a", encoding="utf-8") as file:
                file.write(json.dumps(kept) + "\n")

    @hookimpl
    def postroom_before_call(self, call: Any) -> str | None:
        """Asked before a call is made: a text is the reason why it may not be."""
        if call.tool == "send_message" and SECRET.search(call.body):
            return "the message holds something that looks like a key; say where it is kept instead"
        return None
