"""A tf.function keeps being retraced, and each trace stays in memory.

## What it detects
The same `tf.function` traced at least eight times while memory grew with the traces.

## Why it happens
TensorFlow makes a new graph for each new value of a Python argument, each new shape and each new object, and
keeps it. A counter, a list, a learning rate or a settings object that is passed as a plain Python value is new
at every call. A `tf.function` that is made inside a loop is new each time as a whole.

## Evidence
Every trace with the types of its arguments: the argument that takes the most different values is the one. Where most
traces repeat an earlier one, the function itself is new each time. The process's memory from the first trace to the
peak.

## How it is proved
Likely where at least 40 % of what the program took above its libraries came while the traces went on, the last
trace is near the end, and objects with a name of the program's own do not explain the memory. Certain where
moreover each trace brought a new value of the same argument. Eight, because a function with a few branches and a
smaller last batch is traced two to four times in healthy programs.

## Fix
Pass a tensor (`tf.constant(step)`) or a `tf.Variable` instead of the Python value, give an `input_signature` with
`None` for what varies or `reduce_retracing=True`, and make the function once, outside of the loop. Without
`tf.function` nothing is traced, and the function runs eagerly.

## Known problems
Arrays that the function closes over are copied into each graph and are counted with it.

## References
TensorFlow guide, "Better performance with tf.function", rules of tracing.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import NamedTuple

from whydied import words
from whydied.diagnose.case import Case, prefix
from whydied.diagnose.finding import Culprit, Evidence, Finding, Location
from whydied.diagnose.memory.bounding_changes import change_of
from whydied.diagnose.memory.growth_with_events import FEWEST, Pace, named_explain, pace_of
from whydied.records import Frame, FunctionTraced
from whydied.source.edits.edit import Change
from whydied.source.edits.memory.retracing_edits import as_array, for_any_shape, made_before_loop, made_once, not_traced
from whydied.source.edits.runs.traced_argument_edits import as_tensor, function_named
from whydied.source.text import Source
from whydied.source.trees import Function

_SHOWN = 3
_CUT = 200
NEW = 0.5
"""The part of the traces that must be of signatures not seen before: a function finds what it traced already, so one
that is traced again with the same is itself new."""


class Varying(NamedTuple):
    """The argument that differs. `how` is "value", "shape", "dtype" or "object"."""

    name: str
    how: str
    different: int
    shown: str


ROLE = "memory"
YIELDS_TO = ("graph-growth",)


def check(case: Case) -> Finding | None:
    if named_explain(case):
        return None
    times, traces = _most_traced(case)
    if not traces:
        return None
    pace = pace_of(case, times, traces[-1].traces)
    if pace is None:
        return None
    varying = varying_argument(traces)
    in_library = not any(traces[-1].file == frame.file for trace in traces for frame in trace.frames)
    if varying is None and in_library and traces[-1].file not in case.recording.sources:
        # A new function of a library for each new model: the models are what is new.
        return None
    return _finding(case, traces, pace, varying)


def _most_traced(case: Case) -> tuple[list[float], list[FunctionTraced]]:
    by_function: dict[tuple[str, int, str], list[tuple[float, FunctionTraced]]] = {}
    for at_s, traced in case.records.timed(FunctionTraced):
        if _calls(traced):
            by_function.setdefault((traced.file, traced.line, traced.name), []).append((at_s, traced))
    if not by_function:
        return [], []
    most = max(by_function.values(), key=lambda found: (_own(case, found[0][1]), len(found)))
    if len(most) < FEWEST:
        return [], []
    return [at_s for at_s, _ in most], [traced for _, traced in most]


def _own(case: Case, traced: FunctionTraced) -> bool:
    return traced.file in case.recording.sources


def _calls(traced: FunctionTraced) -> list[Frame]:
    return [frame for frame in traced.frames if frame.user]


def varying_argument(traces: list[FunctionTraced]) -> Varying | None:
    """The argument with the most different values, or None where the traces repeat each other."""
    if len({tuple(traced.signature) for traced in traces}) < NEW * len(traces) and not _cut(traces):
        return None
    values: dict[str, list[str]] = {}
    for traced in traces:
        for part in traced.signature:
            name, _, value = part.partition(": ")
            values.setdefault(name, []).append(value)
    ranked = sorted(values.items(), key=lambda item: -len(set(item[1])))
    if not ranked or len(set(ranked[0][1])) < 2:
        return None
    name, seen = ranked[0]
    different = list(dict.fromkeys(seen))
    return Varying(name, _how(different), len(different), _shown(different))


def _cut(traces: list[FunctionTraced]) -> bool:
    """Whether values are not known to their end, as older recordings have them: what looks alike may differ."""
    return any(len(part) == _CUT and "Literal[" in part for traced in traces for part in traced.signature)


def _how(different: list[str]) -> str:
    if any("eakref" in value or "Reference" in value for value in different):
        return "object"
    if all(value.startswith("TensorSpec") for value in different):
        shapes = {value.partition("dtype=")[0] for value in different}
        return "shape" if len(shapes) > 1 else "dtype"
    return "value"


def _shown(different: list[str]) -> str:
    if any("eakref" in value for value in different):
        kinds = Counter(value.partition("to '")[2].partition("'")[0] for value in different)
        return f"{kinds.most_common(1)[0][0] or 'object'} objects"
    plain = [
        value.removeprefix("Literal[").removesuffix("]") if value[:8] == "Literal[" else value for value in different
    ]
    plain = [
        value.partition("shape=")[2].partition(", dtype")[0] if value.startswith("TensorSpec") else value
        for value in plain
    ]
    more = ", …" if len(plain) > _SHOWN else ""
    return ", ".join(value if len(value) <= 40 else value[:39] + "…" for value in plain[:_SHOWN]) + more


_WHY = {
    "value": "its argument `{name}` is a Python value that is new each time ({shown})",
    "shape": "its argument `{name}` has a new shape each time ({shown})",
    "dtype": "its argument `{name}` changes its dtype ({shown})",
    "object": "its argument `{name}` is a new object each time ({shown})",
}
_ADVICE = {
    "value": "Pass `{name}` as a tensor (`tf.constant(…)`) or a `tf.Variable`: only Python values cause a new trace.",
    "shape": "`@tf.function(reduce_retracing=True)`, or an `input_signature` with `None` for what varies of `{name}`.",
    "dtype": "Convert `{name}` to one dtype before the call.",
    "object": "Create the object once, above the loop, or pass what the function needs from it as tensors.",
}
_METHOD = (
    "A method is a new object wherever `object.method` is written: take it once, above the loop (`{name} = "
    "object.method`), and pass that."
)
_NUMBER = re.compile(r"Literal\[-?\d+(?:\.\d+)?(?:e-?\d+)?\]")
_NUMBERS = re.compile(r"(?:List|Tuple)\[.*Literal\[-?\d.*")
_FLOAT = re.compile(r"dtype=tf\.(float\d+|bfloat16)")


def _changes(case: Case, traces: list[FunctionTraced], varying: Varying | None, place: Location) -> list[Change]:
    """One trace for all calls, by what differs between them; last no trace at all."""
    last = traces[-1]
    defined, source = case.sources.get(last.file), case.sources.get(place.file)
    function = function_named(defined, last.name) if defined is not None else None
    if defined is None or source is None or function is None:
        return []
    found = (
        _one_trace(traces, varying, place, (defined, source), function)
        if varying is not None
        else change_of(
            f"Make `{last.name}` once, above the loop", "retracing", made_once(defined, last.file, function), "exact"
        )
    )
    title = f"Run `{last.name}` eagerly, without a trace"
    return [*found, *change_of(title, "retracing", not_traced(defined, last.file, function), "same result")]


def _one_trace(
    traces: list[FunctionTraced],
    varying: Varying,
    place: Location,
    texts: tuple[Source, Source],
    function: Function,
) -> list[Change]:
    defined, source = texts
    last, name = traces[-1], varying.name
    values = [part.partition(": ")[2] for one in traces for part in one.signature if _named(part, varying)]
    general = for_any_shape(defined, last.file, function)
    if varying.how == "shape":
        return change_of(f"Trace `{last.name}` for any size", "retracing", general, "same result")
    if varying.how == "object":
        edits = made_before_loop(source, place.file, place.line, function, name)
        return change_of(f"Create `{name}` once, above the loop", "retracing", edits)
    if varying.how == "value" and all(_NUMBERS.fullmatch(value) for value in values):
        edits = as_array(source, place.file, place.line, function, name)
        title = f"Pass `{name}` as a tensor, and trace `{last.name}` for any size"
        return change_of(title, "retracing", [*edits, *general] if edits else [], "same result")
    dtypes = {match[1] for part in last.signature for match in _FLOAT.finditer(part)}
    if varying.how != "value" or not all(map(_NUMBER.fullmatch, values)) or len(dtypes) != 1:
        return []
    edit = as_tensor(source, place.file, place.line, function, name, next(iter(dtypes)))
    return change_of(f"Pass `{name}` as a tensor", "retracing", edit, "same result")


def _named(part: str, varying: Varying) -> bool:
    return part.partition(": ")[0] == varying.name


def _finding(case: Case, traces: list[FunctionTraced], pace: Pace, varying: Varying | None) -> Finding:
    last = traces[-1]
    call = _calls(last)[-1]
    definition = f"{last.file.rsplit('/', 1)[-1]}:{last.line}"
    if varying is None:
        place = case.locate(Frame(file=last.file, line=last.line, function=last.name))
        why = "it is created again each time"
        advice = "Create the tf.function once, outside the loop."
    else:
        place = case.locate(call)
        told = {"name": varying.name, "shown": varying.shown}
        why, advice = _WHY[varying.how].format(**told), _ADVICE[varying.how].format(**told)
        if varying.shown.startswith("method "):
            advice = _METHOD.format(**told)
    each = varying is not None and varying.different >= 0.9 * len(traces)
    return Finding(
        message=f"{prefix(place)}the tf.function `{last.name}` ({definition}) was traced {pace.events:,} times, "
        f"because {why}; memory grew by {words.size(pace.grown_bytes)} meanwhile, {words.size(pace.each_bytes)} per "
        "trace",
        certainty="certain" if each else "likely",
        location=place,
        culprit=_culprit(last, pace, varying),
        evidence=[
            Evidence(fact=f"traces of `{last.name}`", value=pace.events, source="FunctionTraced"),
            *_different(varying, traces),
            Evidence(fact="defined at", value=definition, source="FunctionTraced"),
            _called_at(case.locate(call)),
            Evidence(
                fact="memory growth since the first trace",
                value=words.size(pace.grown_bytes),
                source="MachineSampled",
            ),
        ],
        advice=[advice, f"Without `tf.function` nothing is traced: `{last.name}` then runs eagerly."],
        changes=_changes(case, traces, varying, place),
    )


def _culprit(last: FunctionTraced, pace: Pace, varying: Varying | None) -> Culprit:
    if varying is None:
        return Culprit(kind="function", name=last.name, bytes=pace.grown_bytes)
    return Culprit(kind="argument", name=varying.name, bytes=pace.grown_bytes, value=varying.shown)


def _different(varying: Varying | None, traces: list[FunctionTraced]) -> list[Evidence]:
    if varying is None:
        return []
    value = f"{varying.different} different in {len(traces)} traces: {varying.shown}"
    return [Evidence(fact=f"values of `{varying.name}`", value=value, source="FunctionTraced")]


def _called_at(place: Location) -> Evidence:
    return Evidence(fact="called at", value=place.whole, source="FunctionTraced")
