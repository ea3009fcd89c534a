"""SQL stands in files, each statement named and described, and none walks through a table that grows."""

import re
import sqlite3
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from postroom.store.queries import statements
from tests.house.tree import SRC, files, place, python_files, text

SQL = SRC / "store" / "sql"
HEAD = re.compile(r"^-- name: (\w+)\n", re.MULTILINE)
# A least or a greatest is taken from the end of the table; with a condition that may be the whole of it.
END = re.compile(r"^SEARCH \w+$")
RUN = re.compile(r"""self\._(?:one|all|do|insert|sql|find|known|each|values?|number|text)[(\[]\s*("\w+")""")
# What the doctor reads and mends, a table a line.
OF_TABLE = re.compile(r"""_Statements\(("\w+"(?:, "\w+")?)""")
STEP = re.compile(r"^SCAN (?P<table>\w+)(?: USING (?:COVERING )?INDEX (?P<index>\w+))?")


def _described() -> dict[str, str]:
    """Statement name -> the text below it, comments included."""
    found: dict[str, str] = {}
    for path in SQL.glob("*.sql"):
        parts = HEAD.split(text(path))[1:]
        found |= dict(zip(parts[::2], parts[1::2], strict=True))
    return found


def _migrations() -> list[Path]:
    return [path for path in files(SQL / "migrations") if path.suffix == ".sql"]


@cache
def _database() -> sqlite3.Connection:
    """An empty store, made once: nothing here writes to it."""
    connection = sqlite3.connect(":memory:")
    for migration in _migrations():
        connection.executescript(text(migration))
    return connection


@cache
def _bounded_indexes(connection: sqlite3.Connection) -> set[str]:
    """Partial indexes hold only the rows of one state: walking through one is no walk through the table."""
    rows = connection.execute("SELECT name, sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL")
    return {name for name, sql in rows if " WHERE " in " ".join(sql.split())}


def _own_tables(statement: str) -> set[str]:
    """The names a statement gives to its own recursion; what it walks there is its answer."""
    named = re.findall(r"\bRECURSIVE (\w+)", statement)
    aliases = re.findall(rf"\b(?:FROM|JOIN) (?:{'|'.join(named)}) ([a-z]+)\b", statement) if named else []
    return {*named, *aliases}


def _growing_scans(connection: sqlite3.Connection, statement: str) -> list[str]:
    bounded = _bounded_indexes(connection)
    free = _own_tables(statement) | {"CONSTANT"}
    values = (None,) * statement.count("?")
    plan = [row[3] for row in connection.execute(f"EXPLAIN QUERY PLAN {statement}", values)]
    scans = [(step, found) for step in plan if (found := STEP.match(step)) and "VIRTUAL TABLE" not in step]
    ends = [step for step in plan if END.match(step) and " WHERE " in " ".join(statement.split())]
    return ends + [
        step for step, found in scans if found["index"] not in bounded and found["table"] not in free
    ]


STATEMENTS = _described()


@pytest.mark.parametrize("name", STATEMENTS)
def test_every_statement_has_a_sentence(name: str) -> None:
    comment = [line[3:] for line in STATEMENTS[name].splitlines() if line.startswith("-- ")]

    assert " ".join(comment).endswith("."), f"{name}: {comment}"


@pytest.mark.parametrize("name", STATEMENTS)
def test_no_statement_walks_through_a_growing_table(name: str) -> None:
    scans = _growing_scans(_database(), statements()[name])

    assert not scans, f"{name}: {scans}"


def test_every_statement_is_used_by_the_store_and_every_used_one_exists() -> None:
    quoted = {
        name
        for path in python_files(SRC / "store")
        for use in RUN.findall(text(path)) + OF_TABLE.findall(text(path))
        for name in use.replace('"', "").split(", ")
    }

    assert quoted == set(STATEMENTS)


def test_every_index_is_used_by_a_statement() -> None:
    connection = _database()
    steps = [
        step
        for statement in statements().values()
        for *_, step in connection.execute(f"EXPLAIN QUERY PLAN {statement}", (None,) * statement.count("?"))
    ]
    made = connection.execute("SELECT name FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL")
    unused = [name for (name,) in made if not any(f"INDEX {name} " in f"{step} " for step in steps)]

    assert not unused


def test_every_list_of_columns_is_read_by_more_than_one_statement() -> None:
    listed = re.findall(r"^-- columns: (\w+)\n-- .+\.$", text(SQL / "columns.sql"), re.MULTILINE)
    uses = Counter(name for body in STATEMENTS.values() for name in re.findall(r"\{(\w+)\}", body))

    assert set(uses) == set(listed)
    assert all(count > 1 for count in uses.values()), uses


def test_no_python_file_holds_sql() -> None:
    words = re.compile(
        r"""["'](SELECT|INSERT INTO|UPDATE|DELETE FROM|CREATE TABLE) (?!.*\bsqlite_schema\b)"""
    )
    holding = [place(path) for path in python_files(SRC) if words.search(text(path))]

    assert not holding, f"SQL outside store/sql: {holding}"
