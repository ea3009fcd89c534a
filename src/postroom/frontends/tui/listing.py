"""A table of rows, one of which is chosen. The line of keys says that Enter opens it."""

from typing import ClassVar

from rich.text import Text
from textual.binding import Binding, BindingType
from textual.widgets import DataTable


class Listing(DataTable[Text]):
    """Rows that are gone through with the arrow keys."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("enter", "select_cursor", "Open")]
