"""Figures and goals: one line each in the table, one object each in the JSON file."""

import json
import os
import platform
import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One measured number. `least` or `most` is its goal; without either it is for information."""

    bench: str
    name: str
    value: float
    unit: str
    least: float | None = None
    most: float | None = None

    @property
    def is_met(self) -> bool:
        """Whether the goal, if there is one, is reached."""
        above = self.least is None or self.value >= self.least
        return above and (self.most is None or self.value <= self.most)


def percentile(values: Sequence[float], share: float) -> float:
    """The value that `share` of all values do not exceed."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def median(values: Sequence[float]) -> float:
    """The middle value."""
    return percentile(values, 0.5)


def table(figures: Iterable[Figure]) -> str:
    """The figures as lines of text, below the name of their bench."""
    lines: list[str] = []
    bench = ""
    for figure in figures:
        if figure.bench != bench:
            bench = figure.bench
            lines.append(f"\n{bench}")
        lines.append(f"  {figure.name:<66} {_number(figure.value):>10} {figure.unit:<8} {_goal(figure)}")
    return "\n".join(lines).rstrip()


def write_json(path: Path, figures: Iterable[Figure], *, quick: bool, took_s: float) -> None:
    """The same figures for programs, with the machine that they were measured on."""
    machine = {
        "cores": os.cpu_count(),
        "load": [round(load, 1) for load in os.getloadavg()],
        "machine": platform.machine(),
        "python": platform.python_version(),
        "sqlite": sqlite3.sqlite_version,
    }
    rows = [{**asdict(figure), "met": figure.is_met} for figure in figures]
    content = {"machine": machine, "quick": quick, "took_s": round(took_s, 1), "figures": rows}
    path.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")


def _number(value: float) -> str:
    if value >= 1000:
        return f"{value:,.0f}"
    return f"{value:.3g}" if value < 100 else f"{value:.0f}"


def _goal(figure: Figure) -> str:
    bounds = [f">= {_number(figure.least)}"] if figure.least is not None else []
    bounds += [f"<= {_number(figure.most)}"] if figure.most is not None else []
    if not bounds:
        return ""
    return f"goal {' and '.join(bounds):<10} {'met' if figure.is_met else 'MISSED'}"
