"""Ops are added to the graph of a session while it runs, step after step.

## What it detects
A v1 graph that has more ops at each later `Session.run`, while memory grew.

## Why it happens
In a v1 graph `tf.matmul(…)`, `tf.constant(…)`, `x + 1`, `optimizer.minimize(…)` do not compute, they add nodes.
Inside the loop they add the same nodes again at every step. Nothing ever removes them, and the session prepares the
grown graph anew, so that each step is also slower than the last. An array that is turned into a tensor there is copied
into the graph each time.

## Evidence
The number of ops of the graph at recorded runs; the lines that made the newest ops, with the bytes of their
constants; the process's memory.

## How it is proved
Certain where the graph grew between at least eight recorded runs, and at least 40 % of what the program took above
its libraries came meanwhile. Three runs will do where the constants that they added, four times over, are at least 60 %
of what the program took: each new session copies the whole graph.

## Fix
Build the graph before the loop, feed what changes through a placeholder, and call `graph.finalize()`, which makes
the next addition an error at its line.

## Known problems
Of many new ops a spread sample is looked at. The line is the innermost of the program's own that adds ops: where a
function of its own is called in the loop, the call stands further up.

## References
TensorFlow API: tf.Graph.finalize.
"""

from __future__ import annotations

import ast

from whydied import words
from whydied.diagnose.case import Case, line_words, prefix
from whydied.diagnose.errors.session_error import v1
from whydied.diagnose.finding import Culprit, Evidence, Finding, Location
from whydied.diagnose.memory.bounding_changes import change_of
from whydied.diagnose.memory.growth_with_events import FEWEST, Pace, named_explain, pace_of
from whydied.diagnose.memory.memory_over_time import baseline_bytes, own_peak_bytes
from whydied.records import Frame, GraphAddition, SessionOpened, SessionRan
from whydied.source.calls import callee
from whydied.source.edits.edit import Change, line_before
from whydied.source.edits.import_edits import name_of
from whydied.source.edits.memory.fed_constants import fed_before_loop
from whydied.source.edits.runs.block_edits import before_loop, fetched_before_loop
from whydied.source.edits.runs.variable_loads import loaded
from whydied.source.statements import assigned_name, in_loop_body, loops_in
from whydied.source.trees import holds, located, tree_of, walk

LARGE_CONSTANTS = 0.1
"""Constants that make up this part of the growth are named as what grew; else the number of ops is. One in ten, because
a constant is held several times: in the graph's description, in the session's copy of it, and as a tensor."""

OFTEN = 0.1
"""A line that adds this part of the ops of the busiest adds them repeatedly."""
FEWEST_SESSIONS = 3
COPIES = 4
EXPLAINS = 0.6
"""So often a constant is there while a session begins (array, description, its copy, tensor), and the part of the
memory that all of them together must explain."""
FEWEST_OF_CONSTANTS = 3
"""Large constants fill the memory after a few steps."""

ADVICE = [
    "Build the graph before the loop and feed what changes (`tf.compat.v1.placeholder`).",
    "`graph.finalize()` before the loop turns each later addition into an error at its line.",
]

ROLE = "memory"
YIELDS_TO = ("session-never-closed",)


def check(case: Case) -> Finding | None:
    same = runs_of_last_graph(case)
    if not same or named_explain(case):
        return None
    grown = [(at_s, one) for at_s, one in same[1:] if one.added]
    lines = lines_adding([one for _, one in grown])
    pace = pace_of(case, [at_s for at_s, _ in grown], fewest=FEWEST_OF_CONSTANTS) or _pace_of_copies(case, same)
    if pace is None or not lines or not (len(grown) >= FEWEST or _is_heavy(lines[0], pace)):
        return None
    first, last = same[0][1], same[-1][1]
    return _finding(case, first, last, pace, lines)


