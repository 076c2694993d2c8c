"""The last statement of a run and the memory that it took. Pure."""

from __future__ import annotations

import os
from typing import NamedTuple

from whydied import words
from whydied.diagnose.case import Case
from whydied.diagnose.finding import Evidence, Location
from whydied.diagnose.memo import once
from whydied.diagnose.memory.call_at_death import ran_out, rss_at
from whydied.diagnose.memory.growth_with_events import NAMED_ROOTS
from whydied.diagnose.memory.memory_over_time import (
    anonymous_series,
    baseline_bytes,
    censuses,
    file_series,
    level,
    lines_at_work,
    loaded_s,
    memory_series,
    own_peak_bytes,
)
from whydied.records import LineSampled
from whydied.source.statements import in_loop_body
from whydied.source.trees import tree_of

_WAITING = frozenset({"threading.py", "queue.py", "selectors.py", "subprocess.py", "connection.py", "popen_fork.py"})
"""Files of the standard library in which a thread waits for others."""
CLOSE_S = 0.12
"""Two looks at the main thread are at most so far apart where none was missed."""


class StatementGrowth(NamedTuple):
    """How much memory grew while the main thread was last seen at one statement, without the pages of files where the
    system tells them apart; `libraries_bytes`, what the libraries took, is of the same kind. `looped` is true where the
    statement stands in a loop and was seen with other lines of that loop in between: then it is not one act."""

    place: Location
    from_bytes: int
    grown_bytes: int
    seconds: float
    looped: bool
    since_s: float = 0.0
    libraries_bytes: int = 0

    def evidence(self) -> Evidence:
        before = max(0, self.from_bytes - self.libraries_bytes)
        return Evidence(
            fact=f"memory beyond the libraries grew while running {self.place.spelled}",
            value=f"from {words.size(before)} to {words.size(before + self.grown_bytes)} "
            f"in {words.duration(self.seconds)}",
            source="LineSampled, ProgramEnded",
        )


@once
def last_statement_growth(case: Case) -> StatementGrowth | None:
    """The growth of the last statement, from when it was first seen without a break to the end."""
    if not ran_out(case):
        return None
    looks = [(at, line, place) for at, line in lines_at_work(case) if (place := case.locate_user(line.frames))]
    seen = [(at, place) for at, _, place in looks]
    if not seen or _waits(case, looks[-1][1]):
        return None
    last_at, place = seen[-1]
    began, elsewhere = last_at, None
    for at, other in reversed(seen):
        if (other.file, other.line) != (place.file, place.line):
            elsewhere = at
            break
        began = at
    others = {(other.file, other.line) for at, other in seen if at < began}
    since = began - 1e-4
    before, peak = _own_pages(case, since)
    if elsewhere is not None and began - elsewhere <= CLOSE_S:
        # It began between the two looks: at what the census had counted, as far as that lies between them.
        since, latest = elsewhere, before
        before, peak = _own_pages(case, since)
        before = max(before, min(latest, _known(case, since)))
    came_back = (place.file, place.line) in others
    last_at = max([last_at, *(at for at, _ in memory_series(case)[-1:])])
    looped = came_back or in_loop_body(tree_of(case.sources, place.file), place.line)
    if not looped:
        before = min(peak, max(before, _named_by_then(case, since)))
    libraries = round(level(anonymous_series(case), loaded_s(case))) if file_series(case) else baseline_bytes(case)
    return StatementGrowth(place, before, max(0, peak - before), last_at - since, looped, since, libraries)


def _waits(case: Case, look: LineSampled) -> bool:
    """Whether the statement only waited for another thread or process of the program's, which then took the memory. A
    library waits for threads of its own, which work for the statement."""
    if look.innermost is None or os.path.basename(look.innermost.file) not in _WAITING:
        return False
    threads = any(one.thread != "main" and case.locate_user(one.frames) for one in case.records.all(LineSampled))
    return threads or any(len(sample.machine.processes) > 1 for sample in case.recording.samples)


def _own_pages(case: Case, at_s: float) -> tuple[int, int]:
    """What the process held at a moment and at most from then on. Pages of files come and go as the kernel likes, the
    more so when memory is short: where they are known they do not count."""
    before, files = rss_at(case, at_s), file_series(case)
    if not files:
        return before, own_peak_bytes(case)
    own = [size for at, size in anonymous_series(case) if at >= at_s]
    before = max(0, before - round(level(files, at_s)))
    return before, max([before, *own])


def _named_by_then(case: Case, since_s: float) -> int:
    """What the libraries took and the arrays that had a name of the program's own shortly before the end: the last
    statement was not done yet, so others had made them, however close together they ran. 0 where no census tells."""
    pages = anonymous_series(case)
    later = [census for at, census in censuses(case) if at >= since_s]
    if not later or not pages:
        return 0
    named = sum(
        round(group.size_bytes * holder.share)
        for group in later[-1].groups
        for holder in group.holders
        if group.kind in ("array", "tensor") and holder.root in NAMED_ROOTS and holder.path.isidentifier()
    )
    return round(level(pages, loaded_s(case))) + named if named else 0


def _known(case: Case, at_s: float) -> int:
    """What the libraries took and the objects that the first census after a moment counted: the last statement came on
    top of that. 0 where no census tells."""
    pages = anonymous_series(case)
    later = [census for at, census in censuses(case) if at >= at_s and census.complete]
    if not later or not pages:
        return 0
    return round(level(pages, loaded_s(case))) + later[0].python_bytes
