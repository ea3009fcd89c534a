"""The file tools as a model sees them."""

import os
from collections.abc import Callable, Mapping
from typing import Final

from postroom.llm.port import Json
from postroom.tools.base import Caller, ToolResult, Toolset
from postroom.tools.files.confine import Bounds, Folder, session_folder
from postroom.tools.files.listing import list_folder
from postroom.tools.files.paths import PathRefused, path_resource, split
from postroom.tools.files.reading import LINES_MAX, read_page
from postroom.tools.files.searching import Search, search
from postroom.tools.files.writing import Writer
from postroom.tools.python import tool, tool_from

ORIGIN: Final = "Postroom's file tools"


FILE_TOOLS: Final = frozenset(
    ("read", "edit", "files", "read_file", "list_files", "search_files", "write_file", "edit_file")
)
"""Every tool and every group here, for who wants to know whether a profile names one."""


def file_toolsets(bounds: Bounds | None = None) -> tuple[Toolset, ...]:
    """The groups `read`, `edit`, and `files` for both.

    `bounds` names what the agents must not reach (store, settings).

    Building them loads pydantic, so do it when a profile names one.
    """
    tools = FileTools(bounds or Bounds())
    reads: tuple[Callable[..., object], ...] = (tools.read_file, tools.list_files, tools.search_files)
    edits: tuple[Callable[..., object], ...] = (tools.write_file, tools.edit_file)
    reading, editing = _toolset("read", reads, "read"), _toolset("edit", edits, "write")
    both = Toolset(group="files", origin=ORIGIN, tools=(*reading.tools, *editing.tools))
    return reading, editing, both


def _toolset(group: str, functions: tuple[Callable[..., object], ...], action: str) -> Toolset:
    tools = tuple(tool_from(function, action=action, resource=_resource) for function in functions)
    return Toolset(group=group, origin=ORIGIN, tools=tools)


def _resource(caller: Caller, arguments: Mapping[str, Json]) -> str:
    """The path, which is the directory itself where the tool would take that."""
    return path_resource(arguments.get("path", "."), caller.cwd)


class FileTools:
    """The functions behind the tools. They run in threads: what they share is the writer's locks."""

    def __init__(self, bounds: Bounds) -> None:
        self._bounds = bounds
        self._writer = Writer()

    @tool(idempotent=True)
    def read_file(self, caller: Caller, path: str, offset: int = 1, limit: int = LINES_MAX) -> ToolResult:
        """Read a text file of your directory, or look at a picture (PNG, JPEG, GIF, WebP).

        Each line has its number and a tab in front, which are not part of the file.

        Args:
            path: the file, from your directory on
            offset: number of the first line
            limit: most lines to give, up to 2000
        """
        return self._do(caller, path, lambda root, parts: read_page(root, parts, offset, limit))

    @tool(idempotent=True)
    def list_files(
        self, caller: Caller, path: str = ".", pattern: str = "", *, deep: bool = False
    ) -> ToolResult:
        """List a folder of your directory: folders end in `/`, files have their size behind them.

        Args:
            path: the folder, from your directory on
            pattern: only entries that fit, at any depth, such as `*.py` or `src/**/*.{ts,tsx}`
            deep: also what is in the folders in it
        """
        return self._do(
            caller, path, lambda root, parts: list_folder(root, parts, pattern, caller.may, deep=deep)
        )

    @tool(idempotent=True)
    def search_files(
        self, caller: Caller, pattern: str, path: str = ".", files: str = "",
        *, plain: bool = False, ignore_case: bool = False,
    ) -> ToolResult:  # fmt: skip
        """Find lines in the files of your directory by a regular expression (Python's).

        Args:
            pattern: the regular expression; it is matched against one line at a time
            path: the folder or file to search
            files: only files that fit, such as `*.py` or `src/**/*.{ts,tsx}`
            plain: take the pattern as it is written, not as an expression
            ignore_case: capital and small letters are the same
        """
        asked = Search(pattern=pattern, glob=files, plain=plain, ignore_case=ignore_case)
        return self._do(caller, path, lambda root, parts: search(root, parts, asked, caller.may))

    @tool(parallel=False)
    def write_file(
        self, caller: Caller, path: str, content: str, *, make_folders: bool = False
    ) -> ToolResult:
        """Write a whole text file of your directory; what it held before is replaced.

        Args:
            path: the file, from your directory on
            content: everything that the file is to hold
            make_folders: make the folders that are missing on the way
        """
        write = self._writer.write
        return self._do(
            caller, path, lambda root, parts: write(root, parts, content, make_folders=make_folders)
        )

    @tool(parallel=False)
    def edit_file(
        self, caller: Caller, path: str, old_text: str, new_text: str,
        *, replace_all: bool = False,
    ) -> ToolResult:  # fmt: skip
        """Replace a text in a file of your directory. It must be there exactly once.

        Args:
            path: the file, from your directory on
            old_text: the text as it stands in the file, without line numbers
            new_text: what comes in its place; may be empty
            replace_all: replace it wherever it stands
        """
        edit = self._writer.edit
        return self._do(
            caller, path, lambda root, parts: edit(root, parts, old_text, new_text, replace_all=replace_all)
        )

    def _do(
        self, caller: Caller, path: str, act: Callable[[Folder, tuple[str, ...]], ToolResult | str]
    ) -> ToolResult:
        """One act below the session's directory; what is refused or fails becomes an error result."""
        try:
            parts = split(path, caller.cwd)
            with session_folder(caller.cwd, self._bounds) as root:
                done = act(root, parts)
        except PathRefused as refused:
            return ToolResult(text=str(refused), is_error=True)
        except OSError as error:
            return ToolResult(
                text=f"{path}: {error.strerror or os.strerror(error.errno or 0)}", is_error=True
            )
        return done if isinstance(done, ToolResult) else ToolResult(text=done)