def _pace_of_copies(case: Case, same: list[tuple[float, SessionRan]]) -> Pace | None:
    """Where the last run took most of the memory: each new session copies the whole graph, with the constants of all
    passes before."""
    constants = sum(one.constant_bytes for one in lines_adding([one for _, one in same]))
    taken = own_peak_bytes(case) - baseline_bytes(case)
    if len(same) <= FEWEST_OF_CONSTANTS or COPIES * constants < EXPLAINS * taken:
        return None
    return Pace(taken, len(same), taken // len(same))


def runs_of_last_graph(case: Case) -> list[tuple[float, SessionRan]]:
    """The recorded runs of sessions with the graph that was used last, with their times."""
    timed = case.principal.timed(SessionRan) if case.principal is not None else []
    ran = [(at_s, one) for at_s, one in timed if one.operations is not None]
    return [(at_s, one) for at_s, one in ran if one.graph == ran[-1][1].graph]


def lines_adding(ran: list[SessionRan]) -> list[GraphAddition]:
    """The lines that added ops, those with the most bytes of constants first."""
    totals: dict[tuple[str, int], GraphAddition] = {}
    for added in (addition for one in ran for addition in one.added):
        known = totals.get((added.file, added.line))
        totals[added.file, added.line] = GraphAddition(
            file=added.file,
            line=added.line,
            function=added.function,
            operations=added.operations + (known.operations if known else 0),
            constant_bytes=added.constant_bytes + (known.constant_bytes if known else 0),
        )
    return sorted(totals.values(), key=lambda one: (one.constant_bytes, one.operations), reverse=True)


def _afresh(case: Case, worst: GraphAddition) -> list[str]:
    """Where the function that adds the ops opens a session of its own in each pass, nothing of the passes before is
    used: the graph can be emptied."""
    looped = _pass_of(case, worst)
    if looped is None:
        return []
    opened = case.principal.all(SessionOpened) if case.principal is not None else []
    own = worst.function in {frame.function for one in opened for frame in one.frames} - {"<module>"}
    whose = f"`{worst.function}`" if own else "The loop"
    return [
        f"{whose} opens a session of its own in each pass: call "
        f"`{v1(case, 'reset_default_graph()')}` right before {line_words(looped)}, and each pass has its own graph."
    ]


def _is_heavy(added: GraphAddition, pace: Pace) -> bool:
    return added.constant_bytes >= LARGE_CONSTANTS * pace.grown_bytes


def _pass_of(case: Case, worst: GraphAddition) -> Location | None:
    """The line of the loop whose passes open sessions of their own."""
    opened = case.principal.all(SessionOpened) if case.principal is not None else []
    stacks = [one.frames for one in opened if any(frame.function == worst.function for frame in one.frames)]
    if len(stacks) < FEWEST_SESSIONS:
        return _loop_of_both(case, worst, [one.frames for one in opened if one.frames])
    places = [case.locate(frame) for frame in stacks[-1]]
    if worst.function == "<module>":
        lines = [place.line for place in places if place.file == worst.file][:1]
        return _first_of_loop(case, worst, lines[0]) if lines else None
    return next((place for place in places if in_loop_body(tree_of(case.sources, place.file), place.line)), None)


def _loop_of_both(case: Case, worst: GraphAddition, stacks: list[list[Frame]]) -> Location | None:
    """The first statement of the loop that opens the sessions itself and calls the function that adds the ops."""
    places = {(one[-1].file, one[-1].line) for one in stacks}
    if len(stacks) < FEWEST_SESSIONS or len(places) != 1 or worst.function == "<module>":
        return None
    file, line = places.pop()
    tree = tree_of(case.sources, file)
    for loop in loops_in(tree):
        calls = [one for one in walk(loop, ast.Call) if callee(one) == worst.function]
        if holds(loop, line) and calls and loop.body[0].lineno <= line:
            return located(case.sources, file, loop.body[0].lineno)
    return None


def _first_of_loop(case: Case, worst: GraphAddition, opened: int) -> Location | None:
    """The first statement of the innermost loop that both opens sessions and adds ops."""
    tree = tree_of(case.sources, worst.file)
    loops = [loop for loop in loops_in(tree) if holds(loop, worst.line) and holds(loop, opened)]
    inner = max(loops, key=lambda loop: loop.lineno, default=None)
    return located(case.sources, worst.file, inner.body[0].lineno) if inner is not None else None


def _finding(case: Case, first: SessionRan, last: SessionRan, pace: Pace, lines: list[GraphAddition]) -> Finding:
    heavy = _is_heavy(lines[0], pace)
    worst = lines[0] if heavy else max(lines, key=lambda one: one.operations)
    place = case.locate(Frame(file=worst.file, line=worst.line, function=worst.function))
    before, after = first.operations or 0, last.operations or 0
    what = (
        f"adds a constant to the graph at every step, {words.size(worst.constant_bytes)} so far"
        if heavy
        else "adds ops to the graph at every step"
    )
    return Finding(
        message=f"{prefix(place)}this line {what}: the graph grew from {before:,} to {after:,} ops over "
        f"{words.count(last.count - first.count, 'run')} of the session, and memory by {words.size(pace.grown_bytes)}",
        certainty="certain",
        location=place,
        culprit=Culprit(kind="graph", name=assigned_name(place), bytes=pace.grown_bytes),
        evidence=[
            Evidence(fact="ops in the graph", value=f"{before:,} at first, {after:,} at last", source="SessionRan"),
            *(
                Evidence(
                    fact=f"{one.file.rsplit('/', 1)[-1]}:{one.line} added",
                    value=f"{words.count(one.operations, 'op')}, constants of {words.size(one.constant_bytes)}",
                    source="SessionRan",
                )
                for one in lines[:3]
            ),
            Evidence(fact="memory grew meanwhile", value=words.size(pace.grown_bytes), source="MachineSampled"),
        ],
        advice=[*_afresh(case, worst), *ADVICE],
        changes=[*_emptied(case, worst), *moved(case, place, lines)],
    )


def _emptied(case: Case, worst: GraphAddition) -> list[Change]:
    """The graph emptied before each pass, where a pass uses nothing of those before."""
    looped = _pass_of(case, worst)
    source = case.sources.get(looped.file) if looped is not None else None
    if looped is None or source is None:
        return []
    text = v1(case, "reset_default_graph()")
    edit = line_before(source, looped.file, looped.line, text)
    return [Change(title=f"Call `{text}` before each pass", kind="graph", edits=[edit], harm="same result")]


def moved(case: Case, place: Location, lines: list[GraphAddition]) -> list[Change]:
    """What adds to the graph and needs nothing of the loop, above it."""
    source = case.sources.get(place.file)
    if source is None:
        return []
    functions = {one.function for one in lines if one.file == place.file}
    edits = before_loop(source, place.file, place.line) or fetched_before_loop(source, place.file, functions)
    if edits:
        return change_of("Build this part of the graph before the loop", "graph", edits, "exact")
    edits = fed_before_loop(source, place.file, place.line)
    if edits:
        title = "Build this part of the graph before the loop, and feed what changes to a placeholder"
        return change_of(title, "graph", edits, "same result")
    most = max(one.operations for one in lines)
    often = [one.line for one in lines if one.file == place.file and one.operations >= OFTEN * most]
    edits = loaded(source, place.file, often, name_of(source, "tensorflow") or "tf")
    return change_of("Set the variable by `load`, which adds no op", "graph", edits, "exact")
