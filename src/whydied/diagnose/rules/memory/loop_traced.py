"""A whole loop is traced: a tf.function runs its Python loop while it is traced, and the graph gets every turn.

## What it detects
A `tf.function` with a loop in it whose first trace was still going on when memory ran out.

## Why it happens
`tf.function` runs the Python code once to write down its operations. A loop over a Python object (a generator, a
list, `range`) is Python: it runs to its end during the trace, and all its turns become one graph. The arrays that it
goes through become constants in it. A training loop of some epochs is never done with that.

## Evidence
The call of the function; that no trace of it was completed; the samples of the main thread since then, most of which
stand where TensorFlow adds operations to a graph; the decorator and the loop in the source.

## How it is proved
Likely: the function began, its trace did not end, at least a quarter of the samples since then stand in TensorFlow's
own code that makes operations, and at least half of what the program took above its libraries came meanwhile.

## Fix
Put the decorator on what one turn does, and leave the loop to Python; or loop over a `tf.data.Dataset` or `tf.range`,
which become one loop of the graph.

## References
TensorFlow guide, "Better performance with tf.function", AutoGraph and loops.
"""

from __future__ import annotations

from whydied import words
from whydied.diagnose.case import Case, line_words, prefix
from whydied.diagnose.finding import Culprit, Evidence, Finding
from whydied.diagnose.memory.bounding_changes import change_of
from whydied.diagnose.memory.growth_with_events import rss_at
from whydied.diagnose.memory.memory_over_time import baseline_bytes, memory_series, own_peak_bytes
from whydied.records import FunctionTraced, LineSampled, StepBegan
from whydied.source.edits.edit import Change
from whydied.source.edits.programs.traced_loops import TracedLoop, moved_decorator, traced_loop
from whydied.source.trees import located

BUILDS = 0.25
TAKES = 0.5
FEWEST = 20
_BUILDING = ("/tensorflow/python/framework/ops.py", "/tensorflow/python/framework/op_def_library.py")

ROLE = "memory"
YIELDS_TO = ("large-constant-in-graph",)


def check(case: Case) -> Finding | None:
    steps = [(at, step) for at, step in case.records.timed(StepBegan) if step.unit == "function" and step.name]
    if not steps or any(at > steps[-1][0] for at, _ in case.records.timed(FunctionTraced)):
        return None
    began_s, step = steps[-1]
    looks = [look for at, look in case.records.timed(LineSampled) if at >= began_s and look.thread == "main"]
    building = [look for look in looks if look.innermost is not None and look.innermost.file.endswith(_BUILDING)]
    peak, base = own_peak_bytes(case), baseline_bytes(case)
    grown = peak - rss_at(memory_series(case), began_s)
    if len(looks) < FEWEST or len(building) < BUILDS * len(looks) or grown < TAKES * (peak - base):
        return None
    found = traced_loop(case.sources, step.name)
    if found is None:
        return None
    place = located(case.sources, found.file, found.line)
    loop = line_words(located(case.sources, found.file, found.loop_line))
    seconds = words.duration(case.recording.supervisor.last_at_s - began_s)
    return Finding(
        message=f"{prefix(place)}the tf.function `{found.name}` was still being traced after {seconds}: its loop "
        f"({loop}) runs in Python meanwhile, and each turn is added to the graph; memory grew by {words.size(grown)}",
        certainty="likely",
        location=place,
        culprit=Culprit(kind="function", name=found.name, bytes=grown),
        evidence=[
            Evidence(
                fact="samples in TensorFlow's code that makes operations",
                value=f"{len(building)} of {len(looks)}",
                source="LineSampled",
            ),
            Evidence(fact=f"completed traces of `{found.name}`", value=0, source="FunctionTraced"),
        ],
        advice=[_advice(found)],
        changes=_changes(case, found),
    )


def _advice(found: TracedLoop) -> str:
    what = f"`{found.called}`" if found.called else "a function of its own for what one turn does"
    return (
        f"Take `@tf.function` off `{found.name}` and put it on {what}, so that only a turn is traced, once; or loop "
        "over a `tf.data.Dataset` or `tf.range`, which become one loop of the graph."
    )


def _changes(case: Case, found: TracedLoop) -> list[Change]:
    edits = moved_decorator(case.sources, found)
    return change_of(f"Trace `{found.called}` instead of the loop", "statement", edits, "same result")
