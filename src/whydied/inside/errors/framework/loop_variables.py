"""The variable of a graph's loop, or the element of a TensorArray, that a round gives back with another shape; runs in
the user's process, after an exception.

Invariant: frames and tensors are only read.
"""

from __future__ import annotations

from typing import Any

from whydied.inside.errors.framework.op_operands import is_of_library, made_by
from whydied.inside.errors.stack_steps import Step, last
from whydied.inside.guest.value_facts import describe
from whydied.records import Party

LOOP, ARRAY = "While", "TensorArrayWrite"
_CHECKS = ("_check_shapes_compat", "_EnforceShapeInvariant")
_PASSING = ("NextIteration", "Identity")
LARGEST_VARIABLES = 16
LARGEST_DEPTH = 4


def loop_variables(steps: list[Step]) -> list[Party]:
    """What went into the loop and what came out of a round of it, as operands, then all variables of the loop; empty
    where no loop refused one."""
    step = last(steps, lambda one: one.frame.f_code.co_name in _CHECKS)
    if step is None:
        return []
    entered, left = step.get("input_t"), step.get("t")
    left = left if left is not None else step.get("next_var")
    if entered is None or left is None:
        return []
    all_of_them = step.get("flat_input_tensors")
    listed = list(all_of_them)[:LARGEST_VARIABLES] if type(all_of_them) in (list, tuple) else []
    # What is passed on may have got another shape on its way.
    given, made = _party("operand", left), _party("operand", _given_back(left))
    return [
        _party("operand", entered),
        made if made.shape == given.shape else given,
        *(_party("loop", one) for one in listed),
    ]


def _given_back(value: Any) -> Any:
    """What a round gave back: TensorFlow puts an op or two of its own behind it, which the line of the loop made."""
    for _ in range(LARGEST_DEPTH):
        op = getattr(value, "op", None) if is_of_library(value) and hasattr(type(value), "op") else None
        if op is None or op.type not in _PASSING:
            break
        value = op.inputs[0]
    return value


def written_element(steps: list[Step]) -> list[Party]:
    """The shape that a TensorArray has elements of, and the value that was to be written into it."""
    check = last(steps, lambda one: one.frame.f_code.co_name == "_check_element_shape")
    write = last(steps, lambda one: one.frame.f_code.co_name == "write" and one.get("value") is not None)
    expected = getattr(check.get("self"), "element_shape", None) if check is not None else None
    if expected is None or write is None or expected.rank is None:
        return []
    return [Party(role="operand", shape=list(expected.as_list())), _party("operand", write.get("value"))]


def _party(role: str, value: Any) -> Party:
    facts = describe(value)
    return Party(role=role, type=facts.type, shape=facts.shape, dtype=facts.dtype, sources=made_by(value))
