"""`postroom prune`: the texts of conversations that are over go for good."""

from postroom.domain.plain import Json
from postroom.frontends.cli.beginning import is_somebody_there
from postroom.frontends.cli.change import Change
from postroom.frontends.cli.changing import do_change
from postroom.frontends.cli.exits import DONE
from postroom.frontends.cli.output import Output
from postroom.frontends.cli.parser import Asked, Usage
from postroom.frontends.cli.words import counted


def prune(asked: Asked, out: Output) -> int:
    """Remove them, after a last question, or only say what would go."""
    from postroom.profiles.retention_settings import DURATION, duration_s  # noqa: PLC0415 - needed here only

    typed = asked.text_or_none("older_than") or ""
    older_than_s, dry_run = duration_s(typed), asked.flag("dry_run")
    if older_than_s is None:
        what = f"{typed[:40]!r} is no length of time" if typed else "how old they must be was not said"
        raise Usage(what, remedy=f"write --older-than with {DURATION}")
    if not dry_run and not asked.flag("yes") and not _is_meant(out, typed):
        return DONE
    arguments: dict[str, Json] = {"older_than_s": older_than_s, "dry_run": dry_run}
    return do_change(
        asked, out, Change(command="prune", arguments=arguments, told=_told, idle="", repeatable=True)
    )


def _is_meant(out: Output, typed: str) -> bool:
    if out.as_json or not is_somebody_there():
        raise Usage("pruning cannot be undone", remedy=f"say it: postroom prune --older-than {typed} --yes")
    out.note(f"The texts of conversations in which nothing has happened for {typed} will be gone for good.")
    if input("Type yes to remove them: ").strip().lower() == "yes":
        return True
    out.note("nothing was removed")
    return False


def _told(found: dict[str, Json]) -> str:
    kept = f"; {counted(found['kept'], 'item')} stay for another session" if found["kept"] else ""
    texts = f"{counted(found['messages'], 'message')} and {counted(found['nodes'], 'item')}"
    verb = "would prune" if found["dry_run"] else "pruned"
    return f"{verb} {counted(found['sessions'], 'session')}: {texts}, {found['body_bytes']} bytes{kept}"
