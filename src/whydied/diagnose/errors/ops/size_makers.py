"""The expression that gave a value the size which does not fit, where the program writes its shape out. Pure.

Of two values that do not fit, the one whose size is written is wrong where the size of the other comes from the data:
a shape that is written has to follow them.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from whydied.diagnose.case import line_words
from whydied.diagnose.errors.framework_error import name_of, shape_words
from whydied.diagnose.errors.misfit import Misfit
from whydied.records import Frame, Party, ValueSource


class MadeSize(NamedTuple):
    """`party` has `size` on `axis`, where the other value has `wanted`; `made` is the expression behind it."""

    party: Party
    axis: int
    size: int
    wanted: int
    made: ValueSource

    @property
    def frame(self) -> Frame | None:
        return self.made.frame

    @property
    def words(self) -> str:
        """What the size is, and what it would have to be."""
        where = f" ({line_words(self.made.frame)})" if self.made.frame is not None else ""
        said = f"`{self.made.text}`{where}" if self.made.kind != "size" else f"`{self.made.name}`{where}"
        named = f"`{self.made.name}` = {said}" if self.made.kind == "variable" and self.made.name else said
        return (
            f"Axis {self.axis} of {name_of(self.party, 'it')} {shape_words(self.party.shape)} is {named}, which is "
            f"{self.size}; it would have to be {self.wanted}"
        )


def made_size(found: Misfit) -> MadeSize | None:
    """The only written size of two that do not fit each other."""
    if found.first is None or found.second is None or len(found.axes) != 1:
        return None
    left, right, one, other = found.axes[0]
    sides = ((found.first, left, one, other), (found.second, right, other, one))
    written = [
        MadeSize(party, axis, size, wanted, trail[-1])
        for party, axis, size, wanted in sides
        if size is not None and wanted is not None and (trail := _trail(party, axis))
    ]
    if len(written) != 1:
        return None
    only = written[0]
    return None if _is_written(found.second if only.party is found.first else found.first, only.wanted) else only


def _is_written(party: Party, size: int) -> bool:
    """Whether a size stands as a number in what made the value: then neither of the two is known to be wrong."""
    return any(re.search(rf"(?<![\w.]){size}(?![\w.])", source.text) for source in party.sources)


def _trail(party: Party, axis: int) -> list[ValueSource]:
    """The makers of a size up to the last that is no parameter, which says nothing of its own."""
    trail = party.size_makers[axis] if axis < len(party.size_makers) else []
    while trail and trail[-1].kind == "parameter":
        trail = trail[:-1]
    return trail
