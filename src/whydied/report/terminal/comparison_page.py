"""Two runs side by side on a console, and as JSON. Pure but for rich's measure of characters.

Invariant: no line is wider than the console, and recorded text is printed as text.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
from rich.console import Console, RenderableType
from rich.text import Text

from whydied.compare.difference import EFFECTS, Difference
from whydied.report import headline, plain
from whydied.report.summary import SCHEMA, Report, finite
from whydied.report.terminal.listing import Column, Listing
from whydied.report.terminal.sentences import wrapped

MOST_OF_A_KIND = 8
_MARGIN = 6
_MARKS = {"proved": "✓", "refuted": "✗", "untested": ""}


class Compared(msgspec.Struct, frozen=True, kw_only=True):
    """What `whydied diff --json` gives. `accounts` is the number of the difference that accounts for the end of the
    second run, from 0."""

    schema: int = SCHEMA
    good: Report
    bad: Report
    differences: list[Difference] = []
    accounts: int | None = None
    remark: str = ""


def as_json(compared: Compared) -> bytes:
    told = {
        "schema": compared.schema,
        "good": _side(compared.good),
        "bad": _side(compared.bad),
        "differences": [_told(one) for one in compared.differences],
        "accounts": compared.accounts,
        "remark": compared.remark or None,
    }
    return msgspec.json.format(msgspec.json.encode(finite(told)), indent=2) + b"\n"


def _side(report: Report) -> dict[str, object]:
    whole: dict[str, object] = msgspec.to_builtins(report)
    return {name: whole[name] for name in ("run", "outcome", "death", "cause", "memory")}


def _told(one: Difference) -> dict[str, object]:
    found: dict[str, object] = msgspec.to_builtins(one)
    return {name: found[name] for name in found if name not in ("hunk", "weight")}


def lines(compared: Compared, console: Console, *, everything: bool) -> Iterator[RenderableType]:
    say = _Words(console)
    bad = " ".join([_words(compared.bad), headline.why(compared.bad) or ""]).strip()
    for label, told in (("Good", _words(compared.good)), ("Bad", bad)):
        first, *others = wrapped(told, console.width - _MARGIN)
        yield Text.assemble((label.ljust(_MARGIN), "bold"), say(first))
        yield from (say(" " * _MARGIN + line) for line in others)
    yield Text("")
    if not compared.differences:
        yield say("Nothing that was recorded differs between the two runs.")
        return
    for sentence in _verdict(compared):
        yield say(sentence, "bold")
    yield Text("")
    yield from _table(compared, everything=everything).drawn(console)
    hidden = 0 if everything else sum(max(0, count - MOST_OF_A_KIND) for count in _counts(compared).values())
    if hidden:
        yield say(f"{hidden} more: --all")


def _verdict(compared: Compared) -> Iterator[str]:
    """What accounts for the end of the second run, as sure as it is."""
    if compared.accounts is not None:
        one = compared.differences[compared.accounts]
        change = f"{one.what}: {one.good} → {one.bad}"
        rivals = [other for other in compared.differences if other.because and other.hunk is not None]
        if one.verdict == "proved":
            yield f"This change made it fail: {change}. Without it {one.tried}."
        elif len(rivals) > 1:
            yield f"One of {len(rivals)} changed places may account for it; whydied diff --prove runs it without each."
        else:
            tries = " whydied diff --prove tries it." if one.hunk is not None else ""
            yield f"Most likely: {change} ({one.because}).{tries}"
    elif compared.bad.cause is not None:
        yield "None of the differences can be linked to the failure by what was recorded."
    if compared.remark:
        yield f"{compared.remark[:1].upper()}{compared.remark[1:]}."


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


def _words(report: Report) -> str:
    name = f" ({report.run.name})" if report.run.name else ""
    return f"{report.run.id}{name}: {headline.happened(report)}"


class _Words:
    """Recorded text as a console can print it."""

    def __init__(self, console: Console) -> None:
        self._encoding = console.encoding or "ascii"

    def __call__(self, text: str, style: str = "") -> Text:
        return Text(plain.spelled(text, self._encoding), style=style)
