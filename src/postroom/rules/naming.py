"""Names and short forms: handles and relations (systems.md 3.3, 3.5)."""

import re
from functools import lru_cache

HANDLE = re.compile(r"^[a-z0-9](?:[a-z0-9]|-(?=[a-z0-9])){0,15}_[0-9a-f]{8}\Z")
UUID = re.compile(r"^[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\Z")
PLUGIN = re.compile(r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}\Z")
_NO_PLUGIN = frozenset(("background", "person", "runtime", "system", "user"))
"""Names that others speak under."""
HANDLE_ATTEMPTS = 16
"""Tries for a handle that is free in the tree (CK-23)."""
TAIL_CHARS = 8
"""The fewest last characters of an ask's id that name it; its first ones are a time and name nothing."""


def slug(profile: str) -> str:
    """A profile's name as the first half of a handle: at most 16 characters of `[a-z0-9-]`."""
    squeezed = re.sub(r"[^a-z0-9]+", "-", profile.lower()).strip("-")
    return squeezed[:16].strip("-") or "agent"


def handle(profile: str, token: str) -> str:
    """`researcher_1a2b3c4d`; the token is random, never cut from an id (O-07)."""
    return f"{slug(profile)}_{token}"


@lru_cache(maxsize=1024)
def tool_name(name: str) -> str:
    """A tool's name as every provider takes it back in history, whatever a model has made up."""
    return re.sub(r"[^a-zA-Z0-9_-]", "_", name)[:64] or "unknown"


def is_plugin_name(name: str) -> bool:
    """Whether a plugin or a hook may be called so: letters, digits, and `_ . -` behind the first."""
    return PLUGIN.match(name) is not None and name.lower() not in _NO_PLUGIN


def is_uuid(reference: str) -> bool:
    """Whether a reference is read as an id rather than as a handle."""
    return UUID.match(reference) is not None


def id_of(reference: str) -> str:
    """The id of a message or an ask as it is stored, however somebody has written it down."""
    return reference.strip().lower()


TASK = re.compile(r"^t_[0-9a-f]{14}\Z")


def is_task_id(reference: str) -> bool:
    """Whether a reference is read as the id of a task."""
    return TASK.match(reference) is not None


_NODE_DIGITS = 18
"""The longest number that is read as the key of a node."""


def node_number(reference: str) -> int | None:
    """The key of a node that a reference is read as; nothing where it is none."""
    is_number = reference.isascii() and reference.isdigit() and len(reference) <= _NODE_DIGITS
    return int(reference) if is_number else None


SHOWN_CHARS = 64
"""How much of a reference that leads nowhere is said back."""


def printed(
    addressing: str, session_id: str, handle: str | None, branch_id: str, *, is_active: bool = True
) -> str:
    """An agent as a policy's grammar prints it; empty where it has no address there.

    What is printed is always the agent's own: a session's id and handle mean its active branch only.
    """
    if addressing == "branch":
        return of_branch(session_id, branch_id)
    if addressing == "session":
        return session_id if is_active else ""
    if addressing == "team" and not is_active:
        return of_branch(session_id, branch_id)
    return handle or session_id


def of_branch(session_id: str, branch_id: str) -> str:
    """`SID:BRANCH`: what names any agent, whatever its session's id means."""
    return f"{session_id}:{branch_id}"


RELATIONS = ("parent", "child", "sibling", "*", "ancestor", "descendant", "tree", "workspace")
"""The words by which rules name a recipient. The last four are used where a policy ships rules on them."""


def relation(sender: int, sender_parent: int | None, recipient: int, recipient_parent: int | None) -> str:
    """The recipient's relation to the sender; everything farther is only `*` (CK-4, CK-5)."""
    if recipient_parent == sender:
        return "child"
    if sender_parent == recipient:
        return "parent"
    if sender_parent is not None and sender_parent == recipient_parent:
        return "sibling"
    return "*"
