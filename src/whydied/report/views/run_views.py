"""All pictures of a run. Pure but for the captured values that a histogram is read from.

Invariant: a picture that cannot be made is missing, and says so; the others and the report stay.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import msgspec

from whydied.diagnose.case import Case
from whydied.read.recording import Recording
from whydied.report import headline
from whydied.report.summary import Report
from whydied.report.views.alive_at_peak import Alive, alive
from whydied.report.views.bad_value import BadValue, bad_value
from whydied.report.views.layer_shapes import Shapes, shapes
from whydied.report.views.memory_timeline import Timeline, timeline
from whydied.report.views.source_heat import SourceFile, heat
from whydied.report.views.trial_bars import Trial, trials
from whydied.report.views.waiting_graph import Waiting, waiting

T = TypeVar("T")
NEAR_LIMIT = 0.6
_OF_MEMORY = ("MEM", "GPU", "GRF")


class Views(msgspec.Struct, frozen=True, kw_only=True):
    timeline: Timeline | None = None
    alive: list[Alive] = []
    bad_value: BadValue | None = None
    shapes: Shapes | None = None
    waiting: Waiting | None = None
    sources: list[SourceFile] = []
    trials: list[Trial] = []
    errors: list[str] = []
    """Ours."""


def is_about_memory(report: Report) -> bool:
    """Whether the end came of memory, or was near to: else who held how much is noise."""
    memory = report.memory
    near = memory.limit_bytes and (memory.peak_rss_bytes or 0) >= NEAR_LIMIT * memory.limit_bytes
    return bool(near) or any(finding.code.startswith(_OF_MEMORY) for finding in report.findings)


def views_of(recording: Recording, report: Report) -> Views:
    case = Case(recording)
    errors: list[str] = []

    def made(name: str, make: Callable[[], T], otherwise: T) -> T:
        try:
            return make()
        except Exception as error:
            errors.append(f"the picture of {name}: {error!r}")
            return otherwise

    return Views(
        timeline=made("memory over time", lambda: timeline(case, headline.happened(report)), None),
        alive=made("what was alive", lambda: alive(case, report.memory), []) if is_about_memory(report) else [],
        bad_value=made("the bad value", lambda: bad_value(case), None),
        shapes=made("shapes", lambda: shapes(case), None),
        waiting=made("threads", lambda: waiting(case), None),
        sources=made("the source", lambda: heat(case, report, grown=is_about_memory(report)), []),
        trials=made("trials", lambda: trials(report, figures=is_about_memory(report)), []),
        errors=errors,
    )
