"""The way from the source of a bad value to the symptom, as a short list; runs in the process of the replay."""

from __future__ import annotations

import itertools
from typing import Any, NamedTuple

from whydied.inside.numerics.step_file import numbers_of
from whydied.records import Blame, FoundOp, Link, NodeLine, Suspect
from whydied.replay import described_ops, first_bad_value, value_wording
from whydied.replay.blame import Case
from whydied.replay.execution.execution_trace import Event, Place, Values
from whydied.replay.execution.replay_errors import ReplayError

LARGEST_LINKS = 7
Watched = dict[Place, Values]
_ROLES = {
    "loss": ("loss", "the loss"),
    "result": ("loss", "the value"),
    "gradient": ("gradient", "the gradient of"),
    "update": ("update", "the update of"),
    "weight": ("weight", "the weight"),
    "statistic": ("op", "the statistic"),
    "metric": ("op", "the metric"),
}
"""The kind of link that a suspect's role gets, and how it is said."""
LARGEST_STEPS = 5
_ARGUMENTS = {
    **dict.fromkeys(("Log", "Log1p", "Sqrt", "Rsqrt", "Reciprocal", "Inv", "Atanh", "Acos", "Asin", "Acosh"), 0),
    **dict.fromkeys(("RealDiv", "Div", "Xdivy"), 1),
}
"""The input that takes an op out of its domain."""
_ELEMENT_BY_ELEMENT = frozenset(
    {"Sub", "AddV2", "Add", "Mul", "Neg", "Square", "Cast", "Identity", "Reshape", "Squeeze", "ExpandDims"}
)
_SATURATED: dict[str, tuple[float, ...]] = {
    "Softmax": (0.0, 1.0),
    "Sigmoid": (0.0, 1.0),
    "Tanh": (-1.0, 1.0),
    "Exp": (0.0,),
    "Relu": (0.0,),
}


def links(case: Case, blame: Blame, first: FoundOp | None, path: list[int], watched: Watched) -> list[Link]:
    """Source, op, the layers that it went through, loss, gradients."""
    found = [*_source(case, blame)]
    if case.first is not None and first is not None:
        before = _saturated(case)
        found += [*([before] if before is not None else []), *_op(case, first)]
    ends = _ends(case)
    between = _between(case, path, watched)
    room = LARGEST_LINKS - len(found) - len(ends)
    if len(between) > room:
        between = between[: max(0, room - 1)] + between[-1:] if room > 0 else []
    return found + between + ends


def _source(case: Case, blame: Blame) -> list[Link]:
    if blame.kind in ("data", "rows") or (blame.kind == "precision" and blame.rows):
        return [Link(kind="data", words=_data_words(blame), name=blame.name if blame.kind != "precision" else "")]
    if blame.kind == "weight":
        state = case.scene.state[case.root.node.name]
        value = case.scene.variables[case.root.node.name]
        return [Link(kind="weight", words=blame.words, name=state.name, numbers=numbers_of(value))]
    if blame.kind == "weights":
        return [Link(kind="weight", words=_weights_words(blame), name=blame.name)]
    if blame.kind == "constant":
        return [Link(kind="op", words=blame.words, name=blame.name, line=case.scene.lines.own(case.root))]
    return []


def _weights_words(blame: Blame) -> str:
    more = f", and {len(blame.values) - 1} more" if len(blame.values) > 1 else ""
    return f"{blame.values[0]}{more}" if blame.values else blame.words


def _data_words(blame: Blame) -> str:
    which = _rows_words(blame)
    if blame.columns:
        which += f", {'column' if len(blame.columns) == 1 else 'columns'} {value_wording.listed(blame.columns)}"
    if blame.kind == "data":
        return f"{blame.words}: {which}" if which else blame.words
    value = blame.values[0].rpartition(": ")[2] if len(blame.values) == 1 else ""
    return f"{which}: {value}" if value else which


