"""What JSON can hold: arguments of calls, payloads, and what travels between processes."""

from typing import TypeAlias

Json: TypeAlias = bool | int | float | str | list["Json"] | dict[str, "Json"] | None
