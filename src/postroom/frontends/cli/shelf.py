"""`postroom archive`, `rename`, `retitle` and `delete`: what becomes of agents that are done."""

from postroom.domain.plain import Json
from postroom.frontends.cli.ask_texts import plain
from postroom.frontends.cli.beginning import is_somebody_there
from postroom.frontends.cli.change import Change
from postroom.frontends.cli.changing import do_change
from postroom.frontends.cli.exits import DONE
from postroom.frontends.cli.output import Output
from postroom.frontends.cli.parser import Asked, Usage
from postroom.frontends.cli.words import counted


def archive(asked: Asked, out: Output) -> int:
    """Retire an agent for good."""
    arguments: dict[str, Json] = {"session": asked.text("session"), "reason": asked.text("reason")}
    if (agent := asked.text_or_none("agent")) is not None:
        arguments["agent"] = agent
    return do_change(
        asked, out, Change(command="archive", arguments=arguments, told=_archived, repeatable=True)
    )


def _archived(found: dict[str, Json]) -> str:
    if found["already"]:
        return f"{found['address']} was archived before"
    if not found["messages"]:
        return f"archived {found['address']}"
    waiting = counted(found["messages"], "message")
    tasks = f", {counted(found['tasks'], 'task')} of them" if found["tasks"] else ""
    return f"archived {found['address']}; {waiting} discarded{tasks}"


def rename(asked: Asked, out: Output) -> int:
    """Give an agent a name."""
    arguments: dict[str, Json] = {"agent": asked.text("agent"), "name": asked.text("name")}
    return do_change(asked, out, Change(
        command="rename", arguments=arguments, repeatable=True,
        told=lambda found: f"{plain(str(found['before']))} is called {plain(str(found['name']))} now",
    ))  # fmt: skip


def retitle(asked: Asked, out: Output) -> int:
    """Give a session another title."""
    arguments: dict[str, Json] = {"session": asked.text("session"), "title": asked.text("title")}
    return do_change(asked, out, Change(
        command="retitle", arguments=arguments, repeatable=True,
        told=lambda found: f"{found['session_id']} is titled {plain(str(found['title']))} now",
    ))  # fmt: skip


def delete(asked: Asked, out: Output) -> int:
    """Delete a session, after a last question."""
    session = asked.text("session")
    if not asked.flag("yes"):
        if out.as_json or not is_somebody_there():
            raise Usage("deleting cannot be undone", remedy=f"say it: postroom delete {session} --yes")
        out.note(f"{session} and its texts will be gone for good.")
        if input("Type yes to delete it: ").strip().lower() != "yes":
            out.note("nothing was deleted")
            return DONE
    return do_change(asked, out, Change(command="delete", arguments={"session": session}, told=_deleted))


def _deleted(found: dict[str, Json]) -> str:
    kept = f"; {counted(found['kept'], 'item')} stay for another session" if found["kept"] else ""
    texts = f"{counted(found['messages'], 'message')} and {counted(found['nodes'], 'item')}"
    return f"deleted {found['session_id']}: {counted(found['agents'], 'agent')}, {texts}{kept}"
