"""What the advice of the rules NUM changes in the source: guards of the op that left its domain, masks of infinity,
types. Pure.

A change is made only where the line that made the op is known and has the op's own expression.
"""

from __future__ import annotations

import ast

from whydied.diagnose.case import Case
from whydied.diagnose.numerics.bad_steps import Step
from whydied.diagnose.numerics.bad_value_place import passed_frame
from whydied.diagnose.numerics.unnormalised import Unnormalised
from whydied.records import FoundOp, Frame
from whydied.source.assignments import stored_names
from whydied.source.calls import callee, passed_argument
from whydied.source.edits.call_edits import add_argument, replace_expression
from whydied.source.edits.edit import Change, over, written_in
from whydied.source.edits.import_edits import name_of
from whydied.source.edits.runs.op_guards import Guard, bounded, guarded, guarded_numpy, replaced_numbers
from whydied.source.edits.runs.stable_forms import StableForm, stable_form
from whydied.source.location import Location
from whydied.source.numbers import constants
from whydied.source.text import Source
from whydied.source.trees import across, function_at, last_name, located, names_at, nodes_on, scope_at, walk

KIND = "numeric-guard"
_ZERO = ("0", "0.0", "-0", "-0.0")
_DIVISIONS = ("RealDiv", "Div", "Xdivy")
_MASKED = ("Mul", "Softmax", "LogSoftmax", "AddV2", "Add", "Sub")
_STEEP = frozenset({"norm", "sqrt", "log", "acos", "asin"})
"""Functions whose derivative is infinite somewhere."""
_HALVES = ("float16", "mixed_float16")
_WRITTEN_OUT = frozenset({"Exp", "Log", "Log1p", "Reciprocal", "ReciprocalGrad", "RealDiv", "Div", "Mul", "Neg"})
"""Ops of functions that people write out, and of their derivatives."""
_ALIKE = frozenset({"Log", "Log1p", "Sqrt", "Rsqrt"})
LARGEST_HALF = 65504.0
FINITE_MASK = "-1e9"
HALF_MASK = "-6e4"


def stable_of(case: Case, step: Step, op: FoundOp) -> StableForm | None:
    """The function that computes what the op's statement writes out, without leaving its domain on the way."""
    written = _own_statement(case, step, op)
    if written is None or op.op not in _WRITTEN_OUT:
        return None
    source, frame = written
    return stable_form(source, frame.file, frame.line)


def guards_of(case: Case, step: Step, op: FoundOp) -> list[Change]:
    """The op's own expression as the function that computes the same without overflow, else with a guard around its
    argument."""
    written = _own_statement(case, step, op)
    if written is None:
        return []
    source, frame = written
    stable = stable_of(case, step, op)
    if stable is not None:
        title = f"Use {stable.function}, which computes the same without overflow"
        return [Change(title=title, kind=KIND, edits=stable.edits, harm="same result")]
    backward = op.phase == "backward"
    if op.op in _DIVISIONS and not backward and not _divides_by_zero(op):
        return []
    dtype = op.output.dtype if op.output is not None else "float32"
    guard = guarded(source, frame.file, frame.line, op.op, backward=backward, dtype=dtype)
    if guard is None and op.op in _MASKED and _was_masked(op):
        guard = finite_mask(source, frame.file, frame.line)
    elif guard is not None and not backward and op.op in _ALIKE:
        guard = _with_alike(source, frame, op.op, dtype, guard)
    return [as_change(guard)] if guard is not None else []


def _with_alike(source: Source, frame: Frame, op: str, dtype: str, guard: Guard) -> Guard:
    """The same guard of the same op in the other statements of the function, which other rows would bring down."""
    function = function_at(source.tree, frame.line)
    own = source.span(frame.line)[0]
    plain = [one for one in walk(function, ast.stmt) if not hasattr(one, "body")] if function is not None else []
    lines = [one.lineno for one in plain if source.span(one.lineno)[0] != own]
    found = [one for line in lines if (one := guarded(source, frame.file, line, op, dtype=dtype)) is not None]
    if not found:
        return guard
    told = sorted({edit.start[0] for one in found for edit in one.edits})
    where = f"line {told[0]}" if len(told) == 1 else f"lines {', '.join(map(str, told))}"
    return Guard(f"{guard.title}, also on {where}", [*guard.edits, *(edit for one in found for edit in one.edits)])


def _own_statement(case: Case, step: Step, op: FoundOp) -> tuple[Source, Frame] | None:
    """The program's own statement that made an op; the call that runs a traced step made none."""
    frame = _own_frame(op)
    source = case.sources.get(frame.file) if frame is not None else None
    if frame is None or source is None or (frame == passed_frame(step) and step.captured.kind == "traced"):
        return None
    return source, frame


def is_own(case: Case, step: Step, op: FoundOp) -> bool:
    """Whether a statement of the program's own made an op."""
    return _own_statement(case, step, op) is not None


