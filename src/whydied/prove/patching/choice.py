"""Which fix is meant: the order in which they are offered, and what each is worth in words. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from typing import get_args

from whydied.diagnose.finding import Fix
from whydied.source.edits.edit import Harm

_HARMS = get_args(Harm)
VERDICTS = {
    "proved": "proved",
    "untested": "not tried: `whydied prove` tries it",
    "refuted": "tried, it does not help",
}
COSTS = {
    "exact": "Computes the same numbers.",
    "same result": "Computes the same up to rounding and order.",
    "changed result": "May change what is computed.",
}


def ranked(fixes: Iterable[Fix]) -> list[Fix]:
    """Those that are a patch: proved ones first, the least harmful of them before the others, then those that nobody
    tried, in the order of the report; what was tried in vain comes last."""
    return sorted((fix for fix in fixes if fix.patch), key=_rank)


def _rank(fix: Fix) -> tuple[int, int]:
    if fix.verdict == "proved":
        return 0, _HARMS.index(fix.harm)
    return (1, int(fix.fails_alike)) if fix.verdict == "untested" else (2, 0)


def is_offered(fix: Fix) -> bool:
    return fix.verdict != "refuted" and not fix.fails_alike
