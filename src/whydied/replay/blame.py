"""What brought the first bad value: data, rows, weights, a constant, the width of the type, or the op by itself; runs
in the process of the replay.

Invariant: `tried` is said only of what a trial has shown, a run of the step with other values that was finite. Trials
with tamer weights and with an ordinary batch tell weights that have grown out of bounds from data that is bad as a
whole.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from whydied.inside.numerics.step_file import numbers_of
from whydied.records import Blame
from whydied.replay import bad_rows, described_ops, first_bad_value, value_wording
from whydied.replay.captured_step import Scene
from whydied.replay.execution.captured_graph import Program
from whydied.replay.execution.execution_trace import Event, Trace, Values
from whydied.replay.execution.graph_nodes import Source, tensor_source
from whydied.replay.execution.op_kernels import Kernels, all_finite, cured
from whydied.replay.trials import Trials

THROUGHOUT = "throughout"
LARGEST_LISTED = 50
LARGEST_VALUES = 8
_NARROW = ("float16", "bfloat16", "float8_e5m2", "float8_e4m3fn")
EXPLODED = 1e4
"""Weights above this are never meant: initial ones are of the order of 1, and so are those of a trained network."""
_LARGE = 10.0
_WEIGHTS = ("weight", "slot", "statistic", "other")


class Case(NamedTuple):
    """The root of a bad step, and the op that is reported for it, with its values."""

    scene: Scene
    program: Program
    trace: Trace
    trials: Trials
    root: Event
    first: Event | None
    values: Values | None


def decide(case: Case) -> Blame:
    """Who is to blame for the root."""
    if case.root.leaf == "feed":
        return _of_feed(case)
    if case.root.leaf == "variable":
        return _of_variable(case)
    wide = (
        not case.root.leaf
        and case.values is not None
        and _is_finite_when_wide(case.scene.kernels, case.root, case.values)
    )
    if not wide and _batch_matters(case):
        exploded = _exploded_weights(case.scene, case.trace, case.root, case.trials)
        if exploded is not None:
            return _of_weights(case, exploded)
    found = bad_rows.find(case.trials, _suspected(case)) if _batch_matters(case) else None
    if wide:
        return _of_precision(case, found)
    if found is not None:
        return _of_rows(case, found)
    if case.root.leaf == "constant":
        return _of_constant(case)
    return _of_all(case)


def _of_feed(case: Case) -> Blame:
    import numpy

    source = tensor_source(case.root.node.name)
    fed, array = case.scene.fed[source], case.scene.feeds[source]
    bad = described_ops.bad_mask(array)
    tried = case.trials.is_finite(feeds={source: cured(array)})
    if _is_number(case, source):
        text = value_wording.number(array[()])
        return Blame(
            kind="constant", name=fed.name, values=[text], tried=tried, words=f"{fed.name} of the program is {text}"
        )
    if fed.role != "batch" and case.scene.capture.kind == "traced":
        return Blame(
            kind="constant",
            name=fed.name,
            values=[value_wording.number(array[bad].reshape(-1)[0])],
            tried=tried,
            words=f"{fed.name} has {value_wording.amount(numbers_of(array))} values",
        )
    if fed.role != "batch" or not array.ndim:
        return Blame(kind="data", name=fed.name, tried=tried, values=[value_wording.number(array[bad].reshape(-1)[0])])
    flat = bad.reshape(bad.shape[0], -1)
    by_column = bad.ndim == 2
    found = [int(row) for row in numpy.flatnonzero(flat.any(axis=1))]
    columns = [int(column) for column in numpy.flatnonzero(flat.any(axis=0))] if by_column else []
    places = numpy.argwhere(bad)[:LARGEST_VALUES]
    values = [_element(array, place) for place in places]
    return Blame(
        kind="data",
        name=fed.name,
        rows=found[:LARGEST_LISTED],
        row_count=len(found),
        batch_rows=int(array.shape[0]),
        # Where the whole row is bad, the columns say nothing.
        columns=columns[:LARGEST_LISTED] if columns and len(columns) < flat.shape[1] else [],
        data_set=fed.data_set,
        data_set_rows=_data_set_rows(fed.rows, found),
        values=values,
        tried=tried,
        words=f"{fed.name} has {value_wording.amount(numbers_of(array))} values",
    )


def _of_variable(case: Case) -> Blame:
    node = case.root.node.name
    state, array = case.scene.state[node], case.scene.variables[node]
    when = {"earlier": f"{state.steps_before} steps before", "later": "when the step was captured"}
    return Blame(
        kind="weight",
        name=state.name,
        tried=case.trials.is_finite(variables={node: cured(array)}),
        words=f"{state.name} has {value_wording.amount(numbers_of(array))} values "
        + when.get(state.moment, "at the start of the step"),
    )


def _of_constant(case: Case) -> Blame:
    proto = case.root.node.attr["value"].tensor
    value = case.scene.kernels.array(case.scene.kernels.constant(proto))
    text = value_wording.number(value[described_ops.bad_mask(value)].reshape(-1)[0] if value.ndim else value[()])
    return Blame(
        kind="constant",
        name=case.root.node.name,
        values=[text],
        tried=case.trials.is_finite(cures=frozenset({case.root.site})),
        words=f"the graph contains the constant {text}",
    )


def _of_precision(case: Case, found: bad_rows.FoundRows | None) -> Blame:
    output = described_ops.bad_output(case.scene, case.root, case.values) if case.values is not None else None
    dtype = str(output.dtype.name) if output is not None else "half precision"
    words = f"the result overflows {dtype}; in float32 it is finite"
    if found is None:
        return Blame(kind="precision", name=dtype, batch_rows=case.trials.batch.rows, words=words)
    blame = _of_rows(case, found, with_columns=False)
    return Blame(
        kind="precision",
        name=dtype,
        rows=blame.rows,
        row_count=blame.row_count,
        batch_rows=blame.batch_rows,
        data_set=blame.data_set,
        data_set_rows=blame.data_set_rows,
        tried=True,
        words=words,
    )


def _of_rows(case: Case, found: bad_rows.FoundRows, with_columns: bool = True) -> Blame:
    source = found.feeds[0]
    fed = case.scene.fed[source]
    columns = bad_rows.find_columns(case.trials, found) if with_columns else ()
    known = next((case.scene.fed[one] for one in found.feeds if case.scene.fed[one].rows), fed)
    return Blame(
        kind="rows",
        name=fed.name if len(found.feeds) == 1 else ", ".join(case.scene.fed[one].name for one in found.feeds),
        rows=list(found.rows[:LARGEST_LISTED]),
        row_count=len(found.rows),
        batch_rows=case.trials.batch.rows,
        columns=list(columns) if case.trials.batch.arrays[source].ndim == 2 else [],
        data_set=known.data_set,
        data_set_rows=_data_set_rows(known.rows, list(found.rows)),
        values=_row_values(case, found, columns),
        tried=True,
        words="the step is finite with other rows instead",
    )


def _row_values(case: Case, found: bad_rows.FoundRows, columns: tuple[int, ...]) -> list[str]:
    """The values of the first rows that are to blame, in their columns where those are known."""
    import numpy

    if len(found.feeds) != 1:
        return []
    array = case.trials.batch.arrays[found.feeds[0]]
    flat = array.reshape(array.shape[0], -1)
    chosen_rows = flat[list(found.rows)]
    if not columns and flat.shape[1] > 1 and (chosen_rows == chosen_rows[0, 0]).all():
        return [f"{value_wording.number(chosen_rows[0, 0])} {THROUGHOUT}"]
    if not columns and (array.ndim > 2 or flat.shape[1] > LARGEST_VALUES):
        return []
    if len(columns) > 1 and len(found.rows) > 1:
        # Not each of the columns is to blame in each of the rows.
        return []
    chosen = columns or tuple(range(flat.shape[1]))
    places = [(row, *numpy.unravel_index(column, array.shape[1:])) for row in found.rows for column in chosen]
    return [_element(array, place) for place in places[:LARGEST_VALUES]]


def _element(array: Any, place: Sequence[Any]) -> str:
    """`row 3: 0`; `row 3, column 2: 0`; `row 3 at [5, 6]: nan`."""
    row, *rest = [int(at) for at in place]
    where = f"row {row}" if not rest else f"row {row}, column {rest[0]}" if len(rest) == 1 else f"row {row} at {rest}"
    return f"{where}: {value_wording.number(array[tuple(place)])}"


def _of_weights(case: Case, found: Tempered) -> Blame:
    names = [case.scene.state[node].name for node in found.nodes]
    return Blame(
        kind="weights",
        name=names[0] if names else "",
        batch_rows=case.trials.batch.rows,
        values=found.values,
        tried=found.tried,
        words=found.words,
    )


def _of_all(case: Case) -> Blame:
    """No rows alone bring it: all of them do, or the weights do, or neither alone."""
    scene, trials = case.scene, case.trials
    with_batch = _batch_matters(case)
    weights = _tamer_weights(scene, case.trace, case.root, trials)
    if not with_batch:
        if weights is not None:
            return _of_weights(case, weights)
        number = _of_number(case)
        if number is not None:
            return number
        return Blame(kind="op", words=_unknown(case) or "it is computed from neither the batch nor the weights")
    number = _of_number(case)
    if number is not None:
        return number
    neutral = _ordinary_batch(trials)
    both = neutral is not None and weights is not None
    if neutral is not None and weights is not None:
        neutral, weights = _stronger(scene, trials, neutral, weights)
    if weights is not None:
        return _of_weights(case, weights)
    if neutral is None:
        words = "it stays non-finite with other rows and with other weights"
        if both:
            words = "other batch values make it finite, and so do other weights: neither is unusual"
        elif trials.is_over:
            words = "the trials ended before they showed which rows or weights cause it"
        return Blame(kind="op", batch_rows=trials.batch.rows, words=words)
    return _of_whole_batch(case, neutral)


def _of_number(case: Case) -> Blame | None:
    """A number of the program's, such as a temperature, with which the step is finite once it is one."""
    import numpy

    behind = first_bad_value.ancestors(case.trace, (case.first or case.root).number)
    for event in (case.trace.events[at] for at in behind):
        source = tensor_source(event.node.name) if event.leaf == "feed" else None
        if source is None or not _is_number(case, source) or case.scene.feeds[source].dtype.kind != "f":
            continue
        array, name = case.scene.feeds[source], case.scene.fed[source].name
        if array != 1 and case.trials.is_finite(feeds={source: numpy.ones_like(array)}):
            return Blame(
                kind="op",
                name=name,
                values=[value_wording.number(array[()])],
                batch_rows=case.trials.batch.rows,
                tried=True,
                words=f"the step is finite with 1 instead of {name}",
            )
    return None