def as_change(guard: Guard) -> Change:
    """Values inside of the domain stay what they are, but for the small number that some guards add."""
    return Change(title=guard.title, kind=KIND, edits=guard.edits, harm="same result")


def bounded_of(case: Case, step: Step, op: FoundOp) -> list[Change]:
    """The argument of an op that overflowed, limited where the op's own statement has it."""
    written = _own_statement(case, step, op)
    guard = bounded(written[0], written[1].file, written[1].line, op.op) if written is not None else None
    return [Change(title=guard.title, kind=KIND, edits=guard.edits)] if guard is not None else []


def _own_frame(op: FoundOp) -> Frame | None:
    mine = [frame for frame in op.line.frames if frame.user] if op.line is not None else []
    return mine[-1] if mine else None


def _divides_by_zero(op: FoundOp) -> bool:
    divisor = op.inputs[-1] if len(op.inputs) == 2 else None
    return divisor is not None and any(value in _ZERO for value in divisor.at_bad)


def mask_line(case: Case, step: Step, op: FoundOp) -> Location | None:
    """The line of the only minus infinity of the function in which a masked op stands."""
    written = _own_statement(case, step, op)
    if written is None or op.op not in _MASKED or not _was_masked(op):
        return None
    source, frame = written
    guard = finite_mask(source, frame.file, frame.line)
    return located(case.sources, frame.file, guard.edits[0].start[0]) if guard is not None else None


def _was_masked(op: FoundOp) -> bool:
    masked = any(one.numbers is not None and one.numbers.minus_infinity for one in op.inputs)
    return masked or any("inf" in value.lower() for one in op.inputs for value in one.at_bad)


def finite_mask(source: Source, file: str, line: int) -> Guard | None:
    """The only minus infinity that the function around a line writes as a large number."""
    edits = replaced_numbers(source, file, scope_at(source.tree, line), _is_minus_infinity, FINITE_MASK)
    return Guard("Mask with a large finite number instead of infinity", edits) if len(edits) == 1 else None


def _is_minus_infinity(node: ast.expr) -> bool:
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return last_name(node.operand) in ("inf", "infty", "Inf") or _is_float_of(node.operand, ("inf", "infinity"))
    return last_name(node) == "NINF" or _is_float_of(node, ("-inf", "-infinity"))


def _is_float_of(node: ast.expr, words: tuple[str, ...]) -> bool:
    given = node.args[0] if isinstance(node, ast.Call) and callee(node) == "float" and len(node.args) == 1 else None
    return isinstance(given, ast.Constant) and str(given.value).lower() in words


def activated(case: Case, raw: Unnormalised, op: FoundOp) -> list[Change]:
    """The activation that makes a probability of a plain output: of a layer its argument, of a sum the function around
    it."""
    place = raw.location
    source = case.sources.get(place.file)
    shapes = [one.numbers.shape for one in op.inputs if one.numbers is not None and one.numbers.shape]
    if source is None or not shapes:
        return []
    # What was squashed element by element stays so.
    name = "softmax" if shapes[-1][-1] != 1 and not raw.activation else "sigmoid"
    title = f"Make it a probability with a {name}"
    if raw.positive:
        name, title = "softplus", "Make it positive with a softplus"
    if raw.activation:
        return _other_activation(source, place, raw.activation, name, title)
    if raw.layer:
        calls = [node for node in nodes_on(source, place.line) if isinstance(node, ast.Call)]
        made = [call for call in calls if callee(call) == raw.layer]
        if len(made) != 1 or passed_argument(made[0], "activation") or len(made[0].args) > 1:
            return []
        edits = [add_argument(source, place.file, made[0], f'activation="{name}"')]
        return [Change(title=title, kind="activation", edits=edits)]
    value = _assigned_sum(source, place)
    tensorflow = name_of(source, "tensorflow")
    if value is None or tensorflow is None:
        return []
    text = f"{tensorflow}.nn.{name}({written_in(source, value)})"
    return [Change(title=title, kind="activation", edits=[over(source, place.file, value, text)])]


def _other_activation(source: Source, place: Location, old: str, new: str, title: str) -> list[Change]:
    """The only place of a line that names an activation, with another one."""
    found: list[tuple[ast.expr, str]] = []
    for node in nodes_on(source, place.line):
        if isinstance(node, ast.Constant) and node.value == old:
            found.append((node, f'"{new}"'))
        elif isinstance(node, ast.Call) and callee(node) == old and isinstance(node.func, ast.Attribute):
            written = written_in(source, node.func)
            found.append((node.func, written[: -len(old)] + new))
    edits = [over(source, place.file, node, text) for node, text in found]
    return [Change(title=title, kind="activation", edits=edits)] if len(edits) == 1 else []


