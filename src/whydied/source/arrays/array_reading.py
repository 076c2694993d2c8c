"""How a program reads an array, as an expression that a test can use. Pure: works on source text.

Invariant: only reading of files and plain arithmetic of NumPy and pandas is taken over, with constants; nothing
that runs the program's own code, draws random numbers or was changed in place. What cannot be followed gives None.
"""

from __future__ import annotations

import ast
import os
from collections.abc import Mapping

from whydied.source.calls import callee
from whydied.source.location import Location
from whydied.source.text import Source
from whydied.source.trees import tree_of, walk

_READERS = frozenset(
    {"load", "loadtxt", "genfromtxt", "fromfile", "memmap", "read_csv", "read_parquet", "read_feather"}
)
_MAKERS = frozenset({"zeros", "ones", "full", "arange", "linspace", "eye", "array", "asarray", "tile", "repeat"})
_METHODS = frozenset(
    {"astype", "reshape", "to_numpy", "copy", "ravel", "flatten", "transpose", "squeeze", "drop", "dropna"}
)
_FUNCTIONS = frozenset({"expand_dims", "concatenate", "stack", "log", "log1p", "sqrt", "abs", "clip", "where", "isnan"})
_DEPTH = 12


class _Unknown(Exception):
    """Something that cannot be taken over."""


def reading(sources: Mapping[str, Source], place: Location, name: str, cwd: str) -> str | None:
    """An expression with `np`, `pd` and `Path` for a name at a place, where it reads or makes the array by itself.
    `cwd` is where the program ran."""
    try:
        wanted = ast.parse(name, mode="eval").body
        found = _Following(tree_of(sources, place.file), place.line, cwd).follow(wanted, _DEPTH)
    except (_Unknown, SyntaxError, RecursionError, ValueError):
        return None
    makes = any(callee(call) in _READERS | _MAKERS for call in walk(found, ast.Call))
    return ast.unparse(found) if makes else None


class _Following:
    def __init__(self, tree: ast.Module, line: int, cwd: str) -> None:
        self._cwd = cwd
        self._modules: dict[str, str] = {}
        self._values: dict[str, ast.expr] = {}
        self._spoilt: set[str] = set()
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                for alias in node.names:
                    if alias.name in ("numpy", "pandas"):
                        self._modules[alias.asname or alias.name] = "np" if alias.name == "numpy" else "pd"
            elif getattr(node, "lineno", 0) < line:
                self._note(node)

    def _note(self, node: ast.AST) -> None:
        if isinstance(node, ast.AugAssign):
            self._spoil(node.target)
        elif isinstance(node, ast.Assign):
            for target in node.targets:
                if isinstance(target, ast.Name):
                    if target.id in self._values:
                        self._spoilt.add(target.id)
                    self._values[target.id] = node.value
                elif isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
                    for one, value in zip(target.elts, node.value.elts, strict=False):
                        if isinstance(one, ast.Name):
                            self._values[one.id] = value
                else:
                    self._spoil(target)
        elif isinstance(node, ast.arg):
            self._spoilt.add(node.arg)
        elif isinstance(node, ast.For):
            self._spoil(node.target)

    def _spoil(self, target: ast.expr) -> None:
        self._spoilt |= {node.id for node in ast.walk(target) if isinstance(node, ast.Name)}

    def follow(self, node: ast.expr, depth: int) -> ast.expr:
        if not depth:
            raise _Unknown
        match node:
            case ast.Constant():
                return node
            case ast.Name(id=name):
                if name in self._spoilt or name not in self._values:
                    raise _Unknown
                return self.follow(self._values[name], depth - 1)
            case ast.UnaryOp(op=op, operand=operand):
                return ast.UnaryOp(op, self.follow(operand, depth - 1))
            case ast.BinOp(left=left, op=op, right=right):
                return ast.BinOp(self.follow(left, depth - 1), op, self.follow(right, depth - 1))
            case ast.Tuple(elts=elements) | ast.List(elts=elements):
                return type(node)([self.follow(one, depth - 1) for one in elements], ast.Load())
            case ast.Slice():
                parts = (
                    None if one is None else self.follow(one, depth - 1) for one in (node.lower, node.upper, node.step)
                )
                return ast.Slice(*parts)
            case ast.Subscript(value=value, slice=index):
                return ast.Subscript(self.follow(value, depth - 1), self.follow(index, depth - 1), ast.Load())
            case ast.Attribute(value=value, attr="values" | "T" as attr):
                return ast.Attribute(self.follow(value, depth - 1), attr, ast.Load())
            case ast.Call():
                return self._call(node, depth)
        raise _Unknown

    def _call(self, node: ast.Call, depth: int) -> ast.expr:
        name = callee(node)
        if not isinstance(node.func, ast.Attribute) or any(isinstance(one, ast.Starred) for one in node.args):
            raise _Unknown
        arguments = [self.follow(one, depth - 1) for one in node.args]
        keywords = [ast.keyword(word.arg, self.follow(word.value, depth - 1)) for word in node.keywords if word.arg]
        owner = node.func.value
        if isinstance(owner, ast.Name) and owner.id in self._modules:
            if name not in _READERS | _MAKERS | _FUNCTIONS:
                raise _Unknown
            if name in _READERS and arguments:
                arguments[0] = self._path(arguments[0])
            module = ast.Name(self._modules[owner.id], ast.Load())
            return ast.Call(ast.Attribute(module, name, ast.Load()), arguments, keywords)
        if name not in _METHODS:
            raise _Unknown
        return ast.Call(ast.Attribute(self.follow(owner, depth - 1), name, ast.Load()), arguments, keywords)

    def _path(self, node: ast.expr) -> ast.expr:
        """A file counts from where the program ran."""
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and "://" not in node.value:
            return ast.Constant(os.path.join(self._cwd, node.value))
        return node
