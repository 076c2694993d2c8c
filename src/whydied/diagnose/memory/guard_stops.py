"""Whether `whydied run --memory-guard` stopped a program. Pure."""

from __future__ import annotations

from whydied.diagnose.case import Case
from whydied.records import MemoryWarned


def stopped_by_guard(case: Case) -> MemoryWarned | None:
    """What the guard saw when it raised the error that nobody caught. Python's own MemoryError says nothing, and NumPy
    raises a class of its own."""
    raised = case.uncaught
    if raised is None or not raised.chain or raised.chain[0].type != "MemoryError" or not raised.chain[0].message:
        return None
    stops = [one for one in case.records.all(MemoryWarned) if one.how == "guard" and not one.number and one.limit_bytes]
    return stops[-1] if stops else None
