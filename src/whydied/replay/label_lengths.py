"""Labels that are too long for the frames of a CTC loss; runs in the process of the replay.

CTC puts a blank between two equal letters, so that a label needs as many frames as it has letters and repetitions. With
fewer there is no path, and the loss is infinite.
"""

from __future__ import annotations

from typing import Any

from whydied.replay.execution.execution_trace import Event, Values
from whydied.replay.execution.op_kernels import Kernels

_OPS = frozenset({"CTCLoss", "CTCLossV2"})


def too_long(kernels: Kernels, event: Event, values: Values) -> str:
    """`the label of row 3 needs 5 frames (4 letters, 1 of them repeated), and there are 4`; "" where none is too
    long."""
    if event.node.op not in _OPS or len(values.inputs) < 4 or any(tensor is None for tensor in values.inputs[:4]):
        return ""
    _, indices, letters, lengths = (kernels.array(tensor) for tensor in values.inputs[:4])
    found = [
        (row, len(label), repeated, int(lengths[row]))
        for row in range(len(lengths))
        for label in [letters[indices[:, 0] == row]]
        for repeated in [_repeated(label)]
        if len(label) + repeated > int(lengths[row])
    ]
    if not found:
        return ""
    row, size, repeated, frames = found[0]
    again = f", {repeated} of them repeated" if repeated else ""
    more = f" ({len(found)} labels are too long)" if len(found) > 1 else ""
    return (
        f"the label of row {row} needs {size + repeated} frames ({size} letters{again}), and there are {frames}{more}"
    )


def _repeated(label: Any) -> int:
    return int((label[1:] == label[:-1]).sum())
