"""Where the platform keeps a person's settings and data.

`platformdirs` knows every platform and takes longer to load than all of `postroom ps`; on Linux the
answer is one line of the XDG base directory specification, so there it is not asked.
"""

import os
import sys
from pathlib import Path
from typing import Final

from postroom.errors import ConfigFault

APP_NAME: Final = "postroom"
PERSON_FILE: Final = "config.toml"


def config_folder() -> Path:
    """The folder of the person's settings."""
    if sys.platform == "linux":
        return _xdg("XDG_CONFIG_HOME", ".config")
    import platformdirs  # noqa: PLC0415 - slow to load

    return platformdirs.user_config_path(APP_NAME)


def data_folder() -> Path:
    """The folder of the person's data."""
    if sys.platform == "linux":
        return _xdg("XDG_DATA_HOME", ".local/share")
    import platformdirs  # noqa: PLC0415 - slow to load

    return platformdirs.user_data_path(APP_NAME)


def _xdg(name: str, default: str) -> Path:
    """A relative path in the variable is to be ignored, says the specification."""
    base = Path(os.environ.get(name, "").strip())
    return (base if base.is_absolute() else Path.home() / default) / APP_NAME


def path_of(text: str) -> Path:
    """The path that a text means. Raises `ConfigFault` for the home of somebody who is not known here."""
    try:
        return Path(text).expanduser()
    except RuntimeError:
        msg = f"`{text}` begins with the home of somebody who is not known here"
        raise ConfigFault(msg, remedy="write the whole path") from None
