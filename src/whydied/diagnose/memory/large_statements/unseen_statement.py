"""A statement that nobody saw: native code that holds the interpreter lets no other thread look. Pure.

What tells is how long before the end the main thread was last seen, what memory grew by since, and that the statement
which was seen last had made all that it makes.
"""

from __future__ import annotations

import ast
from typing import NamedTuple

from whydied.diagnose.case import Case
from whydied.diagnose.finding import Location
from whydied.diagnose.memory.call_at_death import rss_at
from whydied.diagnose.memory.large_statements.repeated_arrays import repeated
from whydied.diagnose.memory.last_statement import StatementGrowth
from whydied.diagnose.memory.memory_over_time import lines_at_work, memory_series, own_peak_bytes
from whydied.diagnose.memory.statement_shapes import made_by
from whydied.source.edits.statement_edits import statement_at
from whydied.source.trees import located

LONG_S = 1.0
LIKE = 0.5
NEXT = 4
"""Statements behind the last one seen that are looked at."""


class Unseen(NamedTuple):
    """`place` is the statement that makes what memory grew by, None where none of the next ones is known to."""

    place: Location | None
    seconds: float
    grown_bytes: int


def unseen(case: Case, growth: StatementGrowth) -> Unseen | None:
    """What ran after the last look, where most of the growth came then."""
    looks, sizes = lines_at_work(case), memory_series(case)
    if not looks or not sizes:
        return None
    last_s, end_s = looks[-1][0], sizes[-1][0]
    grown = own_peak_bytes(case) - rss_at(case, last_s)
    if end_s - last_s < LONG_S or grown < LIKE * growth.grown_bytes:
        return None
    made = made_by(case, growth.place, 1.0)
    before = max(0, growth.grown_bytes - grown)
    if made is None or made.size_bytes > before / LIKE:
        # It may have been at work on that all along.
        return None
    places = [located(case.sources, growth.place.file, line) for line in _next(case, growth.place)]
    found = [one for one in places if repeated(case, one) or made_by(case, one, LIKE * grown)]
    return Unseen(found[0] if found else None, end_s - last_s, grown)


def _next(case: Case, place: Location) -> list[int]:
    """The lines of the statements that follow one in its block."""
    source = case.sources.get(place.file)
    node = statement_at(source, place.line) if source is not None else None
    for block in ast.walk(source.tree) if source is not None else ():
        for name in ("body", "orelse", "finalbody"):
            body = getattr(block, name, None)
            if isinstance(body, list) and node in body:
                return [one.lineno for one in body[body.index(node) + 1 :][:NEXT]]
    return []
