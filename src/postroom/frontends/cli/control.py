"""The commands that change something: send, recall, stop, cancel, resume, retry."""

from postroom.domain.plain import Json
from postroom.frontends.cli.change import NOTHING_RUNS, Change, message_arguments
from postroom.frontends.cli.changing import do_change
from postroom.frontends.cli.output import Output
from postroom.frontends.cli.parser import Asked
from postroom.frontends.cli.words import counted

UNREAD = f"{NOTHING_RUNS}, it will be read when a process opens this store"


def send(asked: Asked, out: Output) -> int:
    """Write to an agent, now or later."""
    if asked.text_or_none("at") is not None:
        from postroom.frontends.cli.later import send_at  # noqa: PLC0415 - few texts wait

        return send_at(asked, out)
    return do_change(asked, out, Change(
        command="send", arguments=message_arguments(asked), repeatable=True, idle=UNREAD,
        agent=asked.text("to"),
        told=lambda found: f"accepted {found['message_id']} ({found['recipient_state']})",
    ))  # fmt: skip


def recall(asked: Asked, out: Output) -> int:
    """Take back a message that nobody has read."""
    return do_change(asked, out, Change(
        command="recall", arguments={"message_id": asked.text("message")}, repeatable=True,
        told=lambda _: "taken back",
    ))  # fmt: skip


def stop(asked: Asked, out: Output) -> int:
    """Pause an agent and everything below it."""
    return do_change(asked, out, Change(
        command="stop", arguments={"session": asked.text("session")}, repeatable=True,
        told=_paused,
    ))  # fmt: skip


def _paused(found: dict[str, Json]) -> str:
    return f"paused {counted(found['paused'], 'agent')}" if found["paused"] else "paused already"


def cancel(asked: Asked, out: Output) -> int:
    """End an agent's turn or task."""
    return do_change(asked, out, Change(
        command="cancel", arguments={"session": asked.text("session")}, told=lambda _: "cancelled",
    ))  # fmt: skip


def resume(asked: Asked, out: Output) -> int:
    """Lift a pause, or go on."""
    return do_change(asked, out, Change(
        command="resume", arguments={"session": asked.text("session")}, agent=asked.text("session"),
        told=lambda found: "resumed" if found["resumed"] else "its turn waits already",
        idle=f"{NOTHING_RUNS}; it goes on when a process opens this store",
    ))  # fmt: skip


def retry(asked: Asked, out: Output) -> int:
    """Accept a message again that was set aside."""
    return do_change(asked, out, Change(
        command="retry", arguments={"message_id": asked.text("message")}, idle=UNREAD,
        told=lambda found: f"accepted {found['message_id']} ({found['recipient_state']})",
    ))  # fmt: skip
