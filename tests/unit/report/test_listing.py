from __future__ import annotations

import io

from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console
from rich.text import Text

from whydied.report.terminal.console import write
from whydied.report.terminal.listing import Column, Listing

COLUMNS = [
    Column("run", whole=True, lead=True),
    Column("when", whole=True, brief=True),
    Column("cause", least=10),
    Column("size", whole=True, right=True, brief=True, spare=1),
]
ROWS = [
    ["20250110-101010-train-ab12cd", "2 days ago", "MEM001 host-oom-kill", "10 KiB"],
    ["20250110-101010-x-ab12ce", "just now", "", "9 KiB"],
]


def drawn(width: int, rows: list[list[str]] = ROWS, *, bounded: bool = True, encoding: str = "utf-8") -> list[str]:
    file = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
    console = Console(file=file, width=width, legacy_windows=False)
    listing = Listing(COLUMNS, [[Text(cell) for cell in row] for row in rows])
    write(listing.drawn(console, bounded=bounded), console)
    return file.buffer.getvalue().decode(encoding).splitlines()  # type: ignore[attr-defined]


def test_a_table_where_there_is_room() -> None:
    assert drawn(80) == [
        "run                           when        cause                   size",
        "20250110-101010-train-ab12cd  2 days ago  MEM001 host-oom-kill  10 KiB",
        "20250110-101010-x-ab12ce      just now                           9 KiB",
    ]


def test_what_can_be_spared_goes_before_anything_is_wrapped_into_pieces() -> None:
    assert drawn(56) == [
        "run                           when        cause",
        "20250110-101010-train-ab12cd  2 days ago  MEM001",
        "                                          host-oom-kill",
        "20250110-101010-x-ab12ce      just now",
    ]


def test_blocks_where_no_table_fits() -> None:
    assert drawn(40) == [
        "20250110-101010-train-ab12cd",
        "  2 days ago, 10 KiB",
        "  MEM001 host-oom-kill",
        "20250110-101010-x-ab12ce",
        "  just now, 9 KiB",
    ]


def test_a_pipe_has_no_edge() -> None:
    assert len(drawn(1000, [[*ROWS[0][:2], "a cause " * 30, "1 KiB"]], bounded=False)) == 2


def test_other_encodings() -> None:
    assert "MEM001 a -> b" in drawn(80, [[*ROWS[0][:2], "MEM001 a → b", "1 KiB"]], encoding="ascii")[1]


@given(
    st.lists(st.lists(st.text("ab -/模", max_size=40), min_size=4, max_size=4), max_size=4),
    st.integers(40, 120),
)
def test_no_line_is_too_wide_and_no_cell_that_counts_is_lost(rows: list[list[str]], width: int) -> None:
    shown = drawn(width, rows)
    from rich.cells import cell_len

    assert all(cell_len(line) <= width for line in shown)
    letters = "".join("".join(shown).split())
    assert sum(letters.count("a") for _ in "x") >= sum(cell.count("a") for row in rows for cell in row[:3])