def _assigned_sum(source: Source, place: Location) -> ast.expr | None:
    found = [node for node in nodes_on(source, place.line) if isinstance(node, ast.Assign)]
    value = found[0].value if len(found) == 1 else None
    return value if isinstance(value, ast.BinOp | ast.Call) else None


def wider(case: Case, op: FoundOp | None) -> list[Change]:
    """The type of the layer that overflowed, where its own line names it; the policy, where the program sets one."""
    changes = []
    made = op.line.layer_made if op is not None and op.line is not None else None
    source = case.sources.get(made.file) if made is not None else None
    if made is not None and source is not None:
        halves = [
            word.value
            for node in nodes_on(source, made.line)
            if isinstance(node, ast.Call)
            for word in node.keywords
            if word.arg == "dtype" and isinstance(word.value, ast.Constant) and word.value.value in _HALVES
        ]
        if len(halves) == 1:
            edit = over(source, made.file, halves[0], '"float32"')
            changes.append(Change(title="Compute the layer in float32", kind="dtype", edits=[edit]))
    policies = [(file, node) for file, node in across(case.sources, ast.Constant) if node.value == "mixed_float16"]
    if len(policies) == 1:
        file, node = policies[0]
        edit = over(case.sources[file], file, node, '"mixed_bfloat16"')
        changes.append(Change(title="Use bfloat16, which has the range of float32", kind="dtype", edits=[edit]))
    return changes or _all_wide(case)


def _all_wide(case: Case) -> list[Change]:
    """Every float16 that the program writes as float32."""
    edits = []
    for file, node in across(case.sources, (ast.Constant, ast.Attribute)):
        source = case.sources[file]
        if isinstance(node, ast.Constant) and node.value == "float16":
            edits.append(over(source, file, node, '"float32"'))
        elif isinstance(node, ast.Attribute) and node.attr in ("float16", "half"):
            edits.append(over(source, file, node, f"{written_in(source, node.value)}.float32"))
    title = "Compute in float32 instead of float16"
    return [Change(title=title, kind="dtype", value="float32", edits=edits, harm="same result")] if edits else []


def held_number(case: Case, place: Location | None) -> list[Change]:
    """The only number that a statement uses by a name and that float16 cannot hold, as one that it can."""
    source = case.sources.get(place.file) if place is not None else None
    if source is None or place is None:
        return []
    known = constants(source.tree)
    names = {name for name in names_at(case.sources, place) if abs(known.get(name, 0.0)) > LARGEST_HALF}
    made = [node for node in walk(source.tree, ast.Assign) if names & stored_names(node)]
    if len(names) != 1 or len(made) != 1:
        return []
    edit = over(source, place.file, made[0].value, "1024.0")
    title = f"Use a number that float16 can hold: {names.pop()} = 1024.0"
    return [Change(title=title, kind="loss-scale", value=1024.0, edits=[edit], harm="same result")]


def half_mask(case: Case, place: Location | None, written: str | None) -> list[Change]:
    """A number that float16 cannot hold, as one that it can."""
    source = case.sources.get(place.file) if place is not None else None
    edit = None
    if source is not None and place is not None and written is not None:
        text = HALF_MASK if written.startswith("-") else HALF_MASK.lstrip("-")
        edit = replace_expression(source, place.file, place.line, written, text)
    title = "Mask with a number that float16 can hold"
    return [Change(title=title, kind=KIND, edits=[edit])] if edit is not None else []


def risky_derivatives(case: Case) -> list[Guard]:
    """Guards of all norms, roots, divisions and logarithms of TensorFlow that the program writes, line by line."""
    found: dict[tuple[str, int], Guard] = {}
    for file, source in case.sources.items():
        tensorflow = name_of(source, "tensorflow")
        lines = {source.span(call.lineno)[0] for call in walk(source.tree, ast.Call) if callee(call) in _STEEP}
        lines |= {source.span(one.lineno)[0] for one in walk(source.tree, ast.BinOp) if isinstance(one.op, ast.Div)}
        for line in sorted(lines) if tensorflow else ():
            for op in ("SqrtGrad", "RealDiv", "Reciprocal"):
                guard = guarded(source, file, line, op, backward=True)
                if guard is not None:
                    found.setdefault((file, line), guard)
    return list(found.values())


def finite_constant(case: Case, place: Location | None, value: str) -> list[Change]:
    """The only minus infinity around a line as a large number; else the only division that makes one of the statement's
    own values, guarded."""
    source = case.sources.get(place.file) if place is not None else None
    if source is None or place is None or "inf" not in value.lower():
        return []
    guard = finite_mask(source, place.file, place.line) if value.startswith("-") else None
    if guard is None:
        names = names_at(case.sources, place)
        made = [node for node in walk(source.tree, ast.Assign) if names & stored_names(node)]
        guards = [
            found for node in made if (found := guarded_numpy(source, place.file, node.lineno, "divide")) is not None
        ]
        guard = guards[0] if len(guards) == 1 else None
    return [as_change(guard)] if guard is not None else []
