"""Postroom: durable mail between LLM agents."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from postroom.app import Hooks, Postroom, Prompt
    from postroom.domain.receipt import Receipt
    from postroom.errors import Fault, Refused
    from postroom.observe.tail import EventView
    from postroom.observe.views import AgentView, End, HistoryItem
    from postroom.tools.base import Caller, Tool, ToolResult
    from postroom.tools.python import tool

__version__ = "0.1.0"

__all__ = [
    "AgentView",
    "Caller",
    "End",
    "EventView",
    "Fault",
    "HistoryItem",
    "Hooks",
    "Postroom",
    "Prompt",
    "Receipt",
    "Refused",
    "Tool",
    "ToolResult",
    "__version__",
    "tool",
]

_HOMES = {
    "AgentView": "observe.views",
    "Caller": "tools.base",
    "End": "observe.views",
    "EventView": "observe.tail",
    "Fault": "errors",
    "HistoryItem": "observe.views",
    "Hooks": "app",
    "Postroom": "app",
    "Prompt": "app",
    "Receipt": "domain.receipt",
    "Refused": "errors",
    "Tool": "tools.base",
    "ToolResult": "tools.base",
    "tool": "tools.python",
}
"""Where each name lives; it is imported when it is asked for, so that `import postroom` is quick."""


def __getattr__(name: str) -> object:
    """The public names, on demand."""
    if name not in _HOMES:
        raise AttributeError(f"module 'postroom' has no attribute {name!r}")
    return getattr(import_module(f"postroom.{_HOMES[name]}"), name)
