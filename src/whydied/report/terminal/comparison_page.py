"""Two runs side by side on a console. Pure but for rich's measure of characters.

Invariant: no line is wider than the console, and recorded text is printed as text.
"""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Console, RenderableType
from rich.text import Text

from whydied.compare.difference import EFFECTS
from whydied.report import headline, plain
from whydied.report.compared import Compared, verdict, words_of
from whydied.report.terminal.listing import Column, Listing
from whydied.report.terminal.sentences import wrapped

MOST_OF_A_KIND = 8
_MARGIN = 6
_MARKS = {"proved": "✓", "refuted": "✗", "untested": ""}


def lines(compared: Compared, console: Console, *, everything: bool) -> Iterator[RenderableType]:
    say = _Words(console)
    bad = " ".join([words_of(compared.bad), headline.why(compared.bad) or ""]).strip()
    for label, told in (("Good", words_of(compared.good)), ("Bad", bad)):
        first, *others = wrapped(told, console.width - _MARGIN)
        yield Text.assemble((label.ljust(_MARGIN), "bold"), say(first))
        yield from (say(" " * _MARGIN + line) for line in others)
    yield Text("")
    if not compared.differences:
        yield say("Nothing that was recorded differs between the two runs.")
        return
    for sentence in verdict(compared):
        yield say(sentence, "bold")
    yield Text("")
    yield from _table(compared, everything=everything).drawn(console)
    hidden = 0 if everything else sum(max(0, count - MOST_OF_A_KIND) for count in _counts(compared).values())
    if hidden:
        yield say(f"{hidden} more: --all")


def _table(compared: Compared, *, everything: bool) -> Listing:
    columns = [
        Column(whole=True, lead=True),
        Column("what", lead=True),
        Column("good", least=12, named=True),
        Column("bad", least=12, named=True),
        Column("accounts for it", least=10, named=True),
    ]
    rows = []
    shown: dict[str, int] = {}
    for one in compared.differences:
        shown[one.kind] = shown.get(one.kind, 0) + 1
        if everything or shown[one.kind] <= MOST_OF_A_KIND:
            mark = _MARKS[one.verdict]
            # What it said when it failed again stands above.
            reason = one.tried.partition(":")[0] if one.verdict != "untested" else one.because
            kind = f"{one.kind} (effect)" if one.kind in EFFECTS else one.kind
            texts = (kind, one.what, one.good, one.bad, f"{mark} {reason}".strip())
            rows.append([Text(plain.line(text)) for text in texts])
    return Listing(columns, rows)


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
