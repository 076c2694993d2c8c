"""A recurrent layer whose activation has no bound: its state can grow from time step to time step. Pure.

LSTM, GRU and SimpleRNN use tanh unless they are told otherwise. What tells is the recorded layer, the line that made
it, and that the gradients burst or grew first in its own variables.
"""

from __future__ import annotations

import ast
from typing import NamedTuple

from whydied.diagnose.case import Case
from whydied.diagnose.finding import Location
from whydied.records import Frame, GraphRecorded
from whydied.source.calls import callee, passed_argument
from whydied.source.edits.edit import Change, over
from whydied.source.trees import last_name, nodes_on

_RECURRENT = frozenset({"LSTM", "GRU", "SimpleRNN", "ConvLSTM1D", "ConvLSTM2D", "LSTMCell", "GRUCell", "SimpleRNNCell"})
_UNBOUNDED = frozenset(
    {"relu", "elu", "selu", "gelu", "leaky_relu", "linear", "exponential", "swish", "silu", "softplus"}
)


class Recurrence(NamedTuple):
    location: Location
    layer: str
    type: str
    activation: str
    changes: list[Change]


def unbounded(case: Case, variable: str) -> Recurrence | None:
    """The recurrent layer that a variable belongs to, where its line gives it such an activation."""
    parts = variable.split("/")[:-1]
    for recorded in case.principal.all(GraphRecorded) if case.principal else []:
        table = case.recording.graphs.table(recorded.file)
        for layer in table.layers if table is not None else ():
            if layer.name in parts and layer.type in _RECURRENT and layer.file:
                frame = Frame(file=layer.file, line=layer.line, function=layer.function, user=True)
                return _told(case, case.locate(frame), layer.name, layer.type)
    return None


def _told(case: Case, place: Location, name: str, kind: str) -> Recurrence | None:
    source = case.sources.get(place.file)
    calls = [node for node in nodes_on(source, place.line) if isinstance(node, ast.Call)] if source is not None else []
    made = [call for call in calls if callee(call) == kind]
    given = passed_argument(made[0], "activation") if len(made) == 1 else None
    if source is None or given is None:
        return None
    word = str(given.value) if isinstance(given, ast.Constant) else last_name(given)
    if word not in _UNBOUNDED:
        return None
    edit = over(source, place.file, given, '"tanh"')
    change = Change(title="Keep the activation that bounds the state: tanh", kind="activation", edits=[edit])
    return Recurrence(place, name, kind, word, [change])