def _rows_words(blame: Blame) -> str:
    """`row 3 of x`; `row 3 of the batch (row 103 of x)`; `all rows of x`."""
    if not blame.rows:
        return ""
    known = [row for row in blame.data_set_rows if row >= 0]
    name = "the batch" if blame.kind == "precision" or not blame.name else blame.name
    if blame.row_count == blame.batch_rows and blame.row_count > 1:
        return f"all rows of {name}"
    text = f"{'row' if blame.row_count == 1 else 'rows'} {value_wording.listed(blame.rows)} of "
    if not known:
        return text + name
    which = f"{'row' if len(known) == 1 else 'rows'} {value_wording.listed(known)}"
    return f"{text}the batch ({which} of {blame.data_set or 'the data set'})"


def _op(case: Case, first: FoundOp) -> list[Link]:
    assert case.first is not None
    output = described_ops.bad_output(case.scene, case.first, case.values) if case.values is not None else None
    words = described_ops.op_words(case.scene, case.first, first, output)
    if first.forward:
        words = f"in the gradient of {value_wording.op_name(first.forward)}: {words}"
    layer = first.line.layer if first.line is not None else ""
    if layer:
        words += f", in layer {layer}"
    return [Link(kind="op", words=words, name=first.node, line=first.line, numbers=first.output)]


def _between(case: Case, path: list[int], watched: Watched) -> list[Link]:
    """The last value of each layer on the way, and where a value that was masked came back by the gradient."""
    start = case.first if case.first is not None else case.root
    after = [case.trace.events[number] for number in path if number > start.number]
    crossing = _crossing(case, after)
    found = [crossing] if crossing is not None else []
    began = _layer(case, start)
    for layer, some in itertools.groupby(after, key=lambda event: _layer(case, event)):
        last = [event for event in some if event.place in watched][-1:]
        if layer and layer != began and last:
            found += _passed(case, layer, last[0], watched)
    return found


def _passed(case: Case, layer: str, event: Event, watched: Watched) -> list[Link]:
    output = described_ops.bad_output(case.scene, event, watched[event.place])
    if output is None:
        return []
    numbers = numbers_of(output)
    kind = "gradient" if first_bad_value.is_backward(event) else "op"
    which = "the gradient in" if kind == "gradient" else "the output of"
    words = f"{which} layer {layer} has {value_wording.amount(numbers)}"
    return [Link(kind=kind, words=words, name=layer, line=_line(case, event), numbers=numbers)]


def _crossing(case: Case, after: list[Event]) -> Link | None:
    """A bad forward value that the loss does not show, because something masks it, but the gradient does."""
    if case.first is None or first_bad_value.is_backward(case.first) or not after:
        return None
    loss_is_bad = any(suspect.shows_loss for suspect in case.scene.capture.suspects)
    entry = next((event for event in after if first_bad_value.is_backward(event)), None)
    if entry is None or loss_is_bad:
        return None
    words = f"the loss stays finite, but the gradient ({entry.node.op}) is computed from it"
    return Link(kind="gradient", words=words, name=entry.node.name, line=_line(case, entry))


def _layer(case: Case, event: Event) -> str:
    line = case.scene.lines.own(event)
    return line.layer if line is not None else ""


def _line(case: Case, event: Event) -> NodeLine | None:
    return case.scene.lines.of(case.program, event)


def _ends(case: Case) -> list[Link]:
    """The symptoms: the loss, the gradients, what became of the weights."""
    suspects = case.scene.capture.suspects
    found = []
    for role in _ROLES:
        some = [suspect for suspect in suspects if suspect.role == role]
        if some:
            found.append(_end(role, some))
    # A metric is computed from the loss, and says nothing that the loss does not.
    return [link for link in found if link.kind != "op"][:3] or found[:1]


def _end(role: str, some: list[Suspect]) -> Link:
    first = some[0]
    bad = f" has {value_wording.amount(first.numbers)}" if first.numbers is not None else " is not finite"
    if role == "loss":
        words = "the loss is not finite" if first.numbers is None else f"the loss is {_value_word(first)}"
    else:
        words = f"{_ROLES[role][1]} {first.name}{bad}"
        if len(some) > 1:
            words += f", and {len(some) - 1} more"
    return Link(kind=_ROLES[role][0], words=words, name=first.name, numbers=first.numbers)


