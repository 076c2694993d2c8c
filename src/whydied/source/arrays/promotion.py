"""Which operand makes float64 of arrays that the program had made float32. Pure.

Invariant: a type is told only where the source names it (`astype`, `dtype=`) or NumPy's rules give it (`np.array` of
fractions, `np.zeros` without a type). What is not known promotes nothing.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import NamedTuple

from whydied.source.arrays.array_makers import DTYPES
from whydied.source.calls import bound_arguments, callee, parameters, passed_argument
from whydied.source.text import Source
from whydied.source.trees import Function, nodes_on, scope_at, walk, within, written

_DEEPEST = 16
_WEAK = "number"
"""A Python number: it takes the type of the array beside it."""
_NARROW = frozenset({"float32", "float16"})
_FILLED = frozenset({"zeros", "ones", "empty", "linspace", "eye", "identity", "rand", "randn"})
"""What makes float64 where no type is named."""
_LISTS = frozenset({"array", "asarray"})
_KEEPING = frozenset(
    {"reshape", "transpose", "copy", "squeeze", "ravel", "flatten", "clip", "mean", "std", "sum", "max", "min", "stack"}
    | {"concatenate", "expand_dims", "flip", "rot90", "roll", "pad", "abs", "sqrt", "exp", "log", "swapaxes", "asarray"}
    | {"array", "ascontiguousarray", "fliplr", "flipud", "repeat", "tile", "vstack", "hstack", "moveaxis", "maximum"}
)


class Wide(NamedTuple):
    """A float64 array that the source makes, with the call that makes it, where a type can be named."""

    name: str
    file: str
    maker: ast.Call


class Promotion(NamedTuple):
    """The statement that makes float64 of float32, and the arrays beside it that do."""

    file: str
    line: int
    narrow: str
    by: list[Wide]


class _Value(NamedTuple):
    """`widened` says that it was float32 before an operand made float64 of it."""

    dtype: str
    maker: ast.Call | None = None
    widened: bool = False


def promotion_behind(sources: Mapping[str, Source], file: str, line: int) -> Promotion | None:
    """The promotion that what a statement computes comes through, the last one."""
    source = sources.get(file)
    if source is None:
        return None
    flow = _Flow(source, file)
    for node in nodes_on(source, line):
        if isinstance(node, ast.expr):
            flow.value(node, line, {}, _DEEPEST)
    return flow.found[-1] if flow.found else None


class _Flow:
    """Follows expressions of one file through its names and functions."""

    def __init__(self, source: Source, file: str) -> None:
        self.source = source
        self.file = file
        self.found: list[Promotion] = []

    def value(self, node: ast.expr, line: int, given: dict[str, _Value | None], depth: int) -> _Value | None:
        if not depth:
            return None
        if isinstance(node, ast.Constant):
            return _Value(_WEAK) if isinstance(node.value, int | float) else None
        if isinstance(node, ast.Name):
            return self._name(node, line, given, depth)
        if isinstance(node, ast.BinOp):
            return self._operation(node, line, given, depth)
        if isinstance(node, ast.UnaryOp):
            return self.value(node.operand, line, given, depth - 1)
        if isinstance(node, ast.Subscript) or (isinstance(node, ast.Attribute) and node.attr == "T"):
            found = self.value(node.value, line, given, depth - 1)
            return _Value(found.dtype) if found is not None else None
        if isinstance(node, ast.ListComp):
            return self.value(node.elt, line, given, depth - 1)
        return self._call(node, line, given, depth) if isinstance(node, ast.Call) else None

    def _operation(self, node: ast.BinOp, line: int, given: dict[str, _Value | None], depth: int) -> _Value | None:
        sides = [(one, self.value(one, line, given, depth - 1)) for one in (node.left, node.right)]
        types = [value.dtype for _, value in sides if value is not None]
        if len(types) != 2:
            return None
        wide = [(one, value) for one, value in sides if value is not None and value.dtype == "float64"]
        wide = [(one, value) for one, value in wide if not value.widened]
        narrow = [one for one, value in sides if value is not None and (value.dtype in _NARROW or value.widened)]
        if wide and narrow:
            self._promotes(narrow[0], wide[0][0], wide[0][1])
        if narrow and "float64" in types:
            return _Value("float64", widened=True)
        arrays = [one for one in types if one != _WEAK]
        if not arrays:
            return _Value(_WEAK)
        whole = [one for one in arrays if "float" not in one]
        if whole and (isinstance(node.op, ast.Div) or len(whole) < len(arrays)):
            return _Value("float64")
        return _Value("float64" if "float64" in arrays else arrays[0])

    def _promotes(self, narrow: ast.expr, by: ast.expr, value: _Value) -> None:
        line = narrow.lineno
        before = self.found[-1] if self.found and self.found[-1].line == line else None
        if before is not None:
            self.found.pop()
        wides = before.by if before is not None else []
        if value.maker is not None and all(one.maker is not value.maker for one in wides):
            wides = [*wides, Wide(written(by), self.file, value.maker)]
        self.found.append(Promotion(self.file, line, before.narrow if before else written(narrow), wides))

    def _name(self, node: ast.Name, line: int, given: dict[str, _Value | None], depth: int) -> _Value | None:
        scope = scope_at(self.source.tree, line)
        own = [one for one in _assignments(scope, node.id) if one.lineno < line]
        if own:
            last = max(own, key=lambda one: one.lineno)
            return self.value(last.value, last.lineno, given, depth - 1)
        if node.id in given:
            return given[node.id]
        module = _assignments(self.source.tree, node.id) if scope is not self.source.tree else []
        return self.value(module[0].value, module[0].lineno, {}, depth - 1) if len(module) == 1 else None

    def _call(self, node: ast.Call, line: int, given: dict[str, _Value | None], depth: int) -> _Value | None:
        name = callee(node)
        named = _named(node, name)
        if named is not None:
            return _Value(named)
        own = [one for one in walk(self.source.tree, ast.FunctionDef) if one.name == name]
        if len(own) == 1:
            return self._result(own[0], node, line, given, depth)
        if name in _FILLED:
            return _Value("float64", node)
        if name in _LISTS and node.args and isinstance(node.args[0], ast.List | ast.Tuple):
            numbers = [one.value for one in walk(node.args[0], ast.Constant)]
            if numbers and all(type(one) in (int, float) for one in numbers):
                return _Value("float64" if any(type(one) is float for one in numbers) else "int64", node)
        inner = node.func.value if isinstance(node.func, ast.Attribute) and name in _KEEPING else None
        parts = [*node.args[:1], *([inner] if inner is not None else [])]
        known = [one for part in parts if (one := self.value(part, line, given, depth - 1)) is not None]
        return _Value(known[0].dtype) if name in _KEEPING and known and known[0].dtype != _WEAK else None

    def _result(
        self, function: Function, call: ast.Call, line: int, given: dict[str, _Value | None], depth: int
    ) -> _Value | None:
        passed = {
            name: self.value(value, line, given, depth - 1)
            for name, value in bound_arguments(call, function).items()
            if name in parameters(function)
        }
        returns = [one.value for one in within(function) if isinstance(one, ast.Return) and one.value is not None]
        return self.value(returns[0], returns[0].lineno, passed, depth - 1) if len(returns) == 1 else None


def _assignments(scope: ast.AST, name: str) -> list[ast.Assign]:
    """What assigns a name in a scope, without the functions in it. What is computed in place keeps its type."""
    return [
        one
        for one in within(scope)
        if isinstance(one, ast.Assign) and [written(target) for target in one.targets] == [name]
    ]


def _named(node: ast.Call, name: str) -> str | None:
    """The type that a call names."""
    if name in DTYPES:
        return name
    word = passed_argument(node, "dtype") or (node.args[0] if name == "astype" and node.args else None)
    word = word or (node.args[1] if name in _LISTS | _FILLED and len(node.args) > 1 else None)
    if word is None:
        return None
    text = word.value if isinstance(word, ast.Constant) and isinstance(word.value, str) else written(word)
    last = text.rpartition(".")[2]
    return last if last in DTYPES else "float64" if last in ("float", "double") else "unknown"
