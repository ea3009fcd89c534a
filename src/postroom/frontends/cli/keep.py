"""`postroom backup` and `postroom restore`: a store as one file, and back."""

from pathlib import Path

from postroom.frontends.cli.exits import DONE
from postroom.frontends.cli.output import Output
from postroom.frontends.cli.parser import Asked
from postroom.frontends.cli.reach import store_of
from postroom.observe.backup import back_up
from postroom.observe.restore import restore as restore_store
from postroom.profiles.places import path_of


def backup(asked: Asked, out: Output) -> int:
    """Copy the store into one file."""
    made = back_up(store_of(asked), _typed_path(asked), force=asked.flag("force"))
    if out.as_json:
        out.document({"backup": str(made.path), "bytes": made.file_bytes, "schema": made.schema})
    else:
        out.line(f"wrote {made.path}, {made.file_bytes} bytes")
    return DONE


def restore(asked: Asked, out: Output) -> int:
    """Make the store from a backup."""
    done = restore_store(_typed_path(asked), store_of(asked), force=asked.flag("force"))
    aside = None if done.set_aside is None else str(done.set_aside)
    if out.as_json:
        out.document({"store": str(done.folder), "backup": str(done.backup.path), "set_aside": aside})
        return DONE
    out.line(f"restored {done.folder} from {done.backup.path}")
    if aside is not None:
        out.line(f"the store that was there is now {aside}")
    out.note("what it had begun goes on when a process opens it, see `postroom ps`")
    return DONE


def _typed_path(asked: Asked) -> Path:
    return path_of(asked.text("file"))