def _is_number(case: Case, source: Source) -> bool:
    """Whether a value is a number of the program's own that an eager step was given: no data."""
    return (
        case.scene.capture.kind == "eager"
        and source in case.scene.feeds
        and case.scene.fed[source].role != "batch"
        and not case.scene.feeds[source].ndim
    )


def _of_whole_batch(case: Case, neutral: tuple[Source, ...]) -> Blame:
    fed = case.scene.fed[neutral[0]]
    count = case.trials.batch.rows
    every = list(range(count))
    numbers = numbers_of(case.trials.batch.arrays[neutral[0]])
    name = fed.name or "the batch"
    return Blame(
        kind="rows",
        name=fed.name,
        rows=every[:LARGEST_LISTED],
        row_count=count,
        batch_rows=count,
        data_set=fed.data_set,
        data_set_rows=_data_set_rows(fed.rows, every),
        values=[value_wording.span(numbers)] if numbers.least is not None else [],
        tried=True,
        words=f"no single row causes it; the step is finite with ordinary values instead of {name}",
    )


def _suspected(case: Case) -> list[tuple[int, ...]]:
    """Rows that the bad elements of the root and of the op reported for it point at."""
    output = (
        described_ops.bad_output(case.scene, case.first or case.root, case.values) if case.values is not None else None
    )
    if output is None:
        return []
    return bad_rows.guesses(described_ops.bad_mask(output), case.trials.batch.rows)


