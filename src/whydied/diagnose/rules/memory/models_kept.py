"""Models of earlier rounds are kept alive.

## What it detects
Several models, with their weights and optimizer slots, that are still referenced when only one is in use.

## Why it happens
A search over settings appends every model to a list, or callbacks and closures of earlier rounds still point
at them. A model that is only overwritten stays too: its traced functions and its layers refer to each other, so that
it waits for the garbage collector, and Keras and TensorFlow keep state of their own until `clear_session`.

## Evidence
[evidence of what is kept]

Models that no name leads to any more show by their training functions: Keras traces one for each model. The model's
bytes are those of its variables and of its optimizer's.

## How it is proved
[proof of what is kept] Likely where Keras traced the same function of its own at least eight times at one line with the
same types of arguments, memory grew with the traces, and the program never calls `clear_session`.

## Fix
Keep the results, not the models: save the best one, delete the others, or use a fresh process a round. A model that
only joins others (`Model(inputs, outputs)`) and its `compile` belong above the loop. Before each new model
`clear_session()` and `gc.collect()` let go of the old ones; with Keras 3 a step that `fit` traced keeps the variables
of its model all the same, and `run_eagerly=True` avoids the trace.

## Known problems
[known problems of what is kept]
"""

from __future__ import annotations

import ast
import re

import msgspec

from whydied import words
from whydied.diagnose.case import Case, prefix
from whydied.diagnose.finding import Culprit, Evidence, Finding, Location
from whydied.diagnose.memory.bounding_changes import change_of
from whydied.diagnose.memory.growth_with_events import Pace, named_explain, pace_of
from whydied.diagnose.memory.kept_objects import KEPT_TEXTS, SMALLEST_SHARE, filling_place, finding_of, kept
from whydied.diagnose.memory.memory_over_time import baseline_bytes, own_peak_bytes
from whydied.diagnose.rules.memory.retracing import varying_argument
from whydied.records import CallBegan, FunctionTraced
from whydied.source.assignments import assigned
from whydied.source.calls import called_names, callee
from whydied.source.edits.edit import Change
from whydied.source.edits.memory.model_edits import released, run_eagerly, without_model
from whydied.source.edits.programs.model_wrappers import Wrapper, wrapper_in_loop
from whydied.source.text import Source
from whydied.source.trees import located, names_at, nodes_at, scope_at, written

TEXTS = KEPT_TEXTS
KINDS = ("model",)
_KERAS = re.compile(r"[/\\](tf_)?keras[/\\]src[/\\]")
_CALLS = (".fit", ".train_on_batch", ".evaluate", ".predict", ".predict_on_batch", ".test_on_batch")
_HISTORY = (
    "`{name}` is the History of `fit`, which refers to its model: keep `{name}.history`, its numbers, or call "
    "`{name}.set_model(None)`."
)
ADVICE = [
    "Save what you need from each model, drop the reference, and call `keras.backend.clear_session()`.",
    "If that is not enough, use a fresh process for each model.",
]

ROLE = "memory"
YIELDS_TO = ("large-constant-in-graph",)


def check(case: Case) -> Finding | None:
    found = kept(case, KINDS)
    taken = own_peak_bytes(case) - baseline_bytes(case)
    # What exploded after the census is not the models'.
    if found and found.bytes_at_end >= SMALLEST_SHARE * taken:
        place = filling_place(case, found.holder)
        kept_history = _history(case, place)
        told = [_HISTORY.format(name=kept_history)] if kept_history else []
        finding = finding_of(case, found, "model", [*told, *ADVICE], collect=True)
        changes = [*_without_model(case, place, kept_history), *(finding.changes or [])]
        return msgspec.structs.replace(finding, changes=_untraced(case, changes))
    return _rebuilt(case)


def _untraced(case: Case, changes: list[Change]) -> list[Change]:
    """Each change once more without traces, which keep the variables of a model that was trained."""
    eager = (
        run_eagerly(case.sources) if any(_KERAS.search(one.file) for one in case.records.all(FunctionTraced)) else []
    )
    return [
        *changes,
        *(
            Change(
                title=f"{change.title}, and run the steps eagerly (slower): their traces keep the models",
                kind=change.kind,
                edits=[*change.edits, *eager],
                harm="changed result" if change.harm == "changed result" else "same result",
            )
            for change in changes
            if eager
        ),
    ]


def _without_model(case: Case, place: Location | None, kept: str | None) -> list[Change]:
    source = case.sources.get(place.file) if place is not None else None
    edits = without_model(source, place.file, place.line, kept) if source and place and kept else []
    return change_of(f"Keep `{kept}` without its model", "release", edits, "exact")


def _history(case: Case, place: Location | None) -> str | None:
    """What a statement keeps, where that is what `fit` gave."""
    if place is None or place.file not in case.sources:
        return None
    for node in nodes_at(case.sources, place):
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call) and callee(node.value) == "fit":
            return written(node.targets[0])
        given = node.args[0] if isinstance(node, ast.Call) and callee(node) == "append" and node.args else None
        owner = node.func.value if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) else None
        if owner is not None and isinstance(given, ast.Call) and callee(given) == "fit":
            return f"{written(owner)}[-1]"
    scope = scope_at(case.sources[place.file].tree, place.line)
    for name in sorted(names_at(case.sources, place)):
        values = [one.value for one in assigned(name, scope)]
        if values and all(isinstance(one, ast.Call) and callee(one) == "fit" for one in values):
            return name
    return None


