"""The file tools as an agent calls them, over a directory of its own beside one that is not."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event, Thread

from postroom.llm.port import Json
from postroom.tools.base import Caller, May, Tool, ToolResult
from postroom.tools.files.confine import Bounds
from postroom.tools.files.toolset import file_toolsets

SECRET = "nobody may read this"


@dataclass(slots=True)
class Session:
    """`cwd` is the agent's; `outside` lies beside it and holds `secret.txt`."""

    cwd: Path
    outside: Path
    bounds: Bounds = field(default_factory=Bounds)
    may: May = bool
    _tools: dict[str, Tool] = field(default_factory=dict[str, Tool])

    async def call(self, name: str, **arguments: Json) -> ToolResult:
        """One call of a tool by its name."""
        if not self._tools:
            self._tools = {tool.spec.name: tool for kit in file_toolsets(self.bounds) for tool in kit.tools}
        caller = Caller(
            session_id="s",
            branch_id="b",
            turn_id="t",
            call_id="c",
            agent="ada",
            cwd=str(self.cwd),
            may=self.may,
        )
        return await self._tools[name].run(caller, arguments)

    async def text(self, name: str, **arguments: Json) -> str:
        """The text of a call that must work."""
        result = await self.call(name, **arguments)
        assert not result.is_error, result.text
        return result.text

    async def refusal(self, name: str, **arguments: Json) -> str:
        """The text of a call that must not work."""
        result = await self.call(name, **arguments)
        assert result.is_error, result.text
        return result.text

    def put(self, path: str, content: str | bytes = "") -> Path:
        """A file in the session's directory."""
        file = self.cwd / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content if isinstance(content, bytes) else content.encode())
        return file


def make_session(folder: Path) -> Session:
    """A session over two new folders."""
    session = Session(folder / "inside", folder / "outside")
    session.cwd.mkdir()
    session.outside.mkdir()
    (session.outside / "secret.txt").write_text(SECRET, encoding="utf-8")
    return session


@contextmanager
def meanwhile(act: Callable[[], None]) -> Iterator[None]:
    """Another thread does this over and over, from before the block until after it."""
    begun, done = Event(), Event()

    def repeat() -> None:
        while not done.is_set():
            act()
            begun.set()

    thread = Thread(target=repeat)
    thread.start()
    try:
        assert begun.wait(timeout=60)
        yield
    finally:
        done.set()
        thread.join()