def _is_finite_when_wide(kernels: Kernels, event: Event, values: Values) -> bool:
    """Execute the op once more with float32 wherever its node says a half type. False where no half type is there."""
    tensorflow = kernels.tensorflow
    narrow = {getattr(tensorflow, name).as_datatype_enum for name in _NARROW if hasattr(tensorflow, name)}
    wide = tensorflow.float32.as_datatype_enum
    attributes = list(event.node.attributes(kernels))
    changed = False
    for at in range(1, len(attributes), 2):
        value = attributes[at]
        if isinstance(value, int) and not isinstance(value, bool) and _is_type(event, attributes[at - 1]):
            if value in narrow:
                attributes[at], changed = wide, True
        elif isinstance(value, list) and any(item in narrow for item in value) and _is_type(event, attributes[at - 1]):
            attributes[at], changed = [wide if item in narrow else item for item in value], True
    if not changed or any(tensor is None for tensor in values.inputs):
        return False
    inputs = [
        tensorflow.cast(tensor, tensorflow.float32) if tensor.dtype.name in _NARROW else tensor
        for tensor in values.inputs
    ]
    try:
        outputs = kernels.run(event.node.op, tuple(attributes), inputs, event.node.outputs)
    except Exception:
        # The op has no kernel for float32, so nothing can be said of it.
        return False
    return all(
        all_finite(kernels.array(tensor))
        for bad, tensor in zip(event.bad, outputs, strict=False)
        if bad and tensor.dtype.is_floating
    )


def _is_type(event: Event, name: str) -> bool:
    kind = event.node.attr[name].WhichOneof("value")
    return kind == "type" or (kind == "list" and bool(event.node.attr[name].list.type))


def _batch_matters(case: Case) -> bool:
    """Whether the op was computed from the batch at all."""
    batch = {f"{source.node}:{source.output}" for source in case.trials.batch.arrays}
    start = (case.first or case.root).number
    events = case.trace.events
    return any(
        events[number].leaf == "feed" and events[number].node.name in batch
        for number in first_bad_value.ancestors(case.trace, start)
    )


