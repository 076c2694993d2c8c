"""An op of a trace with its values, as a `FoundOp`; runs in the process of the replay."""

from __future__ import annotations

from typing import Any

from whydied.inside.numerics.step_file import numbers_of
from whydied.records import FoundOp, OpInput
from whydied.replay import first_bad_value, label_lengths, op_lines, value_origins, value_wording
from whydied.replay.captured_step import Scene
from whydied.replay.execution.captured_graph import Program
from whydied.replay.execution.execution_trace import Event, Ref, Trace, Values
from whydied.replay.execution.graph_nodes import tensor_source

LARGEST_POSITIONS = 5
_MADE = frozenset({"Log", "Log1p", "Xlogy", "Sqrt", "Rsqrt", "Pow"})
"""Ops of which it matters what made their argument."""
_FLOATS = ("float", "bfloat", "complex")
_ELEMENTWISE = frozenset(
    {"Log", "Log1p", "Sqrt", "Rsqrt", "Exp", "Expm1", "Acos", "Asin", "Acosh", "Asinh", "Atan", "Atanh", "Reciprocal"}
    | {"Inv", "Pow", "Square", "Cosh", "Sinh", "Tan", "Tanh", "Sigmoid", "Erf", "Erfinv", "Digamma", "Lgamma", "Atan2"}
    | {"Xlogy", "Xdivy", "Xlog1py", "Abs", "Neg", "RealDiv", "Div", "DivNoNan", "FloorDiv", "Mul", "MulNoNan", "AddV2"}
    | {"Add", "Sub", "FloorMod", "Mod", "TruncateDiv", "Maximum", "Minimum", "SquaredDifference", "SelectV2", "Select"}
    | {"SqrtGrad", "RsqrtGrad", "ReciprocalGrad", "InvGrad", "TanhGrad", "SigmoidGrad", "ReluGrad", "Relu", "Relu6"}
    | {"Elu", "EluGrad", "Selu", "SeluGrad", "Softplus", "SoftplusGrad", "Softsign", "LeakyRelu", "LeakyReluGrad"}
    | {"BiasAdd", "AddN", "Cast", "ClipByValue", "Round", "Floor", "Ceil", "Sign", "Polygamma", "Zeta", "Igamma"}
)


def bad_mask(array: Any) -> Any:
    import numpy

    return ~numpy.isfinite(array)


def array(scene: Scene, tensor: Any) -> Any:
    """The values of a tensor; None for what is not a plain tensor."""
    if tensor is None or str(tensor.dtype.name) in ("resource", "variant"):
        return None
    return scene.kernels.array(tensor)


def bad_output(scene: Scene, event: Event, values: Values) -> Any:
    """The first output of an event that is bad, as an array."""
    for bad, tensor in zip(event.bad, values.outputs, strict=False):
        if bad:
            return array(scene, tensor)
    return None


def found_op(scene: Scene, program: Program, trace: Trace, event: Event, values: Values | None) -> FoundOp:
    """An op with its inputs and output."""
    output = bad_output(scene, event, values) if values is not None else None
    places = positions(output)
    phase = first_bad_value.phase(trace, event)
    forward = op_lines.forward_of(program, event) if phase == "backward" else None
    return FoundOp(
        op=event.node.op,
        node=event.node.name,
        phase=phase,
        forward=forward.op if forward is not None else "",
        path=list(event.scope.functions),
        line=scene.lines.of(program, event),
        inputs=_inputs(scene, program, trace, event, values, output, places) if values is not None else [],
        output=numbers_of(output) if output is not None else None,
        bad=places,
        why=label_lengths.too_long(scene.kernels, event, values) if values is not None else "",
    )


def positions(output: Any) -> list[list[int]]:
    import numpy

    if output is None or not output.ndim:
        return []
    return [[int(at) for at in place] for place in numpy.argwhere(bad_mask(output))[:LARGEST_POSITIONS]]


