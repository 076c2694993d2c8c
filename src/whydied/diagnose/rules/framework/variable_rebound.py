"""The name of a variable was given to a tensor, and what needs the variable failed.

## What it detects
`self.table = self.table * 0.9 + new` in `call` or `train_step`, where another method made `self.table` with
`add_weight` or `tf.Variable`; `w = w - rate * gradient` in a loop of gradient descent; the same with `+=`. It shows as
a tensor that is out of scope, as a gradient that is None, or as a tensor that has no `assign`.
TensorFlow itself refuses `+=` and the like of its own variables.

## Why it happens
An assignment gives a name to another object. The variable keeps its old value, and the name stands for a tensor: one of
a graph is gone when its trace ends, and a tape watches variables, not tensors.

## Evidence
The exception, the line that makes the variable, the line that gives its name away, and the type of what the name stands
for at the failing line, where that was recorded.

## How it is proved
Certain where TensorFlow names that line as the one that made the tensor, or where the name is recorded as a tensor;
likely where the source alone shows it.

## Fix
`assign`, `assign_add` or `assign_sub` of the variable, at all such lines of the class or function.

## Known problems
A variable in a container is followed only where the container is written out of variables.

## References
TensorFlow documentation: guide/variable, guide/function ("All outputs of a tf.function must be return values").
"""

from __future__ import annotations

import ast

from whydied.diagnose.case import Case, line_words, prefix
from whydied.diagnose.errors.quotation import Quotation, quoted
from whydied.diagnose.errors.usage import said as evidence_of
from whydied.diagnose.finding import Certainty, Culprit, Evidence, Finding
from whydied.records import Frame, RaisedException
from whydied.source.calls import method_calls, passed_argument
from whydied.source.edits.edit import Change
from whydied.source.edits.runs.weight_edits import assigned, instead
from whydied.source.edits.statement_edits import statement_at
from whydied.source.training.rebound_variables import Rebound, rebound
from whydied.source.training.trained_names import trained
from whydied.source.trees import enclosing, function_at, last_name, located, nodes_on, scope_at, within, written
from whydied.texts import python_errors, python_output, tensors
from whydied.texts.entry import any_of

_SCOPE = tensors.OUT_OF_SCOPE.pattern
_NO_ATTRIBUTE = python_errors.VALUE_WITHOUT_ATTRIBUTE.pattern
_NO_GRADIENT = any_of(
    tensors.NO_GRADIENTS,
    tensors.NONE_CONVERTED,
    tensors.NONE_UNSUPPORTED,
    python_errors.NONE_OPERAND,
    python_errors.NONE_ATTRIBUTE,
    python_errors.NONE_NEGATED,
)

_ADDED = tensors.VARIABLE_ADDED_TO.pattern

ROLE = "explanation"


def check(case: Case) -> Finding | None:
    said = quoted(case, _SCOPE, _ADDED, _NO_ATTRIBUTE, _NO_GRADIENT)
    if said is None or said.place is None:
        return None
    if said.match.re is _ADDED:
        return _added(case, said)
    every = [one for one in rebound(case.project) if instead(case.project[one.file], one.statement)]
    if not every:
        return None
    if said.match.re is _SCOPE:
        return _out_of_scope(case, said, every)
    if said.match.re is _NO_GRADIENT:
        return _without_gradient(case, said, every)
    return _of_a_tensor(case, said, every)


def _added(case: Case, said: Quotation) -> Finding | None:
    """`+=` of a variable, which TensorFlow refuses."""
    place = said.place
    source = case.project.get(place.file) if place is not None else None
    node = statement_at(source, place.line) if source is not None and place is not None else None
    if source is None or place is None or not isinstance(node, ast.AugAssign):
        return None
    name, right = written(node.target), instead(source, node)
    others = [one for one in rebound(case.project) if not one.is_at(place.file, place.line)]
    one = Rebound(place.file, name, node.lineno, node)
    return Finding(
        message=f"{prefix(place)}`{name}` is a variable, which `{said.match['sign']}=` cannot change",
        certainty="certain",
        location=place,
        culprit=Culprit(kind="variable", name=name),
        evidence=[evidence_of(said.link)],
        advice=[f"Write `{right}`."],
        changes=_changes(
            case, one, [one, *(each for each in others if isinstance(each.statement, ast.AugAssign))], right
        ),
    )


def _out_of_scope(case: Case, said: Quotation, every: list[Rebound]) -> Finding | None:
    """The tensor was made by the statement that gives the name away, or is what the failing line reads by that name."""
    defined = tensors.WHERE_DEFINED.pattern.search(said.link.message)
    lines = python_output.FRAME_IN_TEXT.pattern.finditer(defined["stack"]) if defined is not None else ()
    made = [(one["file"], int(one["line"])) for one in lines]
    named = next((one for place in reversed(made) for one in every if one.is_at(*place)), None)
    if named is not None:
        return _finding(case, said, named, every, "a tensor of one trace, which is gone after it", "certain")
    read = next((one for one in every if _reads(case, said.link, one)), None)
    return _finding(case, said, read, every, "a tensor of one trace, which is gone after it") if read else None


