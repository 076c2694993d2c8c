"""Arrays of a container that all show the memory of one other array: windows of a series, slices of a picture; runs in
the user's process, inside a census.

Invariant: nothing of what they show is read. They weigh nothing; what joins them makes a copy of all that they show.
"""

from __future__ import annotations

from collections import Counter
from typing import Any, NamedTuple

from whydied.inside.census import array_sizes
from whydied.inside.census.object_kinds import TypeFacts
from whydied.inside.guest import guard

FEWEST = 32
SAMPLES = 8
"""So many of them, spread over all, must show the memory of the same array."""
OVERLAP = 2
"""They show at least so many times what that array holds: else they are parts of it."""
SMALLEST_BYTES = 32 << 20
LARGEST_KEPT = 8


class Views(NamedTuple):
    """`number` arrays of one form in the container at `node`, which show `owner`, an array of `of_bytes`."""

    number: int
    shape: tuple[int, ...]
    dtype: str
    shown_bytes: int
    owner: Any
    of_bytes: int
    node: Any


class ViewCounts:
    """What was found so far."""

    def __init__(self) -> None:
        self.found: list[Views] = []

    def add(self, things: list[Any], facts: TypeFacts, node: Any, weight: float) -> None:
        """Look at arrays that lie in one container, of which each stands for `weight`."""
        if len(things) >= FEWEST and len(self.found) < LARGEST_KEPT:
            views = _views(things, facts, node, weight)
            if views is not None:
                self.found.append(views)


@guard.otherwise(None)
def _views(things: list[Any], facts: TypeFacts, node: Any, weight: float) -> Views | None:
    (shape, dtype, owning), count = Counter(array_sizes.forms(things, facts)).most_common(1)[0]
    if owning:
        return None
    base: Any = facts.base
    few = [one for one in things if base.shape.__get__(one) == shape][:: max(1, count // SAMPLES)]
    owners = {one.key: one for one in (array_sizes.owner(each, facts) for each in few)}
    if len(owners) != 1:
        return None
    owner = next(iter(owners.values()))
    number = round(count * weight)
    shown = number * int(base.nbytes.__get__(few[0]))
    of_bytes = int(base.nbytes.__get__(owner.array))
    if owner.mapped or shown < max(SMALLEST_BYTES, OVERLAP * of_bytes):
        return None
    return Views(number, shape, str(dtype), shown, owner.array, of_bytes, node)
