"""Ways through the graph of a session; runs in the user's process, after an exception.

Invariant: the graph is only read, and at most `LARGEST_WALK` of its ops are.
"""

from __future__ import annotations

from collections import deque
from itertools import islice
from typing import Any

from whydied.inside import journal
from whydied.inside.errors.stack_steps import frame_of
from whydied.inside.guest.value_facts import describe
from whydied.records import Frame, GraphNode

LARGEST_WALK = 20_000
LARGEST_STACK = 6
THREAD_STARTS = ("/threading.py", "/concurrent/futures/thread.py", "/multiprocessing/pool.py")
_OUTERMOST = 12
_WRITES = ("Assign", "AssignVariableOp", "MakeIterator")
_FILLS = ("InitializeTable", "LookupTableImport", "LookupTableInsert")


def node_of(thing: Any, text: str = "") -> GraphNode:
    """A tensor, op or variable."""
    op = op_of(thing)
    facts = describe(thing)
    return GraphNode(
        name=str(op.name),
        op=str(op.type),
        text=text,
        shape=facts.shape,
        dtype=facts.dtype,
        made=stack_of(op),
        in_thread=began_in_thread(op),
    )


def op_of(thing: Any) -> Any:
    return thing if type(thing).__name__ == "Operation" else thing.op


def stack_of(op: Any) -> list[Frame]:
    """The lines of the user's that were at work when an op was made, outermost first."""
    owner, trace = journal.current(), getattr(op, "traceback", None)
    if owner is None or trace is None:
        return []
    entries = trace.get_user_frames() if hasattr(trace, "get_user_frames") else trace
    mine = [entry for entry in entries if owner.ownership.owned(entry.filename, False) is not None]
    return [frame_of(owner.ownership.resolve(one.filename), one.lineno, one.name) for one in mine[-LARGEST_STACK:]]


def began_in_thread(op: Any) -> bool:
    """Whether an op was made in a thread that the program, or a library, started: its own stack begins there."""
    trace = getattr(op, "traceback", None)
    if trace is None:
        return False
    files = [str(entry.filename).replace("\\", "/") for entry in islice(iter(trace), _OUTERMOST)]
    return any(file.endswith(THREAD_STARTS) for file in files)


def needed(op: Any, fed: set[str]) -> dict[str, Any]:
    """All ops that an op needs, itself included, each by name after the op that needs it (None for the first); what
    lies behind a fed tensor is not needed."""
    found: dict[str, Any] = {str(op.name): None}
    pending: deque[Any] = deque([op])
    while pending and len(found) < LARGEST_WALK:
        one = pending.popleft()
        inputs = [tensor.op for tensor in one.inputs if tensor.name not in fed]
        for other in (*inputs, *one.control_inputs):
            if other.name not in found:
                found[str(other.name)] = one
                pending.append(other)
    return found


def way(needs: dict[str, Any], name: str) -> list[Any]:
    """The ops from the first to one that it needs."""
    found: list[Any] = []
    one = needs.get(name)
    while one is not None and len(found) < LARGEST_WALK:
        found.append(one)
        one = needs.get(str(one.name))
    return found[::-1]


def group_of(op: Any) -> dict[str, Any]:
    """An op with what it only groups: the ops that have to run before it."""
    found: dict[str, Any] = {}
    pending = [op]
    while pending and len(found) < LARGEST_WALK:
        one = pending.pop()
        if one.name in found:
            continue
        found[str(one.name)] = one
        pending += one.control_inputs
        if one.type in ("Identity", "ReadVariableOp"):
            pending += [tensor.op for tensor in one.inputs]
    return found


def written_by(group: dict[str, Any]) -> set[str]:
    """The ops of the variables, tables and iterators to which ops give values."""
    found: set[str] = set()
    for one in group.values():
        if one.type in _WRITES:
            found.add(str(one.inputs[-1 if one.type == "MakeIterator" else 0].op.name))
        elif one.type.startswith(_FILLS):
            found.add(str(one.inputs[0].op.name))
    return found
