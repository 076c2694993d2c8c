"""A table that is only reduced, computed block by block of its rows: distances of all pairs, products, one-hot rows.
Pure.

The statement that makes the table is followed by statements of the same block that read it: a minimum of each row, a
sum of all, the diagonal. They are put into a loop over slices of the rows, and their results are joined behind it. An
expression is sliced only where it is known which of its parts have the rows of the table; anything else gives no edit.
"""

from __future__ import annotations

import ast
import copy
from typing import NamedTuple

from whydied.source.arrays.array_shapes import is_widened
from whydied.source.calls import callee, passed_argument
from whydied.source.edits.edit import Edit, end_of, start_of, written_in
from whydied.source.edits.import_edits import name_of
from whydied.source.edits.statement_edits import lines_of, stands_alone
from whydied.source.text import Source
from whydied.source.trees import walk, written

_ELEMENTWISE = frozenset({
    "abs", "absolute", "sqrt", "square", "exp", "log", "log1p", "tanh", "sigmoid", "negative", "maximum", "minimum",
    "subtract", "add", "multiply", "divide", "power", "where", "clip", "cast", "equal", "less", "greater", "cos", "sin",
    "relu", "arccos", "fabs", "rsqrt",
})  # fmt: skip
_OF_FIRST = frozenset({
    "matmul", "dot", "outer", "cdist", "pairwise_distances", "cosine_similarity", "euclidean_distances", "rbf_kernel",
    "linear_kernel", "haversine_distances", "manhattan_distances", "polynomial_kernel", "sigmoid_kernel", "one_hot",
    "to_categorical",
})  # fmt: skip
"""Functions whose result has a row for each row of their first argument."""
_WITH_ITSELF = _OF_FIRST - {"matmul", "dot", "outer", "one_hot", "to_categorical"}
"""Of these one argument is compared with itself."""
_REDUCED = frozenset(
    {"sum", "mean", "max", "min", "amax", "amin", "prod", "any", "all", "norm", "argmin", "argmax", "std", "var"}
)
_REDUCED |= {f"reduce_{name}" for name in ("sum", "mean", "max", "min", "prod", "any", "all")}
_WHOLE = {
    "max": "max", "amax": "max", "reduce_max": "reduce_max", "min": "min", "amin": "min", "reduce_min": "reduce_min",
    "sum": "sum", "reduce_sum": "reduce_sum",
}  # fmt: skip
"""Reductions of all elements that can be taken of those of the blocks."""
_SORTS = frozenset({"argsort", "sort", "argpartition"})
_AXES = frozenset({"axis", "axes", "dim"})
_MODULES = frozenset({"np", "numpy", "tf", "tensorflow", "jnp", "ops", "K", "math", "keras"})
_NAMES = ("start", "first", "begin")
_RESULTS = ("blocks", "row_blocks", "parts_of_rows")


class _Unknown(Exception):
    """An expression whose rows are not known."""


class Blocks(NamedTuple):
    """The edits, and the name whose rows are cut."""

    edits: list[Edit]
    rows_of: str


def in_row_blocks(source: Source, file: str, line: int, rank: dict[str, int], rows: int) -> Blocks | None:
    """The statement at a line, which makes a table, and what reads it, over blocks of so many rows. `rank` says
    how many axes the arrays have that are known by their names."""
    block, at = _block(source, line)
    made = block[at] if block else None
    if not isinstance(made, ast.Assign) or len(made.targets) != 1 or not isinstance(made.targets[0], ast.Name):
        return None
    name = made.targets[0].id
    uses = _uses(block[at + 1 :], name)
    numbers = [block.index(one) for one, _ in uses]
    if (
        not uses
        or numbers != list(range(at + 1, at + 1 + len(uses)))
        or _escapes(source, made, name, block, numbers[-1])
    ):
        return None
    known = {node.id for node in walk(source.tree, ast.Name)}
    counter = next((one for one in _NAMES if one not in known), None)
    result = next((one for one in _RESULTS if one not in known), None)
    if counter is None or result is None or not all(stands_alone(source, one) for one in block[at : numbers[-1] + 1]):
        return None
    slicing = _Slicing(f"{counter} : {counter} + {rows}", rank)
    try:
        value = slicing.cut(made.value)
        body, last = _reading(source, uses, name, counter, result)
    except _Unknown:
        return None
    if not slicing.bases:
        return None
    base = slicing.bases[0]
    indent = " " * made.col_offset
    lines = [
        f"{result} = []",
        f"for {counter} in range(0, len({base}), {rows}):",
        f"    {name} = {value}",
        *(f"    {one}" for one in body),
        *last,
    ]
    text = f"\n{indent}".join(lines)
    return Blocks([Edit(file, start_of(source, made), end_of(source, uses[-1][0]), text)], base)