def _value_word(suspect: Suspect) -> str:
    numbers = suspect.numbers
    assert numbers is not None
    return "NaN" if numbers.nan else "-Inf" if numbers.minus_infinity else "Inf"


class _Stop(NamedTuple):
    """An op on the way back, and the input that the way goes on with."""

    event: Event
    input: int


def _saturated(case: Case) -> Link | None:
    """Why the argument of the first bad op was just the value that the op is not made for: because a sigmoid, a softmax
    or the like had come to its very end before. Told only of a value that was looked at, and that is exactly the
    end."""
    way = _way_back(case)
    if not way or case.trials.is_late:
        return None
    try:
        kept = case.trials.watch(frozenset(stop.event.place for stop in way)).kept
    except ReplayError:
        return None
    place: tuple[int, ...] | None = None
    for stop in way:
        values = kept.get(stop.event.place)
        output = described_ops.array(case.scene, values.outputs[0]) if values is not None else None
        given = described_ops.array(case.scene, values.inputs[stop.input]) if values is not None else None
        if output is None or given is None:
            return None
        if place is None:
            place = _first_bad(output)
        if place is not None and stop is not way[-1]:
            place = _mapped(place, output.shape, given.shape)
        if place is None:
            return None
    assert place is not None
    words = _end_words(stop.event.node.op, output, given, place)
    line = case.scene.lines.of(case.program, stop.event)
    return Link(kind="op", words=words, name=stop.event.node.name, line=line) if words else None


def _way_back(case: Case) -> list[_Stop]:
    """From the first bad op back to one that has ends, through what keeps its elements apart."""
    event = case.first
    found: list[_Stop] = []
    at = _ARGUMENTS.get(event.node.op) if event is not None else None
    while event is not None and at is not None and at < len(event.inputs) and len(found) <= LARGEST_STEPS:
        found.append(_Stop(event, at))
        if event.node.op in _SATURATED:
            return found
        event = case.trace.events[event.inputs[at].event]
        at = (
            0 if event.node.op in _SATURATED else _onward(case, event) if event.node.op in _ELEMENT_BY_ELEMENT else None
        )
    return []


def _onward(case: Case, event: Event) -> int | None:
    """The one input that is not a constant."""
    if event.node.op in ("Reshape", "Squeeze", "ExpandDims"):
        return 0
    computed = [at for at, ref in enumerate(event.inputs) if case.trace.events[ref.event].leaf != "constant"]
    return computed[0] if len({event.inputs[at] for at in computed}) == 1 else None


def _first_bad(output: Any) -> tuple[int, ...] | None:
    import numpy

    places = numpy.argwhere(described_ops.bad_mask(output))
    return tuple(int(at) for at in places[0]) if len(places) else None


def _mapped(place: tuple[int, ...], output: tuple[int, ...], given: tuple[int, ...]) -> tuple[int, ...] | None:
    """The element of an input that an element of the output was computed from."""
    import numpy

    if numpy.prod(output, dtype=int) == numpy.prod(given, dtype=int):
        flat = numpy.ravel_multi_index(place, output) if output else 0
        return tuple(int(at) for at in numpy.unravel_index(flat, given)) if given else ()
    offset = len(output) - len(given)
    if offset < 0 or any(one not in (1, other) for one, other in zip(given, output[offset:], strict=True)):
        return None
    return tuple(0 if size == 1 else at for at, size in zip(place[offset:], given, strict=True))


def _end_words(op: str, output: Any, given: Any, place: tuple[int, ...]) -> str:
    """`sigmoid(41.2) = 1 at [10, 0]`."""
    result = output[place]
    if float(result) not in _SATURATED[op] or given.shape != output.shape:
        return ""
    where = f" at {list(place)}" if place else ""
    if op == "Softmax" and place:
        others = given[place[:-1]]
        span = f"{value_wording.number(others.min())} to {value_wording.number(others.max())}"
        return f"softmax of scores from {span} is {value_wording.number(result)}{where}"
    return value_wording.expression(op, [value_wording.number(given[place])], value_wording.number(result)) + where