def _inputs(
    scene: Scene,
    program: Program,
    trace: Trace,
    event: Event,
    values: Values,
    output: Any,
    places: list[list[int]],
) -> list[OpInput]:
    found = []
    for ref, tensor in zip(event.inputs, values.inputs, strict=False):
        value = array(scene, tensor)
        if value is None:
            continue
        kind, name = named(scene, trace, ref)
        common = _at(value, output, places) if event.node.op in _ELEMENTWISE and output is not None else []
        made = value_origins.origin(trace, ref) if kind == "op" and event.node.op in _MADE else None
        found.append(
            OpInput(
                origin=kind,
                name=name,
                numbers=numbers_of(value),
                at_bad=common,
                made_by=made.event.node.op if made is not None else "",
                made_at=scene.lines.of(program, made.event) if made is not None else None,
                divides=made is not None and made.divides,
            )
        )
    return found


def named(scene: Scene, trace: Trace, ref: Ref) -> tuple[str, str]:
    """What a value is to the user: "batch", "variable", "constant" or "op", and its name."""
    event = trace.events[ref.event]
    while event.node.op == "ReadVariableOp" and event.inputs:
        event = trace.events[event.inputs[0].event]
    if event.leaf == "feed":
        fed = scene.fed.get(tensor_source(event.node.name))
        return ("batch" if fed is not None and fed.role == "batch" else "op"), (fed.name if fed else event.node.name)
    if event.leaf == "variable":
        state = scene.state.get(event.node.name)
        return "variable", state.name if state is not None and state.name else event.node.name
    return ("constant" if event.leaf == "constant" else "op"), event.node.name


def _at(value: Any, output: Any, places: list[list[int]]) -> list[str]:
    """The elements of an input from which the bad elements of the output were computed."""
    if not output.ndim:
        return [value_wording.number(value.item())] if value.size == 1 else []
    offset = output.ndim - value.ndim
    if offset < 0 or any(n not in (1, m) for n, m in zip(value.shape, output.shape[offset:], strict=True)):
        return []
    return [
        value_wording.number(
            value[tuple(0 if n == 1 else at for at, n in zip(place[offset:], value.shape, strict=True))]
        )
        for place in places
    ]


def op_words(scene: Scene, event: Event, found: FoundOp, output: Any) -> str:
    """What an op did, in words: "log(0) = -inf at [3, 5]"."""
    import numpy

    operands = [one.at_bad[0] for one in found.inputs if one.at_bad]
    where = f" at {found.bad[0]}" if found.bad else ""
    if output is not None and operands and len(operands) == len(found.inputs):
        bad = bad_mask(output)
        result = value_wording.number(output[bad].reshape(-1)[0] if output.ndim else output[()])
        text = value_wording.expression(event.node.op, operands, result) + where
    elif output is not None:
        text = f"{event.node.op}{_given(found)} gave {'NaN' if numpy.isnan(output).any() else 'Inf'}{where}"
    else:
        text = f"{event.node.op} gave a value that is not finite"
    if found.output is not None and found.output.count > 1:
        text += f" ({value_wording.amount(found.output)})"
    return text


def _given(found: FoundOp) -> str:
    """What an op was given: what was bad already, else how large it was."""
    floats = [one for one in found.inputs if one.numbers is not None and one.numbers.dtype.startswith(_FLOATS)]
    if floats and floats[0].numbers is not None and floats[0].numbers.count == 0:
        return " of no values"
    bad = [
        f"{'a value' if one.origin == 'op' else one.name} ({value_wording.amount(one.numbers)})"
        for one in floats
        if one.numbers and one.numbers.nonfinite
    ]
    if bad:
        return f" of {' and '.join(bad[:2])}"
    ranges = [value_wording.span(one.numbers) for one in floats if one.numbers and one.numbers.least is not None]
    return f" of values {' and '.join(ranges[:2])}" if ranges else ""
