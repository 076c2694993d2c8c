"""The line of the user's that a crash in native code goes back to. Pure.

The Python stack tells the line that was running: for a traced function that is the call, and for a thread of
TensorFlow's own only what the main thread was at. Where the native frames name the op, and a single line of the program
makes ops of that kind, as the recorded graphs tell or (of small functions there are none) the source, it is that line.
"""

from __future__ import annotations

import re

from whydied.diagnose.case import Case
from whydied.diagnose.crash.native_crash import kernel_of
from whydied.diagnose.finding import Evidence, Location
from whydied.graph.op_table import Op, Table
from whydied.records import Frame, GraphRecorded
from whydied.source.calls import calls_of

_FRAMING = re.compile(r"^(?:Mkl|OneDnn|Eager)+|(?:Op|Kernel|Functor|GPU|CPU)+$")
_PYTHON = frozenset({"pyfunc", "eagerpyfunc", "pyfuncstateless"})
_SHORTEST_PREFIX = 4


def crash_place(case: Case) -> tuple[Location | None, list[Evidence]]:
    """The line that made the op where it is known, else the line that was running; with the evidence for both."""
    place, seen = case.fault_location()
    found = op_line(case)
    if found is None:
        return place, seen
    made, kind, source = found
    fact = "the only line that makes such an op"
    evidence = Evidence(fact=fact, value=f"{made.file}:{made.line}, {kind}", source=source)
    return case.locate(made), [evidence, *seen]


def op_line(case: Case) -> tuple[Frame, str, str] | None:
    """The line of the ops whose kernel crashed, with their type and who says so; None where there are several."""
    kernel = kernel_of(case)
    wanted = _plain(kernel) if kernel else ""
    if not wanted or wanted in _PYTHON:
        return None
    found: dict[tuple[str, int], tuple[Frame, str, str]] = {}
    for recorded in case.records.all(GraphRecorded):
        table = case.recording.graphs.table(recorded.file)
        for function in table.functions if table is not None else ():
            for op in function.ops:
                if table is not None and _is_kind(op.type, wanted):
                    frame = _line(table, op)
                    if frame is not None:
                        found[frame.file, frame.line] = (frame, op.type, "GraphRecorded")
    found = found or _called(case, wanted)
    return next(iter(found.values())) if len(found) == 1 else None


def _called(case: Case, wanted: str) -> dict[tuple[str, int], tuple[Frame, str, str]]:
    """The lines that call a function with the name of the op."""
    return {
        (call.file, call.line): (
            Frame(file=call.file, line=call.line, function=call.function, user=True),
            call.name,
            "source",
        )
        for call in calls_of(case.sources, lambda name: name.replace("_", "").lower() == wanted)
        if call.is_method
    }


def _plain(kernel: str) -> str:
    """`unbatch` for `UnbatchKernel`."""
    return _FRAMING.sub("", kernel).lower()


def _is_kind(op: str, wanted: str) -> bool:
    """Whether a kernel of this class runs ops of this type: the names agree, or one begins with the other."""
    name = _plain(op)
    short = min(len(name), len(wanted))
    return name == wanted or (short >= _SHORTEST_PREFIX and (name.startswith(wanted) or wanted.startswith(name)))


def _line(table: Table, op: Op) -> Frame | None:
    own = table.lines[op.line] if 0 <= op.line < len(table.lines) else None
    layer = table.layers[op.layer] if 0 <= op.layer < len(table.layers) else None
    if layer is not None and layer.file and (own is None or not own.direct):
        return Frame(file=layer.file, line=layer.line, function=layer.function, user=True)
    return Frame(file=own.file, line=own.line, function=own.function, user=True) if own is not None else None
