"""NumPy made a value that is not finite, and a later line refuses it.

## What it detects
An exception over a NaN or an infinite value ("Probabilities contain NaN", "cannot convert float NaN to integer") where
an array or a number of the failing expression is such a value, and NumPy had warned at a line that it came from.

## Why it happens
NumPy only warns of a division by zero or a logarithm of zero and goes on with the result; what cannot use it comes
lines or functions later. A sum of probabilities that are all zero, a deviation of rows that are all alike.

## Evidence
The values of the failing expression, and the warning with its line.

## How it is proved
Likely: a warning is about a line, and not about these very values. The guarded line is tried on the program.

## Fix
Keep the operation inside of its domain, on the line that warned.

## Known problems
A warning that the program silences is not seen. Values of tables and tensors are not looked at.
"""

from __future__ import annotations

from whydied.diagnose.case import Case, prefix, root_of
from whydied.diagnose.finding import Culprit, Evidence, Finding
from whydied.diagnose.numerics.bad_makers import Maker, warned_of
from whydied.diagnose.numerics.guarding_changes import as_change
from whydied.records import Operand
from whydied.source.training.data_way import DataWay
from whydied.texts import numpy_warnings

ROLE = "explanation"
_BAD = ("nan", "inf", "-inf")


def check(case: Case) -> Finding | None:
    raised = case.uncaught
    if raised is None or not raised.chain or case.principal is None:
        return None
    link = raised.chain[root_of(raised.chain)]
    bad = [one for one in link.operands if one.nonfinite or one.value in _BAD]
    if not bad or numpy_warnings.NOT_FINITE.search(link.message) is None:
        return None
    maker = warned_of(case, case.principal, DataWay(case.sources, {one.text for one in bad}))
    return _finding(bad[0], maker) if maker is not None else None


def _finding(bad: Operand, maker: Maker) -> Finding:
    place = maker.location
    held = f"{bad.nonfinite:,} values of `{bad.text}` are" if bad.nonfinite > 1 else f"`{bad.text}` is"
    kind = "infinite" if (bad.value or "").endswith("inf") else "NaN" if bad.value else "not finite"
    return Finding(
        message=f"{prefix(place)}{held} {kind}, {maker.words}",
        certainty="likely",
        location=place,
        culprit=Culprit(kind="array", name=bad.text, shape=bad.shape, dtype=bad.dtype),
        evidence=[Evidence(fact=maker.fact, value=place.source or "", source=maker.source)],
        advice=[maker.advice] if maker.advice else [],
        changes=[as_change(maker.guard)] if maker.guard is not None else [],
    )