def _rebuilt(case: Case) -> Finding | None:
    """Models that are made anew in a loop and that nothing of the program's names."""
    if named_explain(case) or _clears(case):
        return None
    seen = _most_traced(case)
    if not seen or varying_argument([traced for _, traced in seen]) is not None:
        return None
    pace = pace_of(case, [at_s for at_s, _ in seen], seen[-1][1].traces)
    if pace is None:
        return None
    place = case.locate(next(frame for frame in reversed(seen[-1][1].frames) if frame.user))
    number = _models(case, place, pace.events)
    name = next((name.rpartition(".")[0] for name in called_names(place) if name.endswith(_CALLS)), None)
    source = case.sources.get(place.file)
    wrapper = wrapper_in_loop(source, place.line, name) if source is not None and name else None
    if source is not None and name and wrapper is not None:
        return _made_anew(source, name, wrapper, seen, pace, located(case.sources, place.file, wrapper.line))
    return Finding(
        message=f"{prefix(place)}{number:,} models were created here one after the other, and the old ones were not "
        f"freed: memory grew by {words.size(pace.grown_bytes)}, {words.size(pace.grown_bytes / number)} per model",
        certainty="likely",
        location=place,
        culprit=Culprit(kind="model", name=name or None, bytes=pace.grown_bytes),
        evidence=[
            Evidence(
                fact=f"traces of Keras's `{seen[-1][1].name}`, one or two for each model",
                value=pace.events,
                source="FunctionTraced",
            ),
            Evidence(fact="memory grew meanwhile", value=words.size(pace.grown_bytes), source="MachineSampled"),
        ],
        advice=[
            "Let go of the old models before each new one: `keras.backend.clear_session()` and `gc.collect()`.",
            "With Keras 3 that frees nothing of a model that `fit` traced: compile it with `run_eagerly=True`, "
            "which is slower, or use a fresh process for each model (`multiprocessing.get_context('spawn')`).",
        ],
        changes=_untraced(case, _released(case, place, name or "")),
    )


def _released(case: Case, place: Location, name: str) -> list[Change]:
    source = case.sources.get(place.file)
    edits = released(source, place.file, place.line, name) if source is not None else []
    return change_of("Let go of the old models before each new one", "release", edits, "exact")


def _made_anew(
    source: Source, name: str, wrapper: Wrapper, seen: list[tuple[float, FunctionTraced]], pace: Pace, place: Location
) -> Finding:
    """A model that only joins what was there before the loop, or that is only compiled again."""
    verbs = " and ".join(
        (["create"] if isinstance(wrapper.statements[0], ast.Assign) else [])
        + (["compile"] if isinstance(wrapper.statements[-1], ast.Expr) else [])
    )
    edits = wrapper.moved(source, place.file)
    return Finding(
        message=f"{prefix(place)}the loop at line {wrapper.loop_line} makes `{name}` anew in each turn, and what was "
        f"traced for the old ones stays: memory grew by {words.size(pace.grown_bytes)} in {pace.events:,} traces",
        certainty="likely",
        location=place,
        culprit=Culprit(kind="model", name=name, bytes=pace.grown_bytes),
        evidence=[
            Evidence(
                fact=f"traces of Keras's `{seen[-1][1].name}`, all of the same types",
                value=pace.events,
                source="FunctionTraced",
            ),
            Evidence(fact="memory grew meanwhile", value=words.size(pace.grown_bytes), source="MachineSampled"),
        ],
        advice=[
            f"Move this above the loop at line {wrapper.loop_line}: {verbs} `{name}` once. Nothing in it changes from "
            "turn to turn."
        ],
        # What is compiled once keeps the state of its optimizer from turn to turn.
        changes=change_of(
            f"Make `{name}` once, above the loop",
            "statement",
            edits,
            "changed result" if "compile" in verbs else "exact",
        ),
    )


def _models(case: Case, place: Location, traces: int) -> int:
    """How many there were. Keras traces the function of a model once or twice: the calls at the line tell which."""
    calls = [
        call
        for call in case.records.all(CallBegan)
        if any(frame.user and (frame.file, frame.line) == (place.file, place.line) for frame in call.frames[-1:])
    ]
    return max(1, min(traces, len(calls)) if calls else traces)


def _most_traced(case: Case) -> list[tuple[float, FunctionTraced]]:
    """The function of Keras's own that was traced the most at one line."""
    by_line: dict[tuple[str, int, str], list[tuple[float, FunctionTraced]]] = {}
    for at_s, traced in case.records.timed(FunctionTraced):
        mine = [frame for frame in traced.frames if frame.user]
        if mine and _KERAS.search(traced.file):
            by_line.setdefault((mine[-1].file, mine[-1].line, traced.name), []).append((at_s, traced))
    return max(by_line.values(), key=len, default=[])


def _clears(case: Case) -> bool:
    return any("clear_session(" in line for source in case.recording.sources.values() for line in source.lines)
