"""A page of labelled blocks that fits a screen. Pure but for rich's measure of characters.

A block is a label in the left margin and items beside it. When a page is too tall, it gives up the last
items of the blocks that can spare them, the least telling first, and counts what it hid; asides go before
empty lines do.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rich.console import Console
from rich.text import Text

from whydied.report import plain
from whydied.report.terminal.sentences import wrapped

MARGIN = 12
NARROW = 60
"""Below this width a label has a line of its own, and what stands beside it elsewhere is set in by little."""
_SET_IN = 2
SCREEN_LINES = 24
ASIDE = 0
"""The `spare` of a block that is worth less than an empty line."""


class Block:
    """`keep` is how many items always stay; `spare` orders blocks, the first to lose an item lowest."""

    def __init__(self, label: str, *, keep: int, spare: int, style: str = "bold") -> None:
        self.label = label
        self.keep = keep
        self.spare = spare
        self.style = style
        self.items: list[list[Text]] = []

    def height(self, margin: int) -> int:
        return sum(len(item) for item in self.items) + (margin < MARGIN)

    def rows(self, margin: int) -> list[Text]:
        lines = [line for item in self.items for line in item]
        if margin < MARGIN:
            return [Text(self.label, self.style), *[Text(" " * margin) + line for line in lines]]
        heads = [self.label, *[""] * (len(lines) - 1)]
        return [Text.assemble((head.ljust(MARGIN), self.style), line) for head, line in zip(heads, lines, strict=True)]


class Page:
    def __init__(
        self, console: Console, *, everything: bool = False, brief: Callable[[str], str] = lambda text: text
    ) -> None:
        self._console = console
        self._brief = brief
        self.everything = everything
        self._parts: list[Block | list[Text]] = []
        self.hidden = 0

    @property
    def width(self) -> int:
        return self._console.width

    @property
    def margin(self) -> int:
        return MARGIN if self.width >= NARROW else _SET_IN

    def text(self, words: str, style: str = "") -> Text:
        return Text(plain.spelled(self._brief(words), self._console.encoding or "ascii"), style=style)

    def wrapped(self, words: Text, width: int | None = None, most: int | None = None) -> list[Text]:
        """Lines of at most a width; where they are more than `most`, the last one ends in an ellipsis."""
        room = max(8, width or self.width)
        if words.spans:
            lines = list(words.wrap(self._console, room, overflow="fold"))
            for line in lines:
                line.rstrip()
        else:
            plain_lines = [part for line in words.plain.split("\n") for part in wrapped(line, room)]
            lines = [Text(line, words.style) for line in plain_lines]
        if most is None or self.everything or len(lines) <= most:
            return lines or [Text("")]
        kept = lines[:most]
        ellipsis = self.text("…").plain
        kept[-1].truncate(room - len(ellipsis) - 1)
        kept[-1].append(f" {ellipsis}")
        return kept

    def paragraph(self, words: Text, most: int | None = None) -> None:
        self._parts.append(self.wrapped(words, most=most))

    def rows(self, rows: Sequence[Text]) -> None:
        """Lines that are kept as they are."""
        if rows:
            self._parts.append(list(rows))

    def gap(self) -> None:
        self._parts.append([])

    def block(self, block: Block) -> None:
        if block.items:
            self._parts.append(block)

    def item(self, words: Text, most: int | None = 2, hanging: int = 0) -> list[Text]:
        """The lines of a block's item, those after the first set in by `hanging`."""
        lines = self.wrapped(words, self.width - self.margin - hanging, most)
        return [lines[0], *[Text(" " * hanging) + line for line in lines[1:]]]

    def fit(self, lines: int = SCREEN_LINES) -> None:
        if self.everything:
            return
        while self._height() > lines and self._spare_one(below=ASIDE + 1):
            self.hidden += 1
        while self._height() > lines and [] in self._parts:
            self._parts.reverse()
            self._parts.remove([])
            self._parts.reverse()
        while self._height() > lines and self._spare_one():
            self.hidden += 1

    def lines(self) -> list[Text]:
        shown: list[Text] = []
        for part in self._parts:
            if isinstance(part, Block):
                shown.extend(part.rows(self.margin))
            elif part:
                shown.extend(part)
            elif shown and shown[-1].plain:
                shown.append(Text(""))
        while shown and not shown[-1].plain:
            shown.pop()
        return shown

    def _height(self) -> int:
        return sum(part.height(self.margin) if isinstance(part, Block) else max(1, len(part)) for part in self._parts)

    def _spare_one(self, below: int = 100) -> bool:
        blocks = [
            part
            for part in self._parts
            if isinstance(part, Block) and len(part.items) > part.keep and part.spare < below
        ]
        if not blocks:
            return False
        poorest = min(blocks, key=lambda block: block.spare)
        poorest.items.pop()
        if not poorest.items:
            self._parts.remove(poorest)
        return True
