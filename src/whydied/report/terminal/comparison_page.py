"""Two runs side by side on a console. Pure but for rich's measure of characters.

Invariant: no line is wider than the console, and recorded text is printed as text.
"""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

from whydied.compare.difference import EFFECTS
from whydied.report import headline, plain
from whydied.report.compared import Compared, verdict, words_of

MOST_OF_A_KIND = 8
_MARKS = {"proved": "✓", "refuted": "✗", "untested": ""}


def lines(compared: Compared, console: Console, *, everything: bool) -> Iterator[RenderableType]:
    say = _Words(console)
    head = Table.grid(padding=(0, 2, 0, 0))
    head.add_row(say("Good", "bold"), say(words_of(compared.good)))
    head.add_row(say("Bad", "bold"), say(" ".join([words_of(compared.bad), headline.why(compared.bad) or ""]).strip()))
    yield head
    yield Text("")
    if not compared.differences:
        yield say("Nothing that was recorded differs between the two runs.")
        return
    for sentence in verdict(compared):
        yield say(sentence, "bold")
    yield Text("")
    yield _table(compared, say, everything=everything)
    hidden = 0 if everything else sum(max(0, count - MOST_OF_A_KIND) for count in _counts(compared).values())
    if hidden:
        yield say(f"{hidden} more: --all")


def _table(compared: Compared, say: _Words, *, everything: bool) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="bold", expand=False)
    for title in ("", "what", "good", "bad", "accounts for it"):
        table.add_column(title, overflow="fold")
    shown: dict[str, int] = {}
    for one in compared.differences:
        shown[one.kind] = shown.get(one.kind, 0) + 1
        if everything or shown[one.kind] <= MOST_OF_A_KIND:
            mark = _MARKS[one.verdict]
            # What it said when it failed again stands above.
            reason = one.tried.partition(":")[0] if one.verdict != "untested" else one.because
            kind = f"{one.kind} (effect)" if one.kind in EFFECTS else one.kind
            table.add_row(*(say(text) for text in (kind, one.what, one.good, one.bad, f"{mark} {reason}".strip())))
    return table


def _counts(compared: Compared) -> dict[str, int]:
    found: dict[str, int] = {}
    for one in compared.differences:
        found[one.kind] = found.get(one.kind, 0) + 1
    return found


class _Words:
    """Recorded text as a console can print it."""

    def __init__(self, console: Console) -> None:
        self._encoding = console.encoding or "ascii"

    def __call__(self, text: str, style: str = "") -> Text:
        return Text(plain.spelled(text, self._encoding), style=style)