def _unknown(case: Case) -> str:
    """That the op was computed from a value of another step, because that of this one could not be had."""
    behind = first_bad_value.ancestors(case.trace, (case.first or case.root).number)
    fed = [
        case.scene.fed[tensor_source(event.node.name)]
        for event in (case.trace.events[number] for number in behind)
        if event.leaf == "feed"
    ]
    names = sorted({value.name for value in fed if value.reason})
    return f"the batch of this step is not known ({', '.join(names)}), nor are its rows" if names else ""


def _data_set_rows(known: list[int], wanted: list[int]) -> list[int]:
    found = [known[row] for row in wanted if row < len(known)]
    return found[:LARGEST_LISTED] if any(row >= 0 for row in found) else []


class Tempered(NamedTuple):
    """Weights with which a trial was finite once they were made tamer, the largest first."""

    nodes: list[str]
    values: list[str]
    tried: bool
    words: str


def _exploded_weights(scene: Scene, trace: Trace, root: Event, trials: Trials) -> Tempered | None:
    """Weights so large that rows need not be asked."""
    large = [node for node in _weights_behind(scene, trace, root) if _largest(scene.variables[node]) >= EXPLODED]
    return _tried(scene, trials, large) if large else None


def _tamer_weights(scene: Scene, trace: Trace, root: Event, trials: Trials) -> Tempered | None:
    """Weights behind an op with which it is finite, once they are scaled down or, where they are small, are ones."""
    return _tried(scene, trials, _weights_behind(scene, trace, root))


def _tried(scene: Scene, trials: Trials, nodes: list[str]) -> Tempered | None:
    order = sorted(nodes, key=lambda node: -_largest(scene.variables[node]))
    for chosen in [[node] for node in order[:3]] + ([order] if len(order) > 1 else []):
        if trials.is_finite(variables={node: _tamed(scene.variables[node]) for node in chosen}):
            shown = [_shown(scene, node) for node in chosen[:5]]
            return Tempered(chosen, shown, True, "the step is finite with less extreme weights, whatever the rows")
    return None


def _shown(scene: Scene, node: str) -> str:
    return f"{scene.state[node].name}: {value_wording.span(numbers_of(scene.variables[node]))}"


def _weights_behind(scene: Scene, trace: Trace, root: Event) -> list[str]:
    found = {
        trace.events[number].node.name
        for number in first_bad_value.ancestors(trace, root.number)
        if trace.events[number].leaf == "variable"
    }
    return sorted(
        node
        for node in found
        if node in scene.variables and scene.variables[node].dtype.kind in "fV" and scene.state[node].role in _WEIGHTS
    )


def _tamed(array: Any) -> Any:
    import numpy

    largest = _largest(array)
    if largest > 1.0:
        return (array.astype(numpy.float64) / largest).astype(array.dtype)
    return numpy.ones_like(array)


def _largest(array: Any) -> float:
    import numpy

    if not array.size:
        return 0.0
    with numpy.errstate(all="ignore"):
        wide = numpy.abs(array.astype(numpy.float64))
        return float(numpy.where(numpy.isfinite(wide), wide, 0.0).max())


def _ordinary_batch(trials: Trials) -> tuple[Source, ...] | None:
    """The values of the batch with which the step is finite once they are ordinary numbers; one alone if it can be."""
    import numpy

    arrays = {
        source: array for source, array in trials.batch.arrays.items() if array.dtype.kind in "fiu" and array.ndim
    }
    for source, array in sorted(arrays.items(), key=lambda pair: pair[1].dtype.kind != "f"):
        fills = (1.0, 0.5) if array.dtype.kind == "f" else (1,)
        if any(trials.is_finite(feeds={source: numpy.full_like(array, fill)}) for fill in fills):
            return (source,)
    if len(arrays) > 1 and trials.is_finite(feeds={source: numpy.ones_like(array) for source, array in arrays.items()}):
        return tuple(arrays)
    return None


def _stronger(
    scene: Scene, trials: Trials, neutral: tuple[Source, ...], found: Tempered
) -> tuple[tuple[Source, ...] | None, Tempered | None]:
    """Where both other data and other weights help: the one that is far out of the ordinary, else neither."""
    arrays = [trials.batch.arrays[source] for source in neutral]
    # A word or a class may have any number.
    data = max((_largest(array) for array in arrays if array.dtype.kind == "f"), default=0.0)
    weight = max(_largest(scene.variables[node]) for node in found.nodes)
    if weight >= _LARGE and weight >= data:
        return None, found
    if data >= _LARGE:
        return neutral, None
    return None, None
