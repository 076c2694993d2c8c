"""The inputs that the outputs of a functional model come from, where they are not those that it was given; runs in the
user's process, at an uncaught exception.

Invariant: only symbolic tensors, nodes and models of Keras are asked, and the user's variables read by name.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from types import FrameType, TracebackType
from typing import Any

from whydied import redact
from whydied.inside.errors import operands
from whydied.inside.errors.stack_steps import Step, frame_of, steps_of
from whydied.inside.guest.frame_variables import variables
from whydied.inside.guest.lookup import instance_dict
from whydied.inside.guest.ownership import Ownership
from whydied.records import OutputsTraced
from whydied.source.trees import written

LARGEST_TENSORS = 5000
LARGEST_VARIABLES = 200
LARGEST_FRAMES = 60


def look(index: int, error: BaseException, trace: TracebackType | None, ownership: Ownership) -> OutputsTraced | None:
    """The inputs that a model's outputs need, with the names that the program has for them."""
    if not isinstance(error, ValueError):
        return None
    steps = steps_of(trace, None, ownership)
    users = [step for step in steps if step.file is not None]
    if not users or users[-1].trace is None or steps[-1].file is not None:
        return None
    made = _constructor(steps[-1].frame)
    step = users[-1]
    assert step.trace is not None
    failing = operands.failing(step.trace, step.file or "")
    node = failing.node if failing is not None else None
    if made is None or not isinstance(node, ast.Call):
        return None
    given, outputs = (list(_tensors(one)) for one in made)
    roots = _roots(outputs)
    known = {id(one) for one in given}
    missing = [one for one in roots if id(one) not in known]
    if not missing or not outputs:
        return None
    return OutputsTraced(
        link=index,
        roots=[str(getattr(one, "name", "")) for one in missing],
        names=[redact.text(name) for name in _names(roots, missing, users)],
        given=written(inputs) if (inputs := _argument(node)) is not None else "",
        call=redact.text(written(node)[:300]),
        frame=frame_of(step.file or "", node.lineno, step.function),
    )


def _constructor(frame: FrameType) -> tuple[Any, Any] | None:
    """What the constructor of a functional model was given, from the frames that the exception came out of."""
    above: FrameType | None = frame
    for _ in range(LARGEST_FRAMES):
        if above is None:
            return None
        code = above.f_code
        if code.co_name == "__init__" and code.co_varnames[:3] == ("self", "inputs", "outputs"):
            own = dict(variables(above))
            return own.get("inputs"), own.get("outputs")
        above = above.f_back
    return None


def _tensors(value: Any) -> Iterator[Any]:
    if type(value) in (list, tuple):
        for one in value:
            yield from _tensors(one)
    elif type(value) is dict:
        yield from _tensors(list(value.values()))
    elif _history(value) is not None:
        yield value


def _history(tensor: Any) -> Any:
    return instance_dict(tensor).get("_keras_history")


def _roots(outputs: list[Any]) -> list[Any]:
    """The tensors of Input layers that others are computed from."""
    found: dict[int, Any] = {}
    seen: set[int] = set()
    waiting = list(outputs)
    while waiting and len(seen) < LARGEST_TENSORS:
        tensor = waiting.pop()
        if id(tensor) in seen:
            continue
        seen.add(id(tensor))
        maker, at = _history(tensor)[:2]
        nodes = getattr(maker, "_inbound_nodes", [])
        node = nodes[at] if at < len(nodes) else None
        # A tensor alone may not be asked whether it is true.
        inputs = getattr(node, "input_tensors", None)
        inputs = getattr(node, "keras_inputs", None) if inputs is None else inputs
        before = list(inputs) if isinstance(inputs, (list, tuple)) else [] if inputs is None else [inputs]
        if type(maker).__name__ == "InputLayer" or not before:
            found[id(tensor)] = tensor
        else:
            waiting += _tensors(before)
    return list(found.values())


def _names(roots: list[Any], missing: list[Any], users: list[Step]) -> list[str]:
    """What the program calls these inputs: the inputs of one of its models, else each by its own variable."""
    wanted = {id(one) for one in roots}
    own: dict[int, str] = {}
    for step in reversed(users):
        for name, value in list(dict(variables(step.frame)).items())[:LARGEST_VARIABLES]:
            if not name.isidentifier():
                continue
            if id(value) in wanted:
                own.setdefault(id(value), name)
            inputs = _inputs_of(value)
            if inputs and {id(one) for one in inputs} == wanted:
                return [f"{name}.inputs"]
        if len(own) == len(wanted):
            break
    return [own[id(one)] for one in roots] if all(id(one) in own for one in roots) else []


def _inputs_of(value: Any) -> list[Any]:
    kinds = type.__dict__["__mro__"].__get__(type(value))
    is_model = any(kind.__name__ == "Model" and kind.__module__.startswith(("keras.", "tf_keras.")) for kind in kinds)
    inputs = instance_dict(value).get("_inputs") or instance_dict(value).get("inputs") if is_model else None
    if inputs is None and is_model:
        functional = instance_dict(value).get("_functional")
        inputs = instance_dict(functional).get("_inputs") if functional is not None else None
    return list(_tensors(inputs)) if inputs is not None else []


def _argument(call: ast.Call) -> ast.expr | None:
    word = next((one.value for one in call.keywords if one.arg == "inputs"), None)
    return word if word is not None else call.args[0] if call.args else None
