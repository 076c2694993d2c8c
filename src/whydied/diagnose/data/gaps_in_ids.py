"""Ids of which there are no more than a table has rows, and which are not numbered from 0 on. Pure.

Invariant: how many differ was counted over all of the data.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from whydied.diagnose.case import Case
from whydied.diagnose.errors import contracts
from whydied.diagnose.errors.advice import Advice
from whydied.diagnose.errors.ranges import Bad, layer_words
from whydied.diagnose.finding import Location
from whydied.records import ContractBroken, DataSeen
from whydied.source.edits.edit import Change
from whydied.source.edits.runs.renumbered_ids import Renumbered, renumbered
from whydied.source.trees import located

_PART = re.compile(r"x(?:\[(?P<part>[^\]]+)\])?$")
MOST = 0.5
"""Of the rows of a table at least this part is used: a part of the data need not have every id."""


class Gaps(NamedTuple):
    """`words` go behind what is said of the first such input."""

    place: Location | None
    words: str
    advice: Advice


def gaps_of(case: Case, bad: Bad, place: Location | None) -> Gaps | None:
    """All inputs of the call that have about as many different ids as their tables have rows, and others than 0 to
    n - 1."""
    wrong = [one for one in contracts.broken_in(case) if _has_gaps(case, one) and contracts.call_failed(case, one)]
    own = next((one for one in wrong if one.name == bad.broken.name or one.term.high == bad.broken.term.high), None)
    if own is None or own.distinct is None or place is None:
        return None
    names = [contracts.name_in_source(case, place, one) for one in wrong]
    edits = [_renumbered(case, place, one) for one in wrong]
    found = [one for one in edits if one is not None]
    others = [f"`{name}`" for one, name in zip(wrong, names, strict=True) if one is not own]
    also = f"; the same holds for {' and '.join(others)}" if others else ""
    every = " and ".join(f"`{name}`" for name in names)
    title = f"Number {every} anew, from 0"
    change = Change(title=title, kind="data", edits=[one.edit for one in found])
    table = layer_words(bad, "the table")
    return Gaps(
        located(case.sources, place.file, found[0].line) if found else place,
        f"; it has {own.distinct:,} different ids, which are not numbered from 0 on{also}",
        Advice(
            [
                f"There are no more ids than {table} has rows: number them anew where they are made, "
                "`pd.factorize(ids)[0]` or `np.unique(ids, return_inverse=True)[1]`"
                + (f", in {every}." if others else ".")
            ],
            [change] if found and len(found) == len(wrong) else [],
        ),
    )


def _has_gaps(case: Case, one: ContractBroken) -> bool:
    """Ids from 1 to n of a table of n rows only lack a row."""
    size, low = one.term.high, one.term.low or 0
    counted = one.distinct if one.term.kind == "vocabulary" and one.batch is None else None
    if counted is None or size is None or not MOST * (size - low) <= counted <= size - low:
        return False
    seen = case.principal.all(DataSeen) if case.principal else []
    numbers = [data.numbers for data in seen if (data.call, data.name) == (one.call, one.name)]
    return any(found is not None and (found.greatest or 0) > size for found in numbers)


def _renumbered(case: Case, place: Location, one: ContractBroken) -> Renumbered | None:
    source, named = case.sources.get(place.file), _PART.match(one.name)
    if source is None or named is None:
        return None
    part = named["part"]
    chosen = int(part) if part and part.isdigit() else part.strip("'\"") if part else None
    return renumbered(source, place.file, place.line, "fit", chosen)
