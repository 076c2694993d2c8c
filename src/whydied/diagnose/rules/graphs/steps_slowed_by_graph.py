"""Each run of a session is slower than the last, because ops are added to its graph in between.

## What it detects
A v1 graph that has more ops at each later `Session.run`, and runs that take longer and longer, whether memory grew or
not.

## Why it happens
`sess.run(tf.assign(rate, value))` or `sess.run(x * 2)` in a loop adds the ops anew each time. The session prepares the
grown graph before it can run what is new in it, which takes the longer the larger the graph is.

## Evidence
The number of ops of the graph and the time at recorded runs; the lines that made the newest ops.

## How it is proved
Certain where ops were added at a third of the recorded runs or more, up to the last, at least 100 in all, and a run
took at least twice as long in the last quarter of the runs as in the first.

## Fix
Make the ops once, before the loop, and feed what changes through a placeholder.

## Known problems
A program that does more work in each later step is slower for that reason too.

## References
smallcorgi/Faster-RCNN_TF issue 10; tensorflow/tensorflow issue 1439.
"""

from __future__ import annotations

import ast
from itertools import pairwise
from statistics import median

from whydied import words
from whydied.diagnose.case import Case, line_words, prefix
from whydied.diagnose.finding import Culprit, Evidence, Finding, Location
from whydied.diagnose.memory.call_at_death import ran_out
from whydied.diagnose.memory.memory_over_time import leaks
from whydied.diagnose.rules.graphs import graph_growth
from whydied.diagnose.rules.graphs.graph_growth import ADVICE, lines_adding, moved, runs_of_last_graph
from whydied.records import Frame, SessionRan
from whydied.source.calls import callee
from whydied.source.edits.edit import Change
from whydied.source.statements import assigned_name, in_loop_body
from whydied.source.trees import located, nodes_on, tree_of

FEWEST = 20
FEWEST_OPS = 100
OF_RUNS = 1 / 3
SLOWER = 2.0

ROLE = "cause"


def check(case: Case) -> Finding | None:
    same = runs_of_last_graph(case)
    if len(same) < FEWEST or (same[-1][1].operations or 0) - (same[0][1].operations or 0) < FEWEST_OPS:
        return None
    last = same[-len(same) // 4 :]
    early, late = _each_s(same[: len(same) // 4]), _each_s(last)
    adding = [one for _, one in same[1:] if one.added]
    if len(adding) < OF_RUNS * len(same) or not any(one.added for _, one in last) or late < SLOWER * early:
        return None
    if (ran_out(case) or leaks(case)) and graph_growth.check(case) is not None:
        return None
    return _finding(case, same[0][1], same[-1][1], adding, early, late)


def explains_end(case: Case) -> bool:
    """A slow program that somebody ended was waited for in vain; nothing else ends by this."""
    return case.was_stopped


def _each_s(ran: list[tuple[float, SessionRan]]) -> float:
    """The time for a run, from record to record."""
    taken = [(later - at) / (one.count - before.count) for (at, before), (later, one) in pairwise(ran)]
    return median(taken) if taken else 0.0


def _finding(
    case: Case, first: SessionRan, last: SessionRan, adding: list[SessionRan], early: float, late: float
) -> Finding:
    lines = lines_adding(adding)
    worst = max(lines, key=lambda one: one.operations)
    place = case.locate(Frame(file=worst.file, line=worst.line, function=worst.function))
    before, after = first.operations or 0, last.operations or 0
    changes = moved(case, place, lines)
    place, through = _adding_call(case, place, changes)
    return Finding(
        message=f"{prefix(place)}this line adds ops to the graph at every step{through}: it grew from {before:,} to "
        f"{after:,} ops over {words.count(last.count - first.count, 'run')} of the session, and a run takes "
        f"{1000 * late:,.0f} ms at the end instead of {1000 * early:,.0f} ms",
        certainty="certain",
        location=place,
        culprit=Culprit(kind="graph", name=assigned_name(place)),
        evidence=[
            Evidence(fact="ops in the graph", value=f"{before:,} at first, {after:,} at last", source="SessionRan"),
            *(
                Evidence(
                    fact=f"{one.file.rsplit('/', 1)[-1]}:{one.line} added",
                    value=words.count(one.operations, "op"),
                    source="SessionRan",
                )
                for one in sorted(lines, key=lambda one: -one.operations)[:3]
            ),
        ],
        advice=ADVICE,
        changes=changes,
    )


def _adding_call(case: Case, place: Location, changes: list[Change]) -> tuple[Location, str]:
    """The line in the loop whose call the change takes out of it, with what is said of the line that adds the ops;
    that line itself where it is in the loop."""
    last = changes[0].edits[-1] if changes else None
    source = case.project.get(last.file) if last is not None else None
    if last is None or source is None or in_loop_body(tree_of(case.sources, place.file), place.line):
        return place, ""
    line = last.start[0]
    calls = {callee(one) for one in nodes_on(source, line) if isinstance(one, ast.Call)}
    if place.function not in calls or not in_loop_body(source.tree, line):
        return place, ""
    return located(case.project, last.file, line), f" with `{place.function}` ({line_words(place)})"
