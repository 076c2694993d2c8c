"""Guards that a program wrote and that do not hold: a bound that is itself the value to be kept out, and `where`,
through whose other branch the derivative goes too. Pure.

Only what stands in the function of the op counts: in its statement, or in what the names of the statement were last
assigned.
"""

from __future__ import annotations

import ast
from typing import NamedTuple

from whydied.source.calls import callee, passed_argument
from whydied.source.edits.edit import Edit, line_before, over, written_in
from whydied.source.edits.import_edits import name_of
from whydied.source.edits.statement_edits import stands_alone, statement_at
from whydied.source.numbers import constants, evaluate
from whydied.source.text import Source
from whydied.source.trees import nodes_on, scope_at, walk, within, written

_BOUNDING = {"maximum": ("y", "x2"), "minimum": ("y", "x2")}
_CLIPPING = frozenset({"clip", "clip_by_value"})
_ENDS = ("clip_value_min", "clip_value_max", "min_value", "max_value", "x_min", "x_max", "a_min", "a_max")
_DIVIDING = frozenset({"divide", "truediv", "true_divide", "div", "xdivy"})
_RISKY = frozenset(
    {"log", "log1p", "log10", "sqrt", "rsqrt", "pow", "norm", "acos", "asin", "acosh", "atanh", "reciprocal", "exp"}
    | {"arccos", "arcsin", "l2_normalize"}
    | _DIVIDING
)
_SELECTING = frozenset({"where", "where_v2"})
_NUMPY = ("np", "numpy")


class WeakBound(NamedTuple):
    """A call that bounds a value at `bound`, which lets just that through."""

    call: ast.Call
    bound: ast.expr


class UnusedBranch(NamedTuple):
    """A `where` that does not take what a statement computes, where `condition` says so. `inside` says that the
    statement is that of the `where` itself; `used_if` for which value of the condition it is taken."""

    call: ast.Call
    condition: ast.expr
    branch: ast.expr
    used_if: bool
    inside: bool


def weak_bound(source: Source, line: int, value: float, *, divides: bool = False) -> WeakBound | None:
    """The last bound before a statement, or in it, that is the value itself; of a division one of its divisor."""
    known = constants(source.tree)
    found = []
    for node in _behind(source, line, divides):
        for call in walk(node, ast.Call):
            for bound in _bounds(call):
                if not isinstance(bound, ast.Constant) or evaluate(bound, known) != value:
                    continue
                found.append(WeakBound(call, bound))
    return max(found, key=lambda one: (one.call.lineno, one.call.col_offset), default=None)


def raised(source: Source, file: str, found: WeakBound, by: str) -> Edit:
    """The bound a little inside."""
    text = written_in(source, found.bound)
    plain = float(text) == 0
    lower = found.bound is not found.call.args[-1] or callee(found.call) == "maximum" or len(found.call.args) < 3
    return over(source, file, found.bound, by if plain else f"{text} {'+' if lower else '-'} {by}")


def _behind(source: Source, line: int, divides: bool) -> list[ast.AST]:
    """The expressions of a statement, and what its names were last assigned in the same function before it."""
    own = [node for node in nodes_on(source, line) if isinstance(node, ast.expr)]
    if divides:
        below = [one.right for one in own if isinstance(one, ast.BinOp) and isinstance(one.op, ast.Div)]
        below += [one.args[1] for one in own if isinstance(one, ast.Call) and callee(one) in _DIVIDING and one.args[1:]]
        own = [one for each in below for one in ast.walk(each) if isinstance(one, ast.expr)]
    names = {node.id for node in own if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
    assigned: dict[str, ast.Assign] = {}
    for node in within(scope_at(source.tree, line)):
        if isinstance(node, ast.Assign) and node.lineno < line and len(node.targets) == 1:
            name = written(node.targets[0])
            if name in names and (name not in assigned or assigned[name].lineno < node.lineno):
                assigned[name] = node
    return [*own, *(node.value for node in assigned.values())]


def _bounds(call: ast.Call) -> list[ast.expr]:
    name = callee(call)
    if name in _BOUNDING and len(call.args) == 2:
        return call.args
    if name in _CLIPPING:
        named = (passed_argument(call, word) for word in _ENDS)
        return [*call.args[1:], *(one for one in named if one is not None)]
    return []


def unused_branch(source: Source, line: int) -> UnusedBranch | None:
    """The `where` of the same function that selects what a statement computes, or in which it stands."""
    node = statement_at(source, line)
    names = [written(one) for one in node.targets] if isinstance(node, ast.Assign) else []
    inside = {id(one) for one in nodes_on(source, line)}
    for call in walk(scope_at(source.tree, line), ast.Call):
        if callee(call) not in _SELECTING or len(call.args) != 3 or written(call.func).startswith(_NUMPY):
            continue
        branches = ((call.args[1], True), (call.args[2], False))
        risky = [one for one in branches if _is_risky(one[0])]
        if id(call) in inside and len(risky) == 1:
            return UnusedBranch(call, call.args[0], *risky[0], True)
        for branch, used_if in branches:
            if call.lineno > line and isinstance(branch, ast.Name) and branch.id in names:
                return UnusedBranch(call, call.args[0], branch, used_if, False)
    return None


def _is_risky(node: ast.expr) -> bool:
    """Whether an expression has something in it whose value or derivative is not finite everywhere."""
    operations = any(isinstance(one.op, ast.Div | ast.Pow) for one in walk(node, ast.BinOp))
    return operations or any(callee(one) in _RISKY for one in walk(node, ast.Call))


def safe_argument(source: Source, file: str, line: int, found: UnusedBranch) -> list[Edit]:
    """What the condition is about, as 1 where the branch is not taken, for the branch alone."""
    tensorflow = name_of(source, "tensorflow")
    scope = scope_at(source.tree, line)
    condition = found.condition
    about = _defined(scope, condition) or condition
    # The condition must be known where the branch is computed.
    if tensorflow is None or (not found.inside and about.lineno >= line and about is not condition):
        return []
    node = statement_at(source, line)
    value = found.branch if found.inside else node.value if isinstance(node, ast.Assign) else None
    if value is None:
        return []
    names = {one.id for one in walk(about, ast.Name)} & {one.id for one in walk(value, ast.Name)}
    names -= {one.value.id for one in walk(value, ast.Attribute) if isinstance(one.value, ast.Name)}
    if len(names) != 1:
        return []
    name = names.pop()
    ones = f"{tensorflow}.ones_like({name})"
    pair = f"{name}, {ones}" if found.used_if else f"{ones}, {name}"
    safe = f"{tensorflow}.where({written(condition)}, {pair})"
    uses = [one for one in walk(value, ast.Name) if one.id == name]
    if found.inside or node is None or not stands_alone(source, node):
        return [over(source, file, one, safe) for one in uses]
    return [
        line_before(source, file, line, f"safe_{name} = {safe}"),
        *(over(source, file, one, f"safe_{name}") for one in uses),
    ]


def _defined(scope: ast.AST, node: ast.expr) -> ast.expr | None:
    """What a name was assigned once in a function."""
    values = [
        one.value
        for one in within(scope)
        if isinstance(one, ast.Assign) and isinstance(node, ast.Name) and written(one.targets[0]) == node.id
    ]
    return values[0] if len(values) == 1 else None
