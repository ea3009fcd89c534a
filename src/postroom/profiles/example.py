"""What `postroom init` writes: a small team that works at once, without a key.

The examples are real team folders inside the package, so that they are read, checked and run by the
same code as anybody's own. Their comments are for the person who changes them next.
"""

from pathlib import Path
from typing import Final

from postroom.errors import ConfigFault
from postroom.profiles.located import near

_FOLDER: Final = Path(__file__).parent / "examples"
DEFAULT_EXAMPLE: Final = "duo"
TRIED_BY: Final = "postroom run --team ."
"""How the settings of every example say what to try, in a comment at their top."""


def example_names() -> tuple[str, ...]:
    """The examples that this version ships."""
    return tuple(sorted(entry.name for entry in _FOLDER.iterdir() if entry.is_dir()))


def init_team(path: Path, *, example: str = DEFAULT_EXAMPLE) -> tuple[Path, ...]:
    """Write a new team folder; returns the files written.

    Overwrites nothing: raises `ConfigFault`, and leaves nothing behind, when the example is unknown,
    a file is there already, or the folder cannot be written.
    """
    if example not in example_names():
        raise ConfigFault(f"there is no example `{example}`", remedy=near(example, example_names()))
    sources = sorted(file for file in (_FOLDER / example).rglob("*") if _belongs(file))
    targets = [path / file.relative_to(_FOLDER / example) for file in sources]
    if taken := next((target for target in targets if target.exists()), None):
        raise ConfigFault(f"{taken} exists already; nothing was written", remedy="name a new folder")
    _copy(sources, targets)
    return tuple(targets)


def first_words(example: str) -> str:
    """What an example is tried with first, quoted for a shell: the rest of that line of its settings."""
    settings = (_FOLDER / example / "postroom.toml").read_text(encoding="utf-8")
    _, _, rest = settings.partition(TRIED_BY)
    return rest.partition("\n")[0].strip()


def _belongs(file: Path) -> bool:
    return file.is_file() and file.suffix in {".toml", ".md", ".yaml"}


def _copy(sources: list[Path], targets: list[Path]) -> None:
    written: list[Path] = []
    made: list[Path] = []
    try:
        for source, target in zip(sources, targets, strict=True):
            for folder in reversed([one for one in target.parents if not one.exists()]):
                folder.mkdir()
                made.append(folder)
            with target.open("xb") as file:
                written.append(target)
                file.write(source.read_bytes())
    except OSError as cause:
        for target in written:
            target.unlink(missing_ok=True)
        for folder in reversed(made):
            folder.rmdir()
        raise ConfigFault(
            f"{cause.filename or targets[0]}: cannot be written: {cause.strerror or cause}",
            remedy="check the rights of the folder and the room on the disk",
        ) from cause
