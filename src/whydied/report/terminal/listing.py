"""A table that fits its terminal, or a list of blocks where no table would. Pure but for rich's measure of characters.

Invariant: no line is wider than the console, no word is broken that fits a line, and nothing that tells rows apart is
left out. Where there is too little room, columns that can be spared go first, then cells are wrapped between words;
where even the longest words do not fit beside each other, each row becomes a block of lines. In a pipe a row is one
line.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from rich.cells import cell_len
from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

from whydied.report import plain
from whydied.report.terminal.sentences import wrapped

_GAP = 2
_INDENT = 2


class Column(NamedTuple):
    """`whole` is never wrapped. `spare` columns are left out where there is no room, the highest first. `least` is the
    width below which wrapping makes it unreadable. In a block `lead` cells stand on the first line, `brief` ones share
    the second, and others have their own, after their `heading` where they are `named`."""

    heading: str = ""
    whole: bool = False
    right: bool = False
    spare: int = 0
    least: int = 8
    lead: bool = False
    brief: bool = False
    named: bool = False


class Listing(NamedTuple):
    columns: Sequence[Column]
    rows: Sequence[Sequence[Text]]
    title: str = ""

    def drawn(self, console: Console, *, bounded: bool = True) -> list[RenderableType]:
        """For the console; `bounded` is false where lines may be as long as they want to be."""
        cells = [[_spelled(cell, console) for cell in row] for row in self.rows]
        natural = [self._widest(cells, at) for at in range(len(self.columns))]
        if not bounded:
            return [*self._head(), self._table(cells, natural, range(len(self.columns)))]
        for kept in self._choices():
            widths = _shared([natural[at] for at in kept], [self._least(cells, at) for at in kept], console.width)
            if widths is not None:
                return [*self._head(), self._table(cells, widths, kept)]
        return [*self._head(), *[line for row in cells for line in self._block(row, console.width)]]

    def _head(self) -> list[RenderableType]:
        return [Text(self.title, "bold")] if self.title else []

    def _choices(self) -> list[list[int]]:
        """All columns; then ever fewer."""
        kept = list(range(len(self.columns)))
        choices = [kept]
        for _, at in sorted(((one.spare, at) for at, one in enumerate(self.columns) if one.spare), reverse=True):
            kept = [other for other in kept if other != at]
            choices.append(kept)
        return choices

    def _widest(self, cells: Sequence[Sequence[Text]], at: int) -> int:
        lines = [cell_len(line) for row in cells for line in row[at].plain.split("\n")]
        return max([cell_len(self.columns[at].heading), *lines])

    def _least(self, cells: Sequence[Sequence[Text]], at: int) -> int:
        column = self.columns[at]
        if column.whole:
            return self._widest(cells, at)
        words = [cell_len(word) for row in cells for word in row[at].plain.split()]
        heads = [cell_len(word) for word in column.heading.split()]
        return min(self._widest(cells, at), max([column.least, *words, *heads]))

    def _table(self, cells: Sequence[Sequence[Text]], widths: Sequence[int], kept: Sequence[int]) -> Table:
        headed = any(self.columns[at].heading for at in kept)
        table = Table(box=None, pad_edge=False, padding=(0, _GAP, 0, 0), header_style="bold", show_header=headed)
        for at, width in zip(kept, widths, strict=True):
            column = self.columns[at]
            table.add_column(column.heading, width=width, justify="right" if column.right else "left", overflow="fold")
        for row in cells:
            table.add_row(*(row[at] for at in kept))
        return table

    def _block(self, row: Sequence[Text], width: int) -> list[Text]:
        pairs = [(column, cell) for column, cell in zip(self.columns, row, strict=True) if cell.plain]
        head = [cell for column, cell in pairs if column.lead]
        lines = [
            Text(line, head[0].style if head else "")
            for line in wrapped((" " * _GAP).join(cell.plain for cell in head), width, _INDENT)
        ]
        indent = " " * _INDENT
        brief = [cell.plain for column, cell in pairs if column.brief]
        if brief:
            lines += [Text(line) for line in wrapped(indent + ", ".join(brief), width)]
        for column, cell in pairs:
            if not column.brief and not column.lead:
                name = f"{column.heading}: " if column.named else ""
                for part in cell.plain.split("\n"):
                    lines += [Text(line, cell.style) for line in wrapped(indent + name + part, width)]
        return lines


def _spelled(cell: Text, console: Console) -> Text:
    return Text(plain.spelled(cell.plain, console.encoding or "ascii"), cell.style)


def _shared(natural: Sequence[int], least: Sequence[int], width: int) -> list[int] | None:
    """Widths that fit: as wide as they want to be up to a common bound. None where the least is too much."""
    room = width - _GAP * (len(natural) - 1)
    if sum(least) > room:
        return None
    bound = next(
        cap
        for cap in range(max(natural, default=0), -1, -1)
        if sum(max(low, min(cap, high)) for low, high in zip(least, natural, strict=True)) <= room
    )
    return [max(low, min(bound, high)) for low, high in zip(least, natural, strict=True)]
