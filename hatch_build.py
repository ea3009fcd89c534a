"""Builds the page into the package before a wheel or an archive of the source is made.

Who installs a wheel needs no Node.js. Where Node.js is missing, the page that lies there is taken as it is;
where there is none either, the build fails rather than give a daemon without its page.
"""

import shutil
import subprocess
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

STATIC = Path("src") / "postroom" / "frontends" / "web" / "static"


class PageHook(BuildHookInterface[Any]):
    """`npm ci` and `npm run build` in `web/`, from its lock file."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build, or be content with what was built before. An editable install takes what it finds."""
        del build_data
        if version == "editable":
            return
        root = Path(self.root)
        npm = shutil.which("npm")
        if npm is not None and (root / "web").is_dir():
            for words in (["ci", "--no-audit", "--no-fund"], ["run", "build"]):
                subprocess.run([npm, *words], cwd=root / "web", check=True)  # noqa: S603 -- npm of the path
        elif not (root / STATIC / "index.html").is_file():
            msg = "the page is not built and there is no npm to build it: install Node.js 20 or newer"
            raise RuntimeError(msg)
