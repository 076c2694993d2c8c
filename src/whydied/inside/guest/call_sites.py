"""What the instruction that a frame has come to calls; runs in the user's process.

Invariant: nothing of the user's is called. What cannot be told for certain is taken for a call of something
else.
"""

from __future__ import annotations

import dis
import functools
from types import CodeType, FrameType
from typing import Any

from whydied.inside.guest import frame_variables, lookup

_JUMPS = frozenset({*dis.hasjrel, *dis.hasjabs})
_NAMES = frozenset({"LOAD_NAME", "LOAD_GLOBAL", "LOAD_FAST", "LOAD_FAST_CHECK", "LOAD_DEREF"})


def drops_result_of(callee: Any, frame: FrameType) -> bool:
    """Whether a frame calls this itself, and drops the result. C code that it calls, such as `map`, may use one."""
    names = _dropped_callee(frame.f_code, frame.f_lasti)
    if not names:
        return False
    value = frame_variables.variable(frame, names[0], frame.f_globals.get(names[0]))
    for name in names[1:]:
        value = lookup.attribute(value, name)
    return value is callee


@functools.lru_cache(100)
def _dropped_callee(code: CodeType, at: int) -> tuple[str, ...]:
    """The name of what the instruction at this place calls, in parts (`os`, `kill`), if the result is dropped."""
    steps = list(dis.get_instructions(code))
    index = next((number for number, step in enumerate(steps) if step.offset == at), len(steps))
    if [step.opname for step in steps[index + 1 : index + 2]] != ["POP_TOP"]:
        return ()
    # Back to where the callee was pushed: what the call takes from the stack was put there since.
    first, taken = index, 1 - _effect(steps[index])
    while taken > 0 and first > 0:
        first -= 1
        taken -= _effect(steps[first])
        if steps[first].opcode in _JUMPS:
            return ()
    parts = [step for step in steps[first:index] if step.opname != "PUSH_NULL"]
    names = [parts[0].argval] if parts and parts[0].opname in _NAMES else []
    for step in parts[1:] if names else ():
        if step.opname not in ("LOAD_ATTR", "LOAD_METHOD"):
            break
        names.append(step.argval)
    return tuple(names) if taken == 0 else ()


def _effect(step: dis.Instruction) -> int:
    return dis.stack_effect(step.opcode, step.arg, jump=False)
