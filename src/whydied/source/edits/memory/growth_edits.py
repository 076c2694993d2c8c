"""Edits of what gets longer in each turn: an array, a tensor, a table or a text that keeps its last part only, a list
that is gathered in one statement, a `TensorArray` that keeps every nth turn. Pure."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from whydied.source.arrays.gathering import gathered_expression
from whydied.source.assignments import targets
from whydied.source.calls import callee, passed_argument
from whydied.source.edits.edit import Edit, line_after, line_before, over, start_of, statement, written_in
from whydied.source.edits.import_edits import imported
from whydied.source.edits.statement_edits import stands_alone, statement_at
from whydied.source.location import Location
from whydied.source.numbers import evaluate
from whydied.source.text import Source
from whydied.source.trees import function_at, scope_at, walk, within, written

_SIDEWAYS = frozenset({"hstack", "column_stack", "c_"})
_ONCE = frozenset({"sum", "max", "min", "any", "all", "sorted", "set", "enumerate"})


def last_part(source: Source, file: str, line: int, name: str, kind: str, shape: list[int], part: int) -> list[Edit]:
    """The last rows of what a statement makes longer, right below the one that gives it its name: so many that a
    `part` of it is left."""
    joined = statement_at(source, line)
    if (
        isinstance(joined, ast.Expr)
        and isinstance(joined.value, ast.Call)
        and callee(joined.value) == "resize"
        and shape
    ):
        return _shrunk(source, file, joined, name, shape[0] // part)
    function = function_at(source.tree, line)
    own = [
        node
        for node in within(scope_at(source.tree, line))
        if isinstance(node, ast.Assign | ast.AugAssign | ast.AnnAssign) and node.lineno >= line
        if [written(one) for one in targets(node)] == [name] and function_at(source.tree, node.lineno) is function
    ]
    at = min(own, key=lambda node: node.lineno, default=None)
    if joined is None or at is None or not shape or not stands_alone(source, at):
        return []
    axis = _axis(joined, len(shape))
    if axis is None or shape[axis] < part:
        return []
    rows = shape[axis] // part
    if kind == "table":
        taken = f".tail({rows})"
    else:
        taken = f"[{':, ' * axis}-{rows}:]"
    return [line_after(source, file, at.lineno, f"{name} = {name}{taken}")]


def _shrunk(source: Source, file: str, resized: ast.stmt, name: str, rows: int) -> list[Edit]:
    """The same for an array that is made longer where it is, before the block that does so first asks for it."""
    blocks: list[list[ast.stmt]] = [getattr(node, "body", []) for node in walk(source.tree, (ast.stmt, ast.Module))]
    block = next((one for one in blocks if resized in one), [resized])
    first = next(one for one in block if one is resized or name in {written(node) for node in walk(one, ast.expr)})
    indent = " " * (start_of(source, first)[1] + 4)
    lines = [f"{name}[:{rows}] = {name}[-{rows}:]", f"{name}.resize(({rows}, *{name}.shape[1:]))"]
    text = "".join(f"\n{indent}{one}" for one in lines)
    return [line_before(source, file, first.lineno, f"if len({name}) > {rows}:{text}")]


def _axis(joined: ast.stmt, rank: int) -> int | None:
    """The dimension that a statement makes longer, the first where it does not say."""
    for call in walk(joined, ast.Call):
        given = passed_argument(call, "axis")
        if given is not None:
            number = evaluate(given, {})
            axis = int(number) if number is not None else rank
            axis = axis + rank if axis < 0 else axis
            return axis if axis < rank else None
        if callee(call) in _SIDEWAYS:
            return min(1, rank - 1)
    return 0


def one_by_one(source: Source, sources: Mapping[str, Source], place: Location) -> list[Edit]:
    """A comprehension whose only reader goes through it once, as a generator that makes one item at a time."""
    found = gathered_expression(sources, place)
    made = statement_at(source, place.line)
    if not isinstance(found, ast.ListComp) or not isinstance(made, ast.Assign) or made.value is not found:
        return []
    name = written(made.targets[0])
    scope = scope_at(source.tree, place.line)
    uses = [node for node in ast.walk(scope) if isinstance(node, ast.expr) and written(node) == name]
    readers = [node for node in ast.walk(scope) if _goes_through(node, name)]
    if len(made.targets) != 1 or len(uses) != 2 or len(readers) != 1:
        return []
    text = written_in(source, found)
    return [over(source, place.file, found, f"({text[1:-1]})")]


def _goes_through(node: ast.AST, name: str) -> bool:
    if isinstance(node, ast.For | ast.comprehension):
        return written(node.iter) == name
    return isinstance(node, ast.Call) and callee(node) in _ONCE and [written(one) for one in node.args] == [name]


def first_items(source: Source, sources: Mapping[str, Source], place: Location, most: int) -> list[Edit]:
    """Only the first items gathered."""
    found = gathered_expression(sources, place)
    given: ast.expr | None = None
    if isinstance(found, ast.ListComp | ast.SetComp | ast.DictComp):
        given = found.generators[0].iter
    elif isinstance(found, ast.Call) and isinstance(found.func, ast.Name) and found.args:
        inner = found.args[0]
        given = inner.generators[0].iter if isinstance(inner, ast.GeneratorExp) else inner
    if given is None:
        return []
    text = f"itertools.islice({written_in(source, given)}, {most})"
    return [*imported(source, place.file, "itertools"), over(source, place.file, given, text)]


def every_nth(source: Source, file: str, line: int, every: int) -> list[Edit]:
    """`array = array.write(step, value)` in every nth turn only."""
    node = statement_at(source, line)
    call = node.value if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call) else None
    if node is None or call is None or callee(call) != "write" or len(call.args) != 2 or not stands_alone(source, node):
        return []
    index, whole = written_in(source, call.args[0]), written_in(source, node)
    if not isinstance(call.args[0], ast.Name) or whole.count("\n"):
        return []
    thinned = written_in(source, node).replace(f"({index},", f"({index} // {every},", 1)
    return [statement(source, file, line, f"if {index} % {every} == 0:\n    {thinned}")]
