"""What the routes of the API reach: the room, and what the daemon keeps around it."""

from dataclasses import dataclass

from postroom.app import Postroom


@dataclass(frozen=True, slots=True, kw_only=True)
class House:
    """The open room that one daemon serves."""

    room: Postroom
