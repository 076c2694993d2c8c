"""The size of a table that is one row too small."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

from whydied.diagnose.errors.range_edits import size
from whydied.records import Frame
from whydied.source.edits.edit import edited
from whydied.source.text import Source

TOWERS = """\
def tower(name, rows, dim=5):
    return layers.Embedding(rows, dim, name=f"{name}_embedding")

book, user = tower("book", n_books), tower("user", n_users)
"""


def changed(text: str) -> str | None:
    source = Source(text)
    case = cast(Any, SimpleNamespace(sources={"/p/a.py": source}))
    made = Frame(file="/p/a.py", line=2, function="tower", user=True)
    edits = size(case, "Embedding 'book_embedding'", made, "input_dim", 300, 301)
    return edited(source, edits) if edits is not None else None


def test_where_one_call_makes_the_table_its_caller_gives_one_more() -> None:
    alone = TOWERS.replace(', tower("user", n_users)', "").replace("book, user", "book")
    assert changed(alone) == alone.replace("n_books)", "n_books + 1)")


def test_where_several_calls_make_tables_each_gets_a_row_more() -> None:
    assert changed(TOWERS) == TOWERS.replace("Embedding(rows,", "Embedding(rows + 1,")