def _block(source: Source, line: int) -> tuple[list[ast.stmt], int]:
    for node in ast.walk(source.tree):
        for name in ("body", "orelse", "finalbody"):
            found = getattr(node, name, None)
            block: list[ast.stmt] = found if isinstance(found, list) else []
            for at, one in enumerate(block):
                if isinstance(one, ast.Assign) and one.lineno <= line <= (one.end_lineno or 0):
                    return block, at
    return [], 0


def _uses(following: list[ast.stmt], name: str) -> list[tuple[ast.stmt, list[ast.Name]]]:
    """The statements that read the table, with the places."""
    found = [(one, [node for node in walk(one, ast.Name) if node.id == name]) for one in following]
    return [(one, nodes) for one, nodes in found if nodes]


def _escapes(source: Source, made: ast.Assign, name: str, block: list[ast.stmt], last: int) -> bool:
    """Whether anything else of the file has the name."""
    own = {id(node) for one in [made, *block[: last + 1]] for node in ast.walk(one)}
    return any(node.id == name and id(node) not in own for node in walk(source.tree, ast.Name))


def _reading(
    source: Source, uses: list[tuple[ast.stmt, list[ast.Name]]], name: str, counter: str, result: str
) -> tuple[list[str], list[str]]:
    """The statements within the loop, and those behind it. Only the last one may give a result."""
    body = []
    for one, nodes in uses[:-1]:
        body.append(_diagonal(one, name, counter))
        if len(nodes) != 1:
            raise _Unknown
    statement, nodes = uses[-1]
    if len(nodes) != 1:
        raise _Unknown
    reduction = _reduction(statement, name)
    module, joined = _module(source, reduction), f"{result}"
    body.append(f"{result}.append({ast.unparse(reduction)})")
    kind = callee(reduction) if isinstance(reduction, ast.Call) else ""
    if _is_whole(reduction):
        joined = f"{module}.{_WHOLE[kind]}({result})"
    else:
        joined = f"{module}.{'concat' if module == name_of(source, 'tensorflow') else 'concatenate'}({result}, 0)"
    text = "\n".join(lines_of(source, statement))
    old = written_in(source, reduction)
    if text.count(old) != 1:
        raise _Unknown
    return body, text.replace(old, joined).split("\n")


def _diagonal(one: ast.stmt, name: str, counter: str) -> str:
    """`np.fill_diagonal(table, value)` of a block of rows: their diagonal begins at their first column."""
    call = one.value if isinstance(one, ast.Expr) else None
    if not isinstance(call, ast.Call) or callee(call) != "fill_diagonal" or len(call.args) != 2:
        raise _Unknown
    if written(call.args[0]) != name:
        raise _Unknown
    return f"{ast.unparse(call.func)}({name}[:, {counter}:], {ast.unparse(call.args[1])})"


def _reduction(statement: ast.stmt, name: str) -> ast.expr:
    """The call that makes little of the table: a method of it or a function of it alone; of rows that are sorted, their
    first columns."""
    if hasattr(statement, "body"):
        raise _Unknown
    for node in walk(statement, ast.Subscript):
        inner = node.value
        columns = isinstance(node.slice, ast.Tuple) and len(node.slice.elts) == 2 and _is_all(node.slice.elts[0])
        if (
            columns
            and isinstance(inner, ast.Call)
            and callee(inner) in _SORTS
            and _is_of(inner, name)
            and _axis(inner) in (None, 1, -1)
        ):
            return node
    for call in walk(statement, ast.Call):
        small = _is_by_row(call) or (_is_whole(call) and callee(call) in _WHOLE)
        if small and callee(call) in _REDUCED and _is_of(call, name):
            return call
    raise _Unknown


def _is_of(call: ast.Call, name: str) -> bool:
    operand = _operand(call)
    return operand is not None and written(operand) == name


def _is_method(call: ast.Call) -> bool:
    """Whether a call is one of an array's own, and not a function of a module."""
    owner = call.func.value if isinstance(call.func, ast.Attribute) else None
    return owner is not None and written(owner).partition(".")[0] not in _MODULES


def _operand(call: ast.Call) -> ast.expr | None:
    if _is_method(call) and isinstance(call.func, ast.Attribute):
        return call.func.value
    return call.args[0] if call.args else None


def _axis(call: ast.Call) -> int | None:
    given = next((word.value for word in call.keywords if word.arg in _AXES), None)
    given = given or passed_argument(call, "0" if _is_method(call) else "1")
    try:
        value = ast.literal_eval(given) if given is not None else None
    except ValueError:
        return None
    return value if isinstance(value, int) else None


def _is_by_row(call: ast.Call) -> bool:
    return _axis(call) in (1, -1)


