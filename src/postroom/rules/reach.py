"""Whether one agent may reach another, as both their policies see it (product.md section 5; systems.md 4.6).

Sending, listing, reading, archiving and inspecting ask the same question. The policy of who reaches out
decides first, then that of whom it reaches; the stricter one counts. What rules of profiles say of a
relation comes on top (`rules.permissions`).
"""

from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import NamedTuple

from postroom.domain.policy import Policy
from postroom.rules.permissions import Effect, strictness


class Why(StrEnum):
    """Why somebody may not be reached: for the operator, never for an agent where refusals are masked."""

    SELF = "self"
    ABSENT = "absent"  # nothing has this id
    NOT_OWN_SUBAGENT = "not_own_subagent"  # somebody else's child (DS-4)
    NO_DIRECTORY = "no_directory"  # its directory is not known, and it is on no list
    OTHER_WORKSPACE = "other_workspace"
    OTHER_TREE = "other_tree"
    OTHER_TURN = "other_turn"  # it can be reached on the bus of its own turn only
    ARCHIVED = "archived"  # it takes nothing more
    RULES = "rules"  # the rules of the one who reaches out say no


class Side(NamedTuple):
    """One of the two, as the other one's policy looks at it."""

    session_id: str
    place: str
    """The directory as it is compared; empty where there is none, or it is not there any more."""


class Meeting(NamedTuple):
    """Two agents who are not the same one."""

    is_same_root: bool
    is_own_child: bool
    """The one who is reached was made by the one who reaches out."""
    is_subagent: bool
    """The one who is reached was made by an agent."""
    reaching: Side
    reached: Side


class Reach(NamedTuple):
    """Whether it may be reached, and why not."""

    effect: Effect
    why: Why | None = None


_YES = Reach(Effect.ALLOW)


def reach(meeting: Meeting, own: Policy, other: Policy) -> Reach:
    """What both sides together say: `own` is the policy of who reaches out."""
    return max((leaves(meeting, own), lets_in(meeting, own, other)), key=lambda one: strictness(one.effect))


def leaves(meeting: Meeting, own: Policy) -> Reach:
    """What the policy of who reaches out says."""
    return _LEAVES[own.addressing](meeting, own)


def lets_in(meeting: Meeting, own: Policy, other: Policy) -> Reach:
    """What the policy of the one who is reached says."""
    return _LETS_IN[other.reachable_from](meeting, own, other)


def leads_out(own: Policy) -> bool:
    """Whether anybody beyond its tree, or its turn, has an address for its agents."""
    return own.addressing not in _WITHIN


def places_agree(meeting: Meeting) -> bool:
    """Whether both work in the same directory, which is there."""
    return bool(meeting.reaching.place) and meeting.reaching.place == meeting.reached.place


def is_within(path: str, folder: str) -> bool:
    """Whether a directory is another one or lies in it, compared by whole segments (DS-1)."""
    return path == folder or path.startswith(folder.rstrip("/") + "/")


def seven_rules(meeting: Meeting, policy: Policy, other: Side) -> Reach:
    """Rules 2 to 7 of systems.md 4.6, in their order; rule 1, the agent itself, is no meeting."""
    if meeting.is_own_child:
        return _YES
    if meeting.is_subagent:
        return Reach(Effect.DENY, Why.NOT_OWN_SUBAGENT)
    if _is_listed(policy, other):
        return _YES
    if not other.place:
        return Reach(Effect.DENY, Why.NO_DIRECTORY)
    if places_agree(meeting) or policy.crosses_workspace:
        return _YES
    return Reach(Effect.DENY, Why.OTHER_WORKSPACE)


def _is_listed(policy: Policy, other: Side) -> bool:
    return any(
        one.lower() == other.session_id.lower() or (bool(other.place) and is_within(other.place, one))
        for one in policy.allow_list
    )


def _in_tree(meeting: Meeting, own: Policy) -> Reach:
    del own
    return _YES if meeting.is_same_root else Reach(Effect.DENY, Why.OTHER_TREE)


def _in_tree_or_place(meeting: Meeting, own: Policy) -> Reach:
    """Beyond the tree only within the directory; whether that needs leave, the rules of relations say."""
    if places_agree(meeting):
        return _YES
    return _in_tree(meeting, own)


def _anywhere(meeting: Meeting, own: Policy) -> Reach:
    del meeting, own
    return _YES


def _on_its_bus(meeting: Meeting, own: Policy) -> Reach:
    """Whom an agent of a turn writes to, its bus decides; nobody else has an address there."""
    del own
    return _YES if meeting.is_same_root else Reach(Effect.DENY, Why.OTHER_TURN)


def _by_rules(meeting: Meeting, own: Policy) -> Reach:
    return seven_rules(meeting, own, meeting.reached)


def _from_workspace(meeting: Meeting, own: Policy, other: Policy) -> Reach:
    """Whoever has asked the seven rules itself has asked both; they are one set of settings."""
    if own.authorisation == "directory":
        return _YES
    return seven_rules(meeting, other, meeting.reaching)


def _from_tree(meeting: Meeting, own: Policy, other: Policy) -> Reach:
    del other
    return _in_tree(meeting, own)


def _from_place(meeting: Meeting, own: Policy, other: Policy) -> Reach:
    """The person is asked, unless the rules of who reaches out ask already."""
    del other
    if meeting.is_same_root:
        return _YES
    if not places_agree(meeting):
        return Reach(Effect.DENY, Why.OTHER_WORKSPACE)
    return _YES if own.relations else Reach(Effect.ASK)


def _from_anywhere(meeting: Meeting, own: Policy, other: Policy) -> Reach:
    del meeting, own, other
    return _YES


def _from_turn(meeting: Meeting, own: Policy, other: Policy) -> Reach:
    del other
    return _on_its_bus(meeting, own)


_WITHIN = frozenset({"tree", "roster"})
_LEAVES: Mapping[str, Callable[[Meeting, Policy], Reach]] = {
    "tree": _in_tree,
    "team": _in_tree_or_place,
    "branch": _anywhere,
    "session": _by_rules,
    "roster": _on_its_bus,
}
"""By `Policy.addressing`: what cannot be named cannot be reached."""
_LETS_IN: Mapping[str, Callable[[Meeting, Policy, Policy], Reach]] = {
    "tree": _from_tree,
    "workspace": _from_place,
    "directory": _from_workspace,
    "anywhere": _from_anywhere,
    "turn": _from_turn,
}
"""By `Policy.reachable_from`."""
