"""Sessions are opened repeatedly and never closed.

## What it detects
One line that opens at least eight `tf.compat.v1.Session`s (or `InteractiveSession`s) of which most still live and
are open, while memory grew.

## Why it happens
Each session has its own threads, its own copy of the variables and its own prepared graphs. It gives them back when
it is closed. An `InteractiveSession` installs itself as the default and so stays alive even when its variable is
overwritten.

## Evidence
Each session that was made, how many of them live and are open then, and the line that made it. The process's memory
from the first of them to the peak.

## How it is proved
Likely where at least half of the sessions are still open and at least 40 % of what the program took above its
libraries came while they were made; certain where nine in ten are open.

## Fix
`with tf.compat.v1.Session() as sess:` closes it. Better: one session for the whole program.

## Known problems
Sessions that are closed and whose graph stays alive are a matter of the graph, not of the session.

## References
TensorFlow API: tf.compat.v1.Session.close.
"""

from __future__ import annotations

from whydied import words
from whydied.diagnose.case import Case, prefix
from whydied.diagnose.finding import Culprit, Evidence, Finding, Location
from whydied.diagnose.memory.bounding_changes import change_of
from whydied.diagnose.memory.growth_with_events import named_explain, pace_of
from whydied.records import SessionOpened
from whydied.source.edits.edit import Change
from whydied.source.edits.memory.graph_edits import closed_after_use
from whydied.source.edits.programs.session_edits import as_block
from whydied.source.statements import assigned_name

OPEN_SHARE = 0.5
CERTAIN_SHARE = 0.9

ROLE = "memory"
YIELDS_TO = ("grown-in-loop",)


def check(case: Case) -> Finding | None:
    opened = list(case.principal.timed(SessionOpened)) if case.principal else []
    if not opened or named_explain(case):
        return None
    last = opened[-1][1]
    frames = [frame for frame in last.frames if frame.user]
    pace = pace_of(case, [at_s for at_s, _ in opened], last.count)
    if pace is None or not frames or last.open < OPEN_SHARE * last.count:
        return None
    place = case.locate(frames[-1])
    name = assigned_name(place)
    return Finding(
        message=f"{prefix(place)}{last.open:,} of {words.count(last.count, 'session')} that this line opened were "
        f"never closed; memory grew by {words.size(pace.grown_bytes)} meanwhile, {words.size(pace.each_bytes)} per "
        "session",
        certainty="certain" if last.open >= CERTAIN_SHARE * last.count else "likely",
        location=place,
        culprit=Culprit(kind="session", name=name, bytes=pace.grown_bytes),
        evidence=[
            Evidence(fact="sessions created", value=last.count, source="SessionOpened"),
            Evidence(fact="of these open", value=last.open, source="SessionOpened"),
            Evidence(
                fact="memory growth since the first session",
                value=words.size(pace.grown_bytes),
                source="MachineSampled",
            ),
        ],
        advice=[
            "Open one session before the loop, or use `with tf.compat.v1.Session() as sess:`, which closes it.",
        ],
        changes=_changes(case, place),
    )


def _changes(case: Case, place: Location) -> list[Change]:
    source = case.sources.get(place.file)
    edits = as_block(source, place.file, place.line) if source is not None else []
    after = closed_after_use(case.sources, place.file, place.line)
    return [
        *change_of("Close the session: open it with `with`", "statement", edits, "exact"),
        *change_of("Close the session of each object at the end of its turn", "statement", after, "exact"),
    ]
