"""What can be evaluated again in a copy of the process because it only computes; runs in the user's process, after an
exception.

Invariant: only what computes: names, attributes, items, operators, and calls of Python's own functions and of the
libraries for numbers that neither read nor write anything outside of the process. Nothing is called to find out.
"""

from __future__ import annotations

import ast
import dis
import re
from contextlib import AbstractContextManager, nullcontext
from types import CodeType, FrameType, ModuleType
from typing import Any, NamedTuple

from whydied.inside.guest.lookup import Missing, evaluate

_LIBRARIES = frozenset(
    {
        *("builtins", "numpy", "tensorflow", "keras", "tf_keras", "pandas", "math", "operator", "_operator"),
        *("posixpath", "genericpath", "collections", "itertools", "re", "datetime"),
    }
)
BUILTINS = frozenset(
    {
        *("abs", "all", "any", "bool", "bytes", "complex", "dict", "divmod", "enumerate", "filter", "float", "format"),
        *("frozenset", "int", "iter", "len", "list", "map", "max", "min", "next", "pow", "range", "repr", "reversed"),
        *("hasattr", "isinstance", "issubclass", "round", "set", "slice", "sorted", "str", "sum", "tuple", "zip"),
    }
)
_ACTS = re.compile(
    r"(?i)fit|train|evaluate|predict|save|load|write|read|open|dump|export|restore|download|get_file|remove|delete|"
    r"run(?!c)|exec|system|sleep|show|plot|summary|print|^input$|to_(csv|json|pickle|hdf|parquet|excel)|tofile|memmap|"
    r"^convert$|generator|numpy_function|py_function|device|strategy"
)


class Scope(NamedTuple):
    """Where a failing expression is evaluated: its frame, and its variables with those that stand for arguments."""

    frame: FrameType
    names: dict[str, Any]

    @property
    def used(self) -> set[str]:
        """The variables that the code of the frame reads, with those of the functions in it."""
        return _read(self.frame.f_code)

    def value(self, node: ast.AST | None) -> Any:
        return evaluate(node, self.frame, self.names)

    def graph(self, node: ast.AST) -> AbstractContextManager[Any]:
        """The graph that the tensors of an expression belong to, as the one that is being built."""
        for one in ast.walk(node):
            value: Any = self.value(one) if isinstance(one, ast.Name | ast.Attribute) else None
            kind = type(value)
            if kind.__module__.startswith("tensorflow.") and kind.__name__ in ("SymbolicTensor", "Tensor"):
                opened: AbstractContextManager[Any] = value.graph.as_default()
                return opened
        return nullcontext()


def _read(code: CodeType) -> set[str]:
    found = {str(one.argval) for one in dis.get_instructions(code) if one.opname.startswith("LOAD")}
    return found.union(*(_read(one) for one in code.co_consts if isinstance(one, CodeType)))


def acts(name: str) -> bool:
    """Whether what is called so may do more than compute."""
    return name != "Input" and _ACTS.search(name) is not None


def is_of_libraries(value: Any) -> bool:
    """Whether a function, class or object is one of the libraries for numbers."""
    if isinstance(value, type):
        return _library_of(value) in _LIBRARIES
    module = getattr(value, "__module__", None) or type(getattr(value, "__self__", None)).__module__
    root = module.partition(".")[0] if isinstance(module, str) else ""
    return root in _LIBRARIES


def computes(whole: ast.expr, scope: Scope) -> bool:
    for node in ast.walk(whole):
        if isinstance(node, ast.Await | ast.Yield | ast.YieldFrom | ast.NamedExpr | ast.Lambda | ast.ListComp):
            return False
        if isinstance(node, ast.SetComp | ast.DictComp | ast.GeneratorExp):
            return False
        if isinstance(node, ast.Call) and not _may_be_called(node.func, scope):
            return False
        if isinstance(node, ast.Attribute) and not _is_read(node, scope):
            return False
        if isinstance(node, ast.BinOp | ast.Compare | ast.Subscript) and not _operands_are_known(node, scope):
            return False
    return True


def _may_be_called(function: ast.expr, scope: Scope) -> bool:
    name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
    if acts(name) or (name == "repeat" and not isinstance(scope.value(getattr(function, "value", None)), ModuleType)):
        # A data set is repeated for ever.
        return False
    if isinstance(function, ast.Call):
        # An object of a library is called as soon as it is made: a layer.
        return _may_be_called(function.func, scope)
    value = scope.value(function)
    if isinstance(value, Missing):
        return isinstance(function, ast.Attribute) and _is_computed(function.value, scope)
    if isinstance(value, type):
        return _library_of(value) in _LIBRARIES and (value.__module__ != "builtins" or value.__name__ in BUILTINS)
    if isinstance(function, ast.Name) and getattr(value, "__module__", None) == "builtins":
        return name in BUILTINS or not callable(value)
    # What cannot be called at all may be looked at for what can.
    return is_of_libraries(value) or not callable(value)


def _is_read(node: ast.Attribute, scope: Scope) -> bool:
    """Whether an attribute is had without a property of the program's own."""
    return not isinstance(scope.value(node), Missing) or _is_computed(node.value, scope)


def _is_computed(base: ast.expr, scope: Scope) -> bool:
    """Whether a value whose method is called is one of a library: by itself, or as the result of its function."""
    value = scope.value(base)
    if isinstance(value, ModuleType):
        return value.__name__.partition(".")[0] in _LIBRARIES
    if not isinstance(value, Missing):
        return _library_of(type(value)) in _LIBRARIES
    if isinstance(base, ast.Call):
        return _may_be_called(base.func, scope)
    return isinstance(base, ast.Subscript | ast.Attribute) and _is_computed(base.value, scope)


def _operands_are_known(node: ast.AST, scope: Scope) -> bool:
    """Operators of a class of the program's own run its code."""
    for part in ast.iter_child_nodes(node):
        value = scope.value(part) if isinstance(part, ast.Name | ast.Attribute | ast.Subscript) else None
        if value is not None and not isinstance(value, Missing) and not _is_of_library(value):
            return False
    return True


def _is_of_library(value: Any) -> bool:
    kind = type(value)
    if _library_of(kind) in _LIBRARIES:
        return True
    own = type.__dict__["__dict__"].__get__(kind)
    # An object of the program's that has no operators of its own: asking it for an item only fails.
    return not any(name in own for name in ("__getitem__", "__getattr__", "__add__", "__call__", "__iter__"))


def _library_of(kind: type) -> str:
    return str(kind.__module__).partition(".")[0]
