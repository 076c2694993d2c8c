"""The last statement of a run and the memory that it took. Pure."""

from __future__ import annotations

import ast
from typing import NamedTuple

from whydied import words
from whydied.diagnose.act import ran_out, rss_at
from whydied.diagnose.case import Case
from whydied.diagnose.finding import Evidence, Location
from whydied.diagnose.footprint import own_peak_bytes
from whydied.diagnose.memo import once
from whydied.records import LineSampled


class Surge(NamedTuple):
    """How much memory grew while the main thread was last seen at one statement. `looped` is true where the statement
    stands in a loop and was seen with other lines of that loop in between: then it is not one act."""

    place: Location
    from_bytes: int
    grown_bytes: int
    seconds: float
    looped: bool

    def evidence(self) -> Evidence:
        return Evidence(
            fact=f"memory grew while {self.place.spelled} was running",
            value=f"from {words.size(self.from_bytes)} to {words.size(self.from_bytes + self.grown_bytes)} "
            f"in {words.duration(self.seconds)}",
            source="LineSampled, ProgramEnded",
        )


@once
def surge_of(case: Case) -> Surge | None:
    """The growth of the last statement, from when it was first seen without a break to the end."""
    if case.principal is None or not ran_out(case):
        return None
    lines = [
        (at, [frame for frame in line.frames if frame.user])
        for at, line in case.principal.timed(LineSampled)
        if line.thread == "main"
    ]
    seen = [(at, case.locate(mine[-1])) for at, mine in lines if mine]
    if not seen:
        return None
    last_at, place = seen[-1]
    began = last_at
    others = set()
    for at, other in reversed(seen):
        if (other.file, other.line) != (place.file, place.line):
            break
        began = at
    for at, other in seen:
        if at < began:
            others.add((other.file, other.line))
    # Just before it was first seen it was at another line, or had only begun.
    before = rss_at(case, began - 1e-4)
    peak = own_peak_bytes(case)
    came_back = (place.file, place.line) in others
    return Surge(place, before, max(0, peak - before), last_at - began, came_back or _in_loop(case, place))


def _in_loop(case: Case, place: Location) -> bool:
    """Whether a statement stands in a loop of its own function."""
    source = case.recording.sources.get(place.file)
    tree = source.tree if source else None
    if tree is None:
        return False
    for node in ast.walk(tree):
        if isinstance(node, ast.For | ast.While | ast.AsyncFor):
            first, last = node.body[0].lineno, node.body[-1].end_lineno or 0
            if first <= place.line <= last:
                return True
    return False