def _of_a_tensor(case: Case, said: Quotation, every: list[Rebound]) -> Finding | None:
    """What is missing is an attribute that variables have."""
    kind, attribute = said.match[1].rpartition(".")[2], said.match[2]
    if not kind.endswith("Tensor") or said.place is None:
        return None
    source = case.project.get(said.place.file)
    asked = [
        last_name(node.value)
        for node in (nodes_on(source, said.place.line) if source is not None else ())
        if isinstance(node, ast.Attribute) and node.attr == attribute
    ]
    found = next((one for one in every if asked and one.name.rpartition(".")[2] in asked), None)
    if found is not None:
        return _finding(case, said, found, every, f"a tensor, which has no `{attribute}`", "certain")
    if not attribute.startswith(("assign", "_")):
        return None
    read = next((one for one in every if _reads(case, said.link, one)), None)
    return _finding(case, said, read, every, f"a tensor, which has no `{attribute}`") if read else None


def _without_gradient(case: Case, said: Quotation, every: list[Rebound]) -> Finding | None:
    """The gradient was asked for by the name, which no tape watches any more."""
    for frame in reversed(said.link.frames):
        source = case.project.get(frame.file) if frame.user else None
        if source is None:
            continue
        scope = scope_at(source.tree, frame.line)
        for _, call in method_calls(within(scope), ("gradient",)):
            by = passed_argument(call, "1") or passed_argument(call, "sources")
            names = trained(source, scope, by) if by is not None else set()
            mine = [one for one in every if one.name in names or written(_base(one)) in names]
            if mine and call.lineno <= frame.line:
                is_seen = any(_is_tensor(said.link, one) for one in mine)
                words = "a tensor, which a tape does not watch"
                return _finding(case, said, mine[0], every, words, "certain" if is_seen else "likely")
    return None


def _base(one: Rebound) -> ast.expr:
    """The container of an item."""
    node = one.statement
    target = node.target if isinstance(node, ast.AugAssign) else node.targets[0]
    return target.value if isinstance(target, ast.Subscript) else target


def _is_tensor(link: RaisedException, one: Rebound) -> bool:
    """Whether the name was a tensor when the exception was raised."""
    kinds = [
        local.type
        for frame in link.frames
        if frame.file == one.file
        for local in frame.locals
        if local.name == one.name
    ]
    kinds += [operand.type for operand in link.operands if operand.text == one.name]
    return any(kind.endswith("Tensor") for kind in kinds)


def _reads(case: Case, link: RaisedException, one: Rebound) -> bool:
    """Whether a line that was running reads the attribute, or one behind a call of the class that has it."""
    lines = [frame for frame in link.frames if frame.user and frame.file in case.project]
    name = one.name.rpartition(".")[2]
    return any(
        isinstance(node, ast.Attribute) and node.attr == name and isinstance(node.ctx, ast.Load)
        for frame in lines[-1:]
        for node in nodes_on(case.project[frame.file], frame.line)
    )


def _finding(
    case: Case, said: Quotation, one: Rebound, every: list[Rebound], words: str, certainty: Certainty = "likely"
) -> Finding:
    source, node = case.project[one.file], one.statement
    place = located(case.project, one.file, node.lineno)
    made = Frame(file=one.file, line=one.made, function=enclosing(source.tree, one.made), user=True)
    right = instead(source, node)
    at = f"; it is used on {line_words(said.place)}" if said.place is not None and said.place != place else ""
    return Finding(
        message=f"{prefix(place)}`{one.name}` is a variable ({line_words(made)}), but here `=` binds the name to "
        f"{words}{at}",
        certainty=certainty,
        location=place,
        culprit=Culprit(kind="variable", name=one.name),
        evidence=[
            evidence_of(said.link),
            Evidence(fact=f"`{one.name}` is made", value=f"{one.file}:{one.made}", source="the source"),
        ],
        advice=[f"Write `{right}`, which keeps the variable and changes its value."],
        changes=_changes(case, one, every, right),
    )


def _changes(case: Case, one: Rebound, every: list[Rebound], right: str) -> list[Change]:
    """All such lines of the function or class, which fail one after the other."""
    source = case.project[one.file]
    owner = _owner(source.tree, one)
    near = [other for other in every if other.file == one.file and _owner(source.tree, other) is owner]
    edits = [edit for other in near if (edit := assigned(source, one.file, other.statement)) is not None]
    more = f", and the same for {len(edits) - 1} more" if len(edits) > 1 else ""
    return [Change(title=f"Write `{right}`{more}", kind="statement", edits=edits)] if edits else []


def _owner(tree: ast.Module, one: Rebound) -> ast.AST:
    """The class that a statement stands in, else its function, else the module."""
    line = one.statement.lineno
    around = [node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
    inside = [node for node in around if node.lineno <= line <= (node.end_lineno or line)]
    return inside[-1] if inside else function_at(tree, line) or tree
