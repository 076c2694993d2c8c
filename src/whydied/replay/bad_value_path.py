"""The way from the source of a bad value to the symptom, as a short list; runs in the process of the replay."""

from __future__ import annotations

import itertools

from whydied.inside.numerics.step_file import numbers_of
from whydied.records import Blame, FoundOp, Link, NodeLine, Suspect
from whydied.replay import described_ops, first_bad_value, op_lines, saturation, value_wording
from whydied.replay.blame import Case
from whydied.replay.execution.execution_trace import Event, Place, Values

LARGEST_LINKS = 7
Watched = dict[Place, Values]
_ROLES = {
    "loss": ("loss", "the loss"),
    "gradient": ("gradient", "the gradient of"),
    "update": ("update", "the update of"),
    "weight": ("weight", "the weight"),
    "statistic": ("op", "the statistic"),
    "metric": ("op", "the metric"),
}
"""The kind of link that a suspect's role gets, and how it is said."""


def links(case: Case, blame: Blame, first: FoundOp | None, path: list[int], watched: Watched) -> list[Link]:
    """Source, op, the layers that it went through, loss, gradients."""
    found = [*_source(case, blame)]
    if case.first is not None and first is not None:
        before = saturation.link(case)
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
    if first.phase == "backward":
        forward = op_lines.forward_of(case.program, case.first)
        if forward is not None:
            words = f"in the gradient of {value_wording.op_name(forward.op)}: {words}"
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