def _is_whole(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and _axis(node) is None and not any(w.arg in _AXES for w in node.keywords)


def _module(source: Source, reduction: ast.expr) -> str:
    """The module that joins the results: that of the function, NumPy for a method."""
    call = reduction.value if isinstance(reduction, ast.Subscript) else reduction
    numpy, tensorflow = name_of(source, "numpy"), name_of(source, "tensorflow")
    root = written(call.func).partition(".")[0] if isinstance(call, ast.Call) else ""
    found = tensorflow if tensorflow is not None and root == tensorflow else numpy
    if found is None:
        raise _Unknown
    return found


def _is_all(node: ast.expr) -> bool:
    return isinstance(node, ast.Slice) and node.lower is node.upper is node.step is None


class _Slicing:
    """Cuts an expression to some rows of what it makes. `bases` are the arrays whose rows were cut."""

    def __init__(self, rows: str, rank: dict[str, int]) -> None:
        self._rows = rows
        self._rank = rank
        self.bases: list[str] = []

    def cut(self, node: ast.expr) -> str:
        return ast.unparse(self._cut(node, 2))

    def _cut(self, node: ast.expr, axes: int) -> ast.expr:
        """The expression with those rows alone, where the whole has so many axes."""
        if isinstance(node, ast.Constant):
            return node
        if isinstance(node, ast.UnaryOp):
            return self._with(node, operand=self._cut(node.operand, axes))
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
            return self._with(node, left=self._cut(node.left, 2))
        if isinstance(node, ast.BinOp):
            # Beside `x[:, None]` stands what is paired with each row. Were it cut too, the shapes would not fit.
            if is_widened(node.left) and self._is_unknown(node.right):
                return self._with(node, left=self._cut(node.left, axes))
            return self._with(node, left=self._cut(node.left, axes), right=self._cut(node.right, axes))
        if isinstance(node, ast.Compare) and len(node.comparators) == 1:
            return self._with(node, left=self._cut(node.left, axes), comparators=[self._cut(node.comparators[0], axes)])
        if isinstance(node, ast.Name | ast.Attribute):
            return self._named(node, axes)
        if isinstance(node, ast.Subscript):
            return self._indexed(node, axes)
        if isinstance(node, ast.Call):
            return self._called(node, axes)
        raise _Unknown

    def _is_unknown(self, node: ast.expr) -> bool:
        return isinstance(node, ast.Name | ast.Attribute) and written(node) not in self._rank

    def _named(self, node: ast.Name | ast.Attribute, axes: int) -> ast.expr:
        rank = self._rank.get(written(node))
        if rank is None:
            raise _Unknown
        if rank < axes:
            return node
        return self._rows_of(node)

    def _rows_of(self, node: ast.expr) -> ast.expr:
        text = written(node)
        if not text.replace(".", "").replace("_", "").isalnum():
            raise _Unknown
        self.bases.append(text)
        return ast.parse(f"{text}[{self._rows}]", mode="eval").body

    def _indexed(self, node: ast.Subscript, axes: int) -> ast.expr:
        """`x[:, None]` has the rows of `x`, `x[None, :]` has none."""
        parts = list(node.slice.elts) if isinstance(node.slice, ast.Tuple) else [node.slice]
        if _is_new_axis(parts[0]):
            return node
        if _is_all(parts[0]) and len(parts) > 1 and any(_is_new_axis(one) for one in parts[1:]):
            text = written(node.value)
            self.bases.append(text)
            rest = ", ".join("None" if _is_new_axis(one) else ast.unparse(one) for one in parts[1:])
            return ast.parse(f"{text}[{self._rows}, {rest}]", mode="eval").body
        raise _Unknown

    def _called(self, node: ast.Call, axes: int) -> ast.expr:
        name = callee(node)
        if name in _OF_FIRST and node.args:
            if any(word.arg == "transpose_a" for word in node.keywords):
                raise _Unknown
            first = self._rows_of(node.args[0]) if isinstance(node.args[0], ast.Name | ast.Attribute) else None
            if first is None:
                first = self._cut(node.args[0], 2)
            itself = [node.args[0]] if name in _WITH_ITSELF and len(node.args) == 1 else []
            return self._with(node, args=[first, *node.args[1:], *itself])
        if name == "expand_dims" and len(node.args) == 2:
            axis = ast.unparse(node.args[1])
            if axis == "0":
                return node
            if axis in ("1", "-1"):
                return self._with(node, args=[self._rows_of(node.args[0]), node.args[1]])
        if name in _REDUCED and _axis(node) in (-1, 2):
            if _is_method(node) and isinstance(node.func, ast.Attribute):
                return self._with(node, func=self._with(node.func, value=self._cut(node.func.value, axes + 1)))
            return self._with(node, args=[self._cut(node.args[0], axes + 1), *node.args[1:]])
        if name in _ELEMENTWISE and node.args:
            return self._with(node, args=[self._cut(one, axes) for one in node.args])
        raise _Unknown

    @staticmethod
    def _with(node: ast.expr, **changed: object) -> ast.expr:
        other = copy.copy(node)
        for name, value in changed.items():
            setattr(other, name, value)
        return other


def _is_new_axis(node: ast.AST) -> bool:
    return (isinstance(node, ast.Constant) and node.value is None) or written(node).rpartition(".")[2] == "newaxis"
