"""Whether statements and functions of the program's own only compute, by their text; runs in the user's process, after
an exception.

They run in a copy of the process that prints nothing, writes no file and is thrown away, so they may change objects.
What reads, trains, waits, imports or reaches out of the process is not run there either.

Invariant: nothing is called to find out. A name that is known is judged by its value, one that is not by what the
program defines under it; what cannot be told is not run.
"""

from __future__ import annotations

import ast
from types import FunctionType, MethodType, ModuleType
from typing import Any

from whydied.inside.guest import live_source
from whydied.inside.guest.lookup import MISSING, Missing, attribute
from whydied.inside.guest.ownership import Ownership
from whydied.inside.trials.computing import BUILTINS, acts, is_of_libraries
from whydied.source.text import Source
from whydied.source.trees import Function, walk

DEEPEST = 4
_NEVER = (
    *(ast.Await, ast.Yield, ast.YieldFrom, ast.Global, ast.Nonlocal, ast.Import, ast.ImportFrom, ast.AsyncFor),
    *(ast.AsyncWith, ast.AsyncFunctionDef, ast.ClassDef, ast.While, ast.Delete),
)
_HARMLESS = frozenset(
    {*BUILTINS, "print", "isinstance", "issubclass", "hasattr", "getattr", "super", "type", "callable"}
)
_CONTEXTS = frozenset({"GradientTape", "name_scope", "control_dependencies", "errstate", "catch_warnings"})


class OwnCode:
    """What is known of the program's own code: which files are the user's."""

    def __init__(self, ownership: Ownership) -> None:
        self._ownership = ownership
        self._known: dict[int, bool] = {}

    def only_computes(self, node: ast.AST, names: dict[str, Any], source: Source, depth: int = DEEPEST) -> bool:
        """Of statements or an expression; `names` are the values that are known where it stands."""
        stored = {
            one.id for one in ast.walk(node) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store | ast.Del)
        } | {one.arg for one in ast.walk(node) if isinstance(one, ast.arg)}
        known = {name: value for name, value in names.items() if name not in stored}
        for one in ast.walk(node):
            if isinstance(one, _NEVER):
                return False
            if isinstance(one, ast.With) and not all(_is_context(item.context_expr) for item in one.items):
                return False
            if isinstance(one, ast.Call) and not self._may_run(one, known, stored, source, depth):
                return False
        return True

    def definition(self, value: Any) -> tuple[Function, Source, dict[str, Any]] | None:
        """The text of a function of the user's."""
        function = value.__func__ if type(value) is MethodType else value
        if type(function) is not FunctionType:
            return None
        code, names = function.__code__, function.__globals__
        file = self._ownership.owned(code.co_filename, names.get("__name__") == "__main__")
        source = live_source.source(file) if file is not None else None
        if source is None:
            return None
        for one in walk(source.tree, ast.FunctionDef):
            if code.co_firstlineno in (one.lineno, *(mark.lineno for mark in one.decorator_list)):
                return (one, source, names) if one.name == code.co_name else None
        return None

    def _may_run(self, call: ast.Call, known: dict[str, Any], stored: set[str], source: Source, depth: int) -> bool:
        function = call.func
        if isinstance(function, ast.Call):
            # What a library made is called: a layer.
            return self._may_run(function, known, stored, source, depth)
        name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
        if name == "print":
            return not any(word.arg == "file" for word in call.keywords)
        if not name or acts(name):
            return False
        value = _value(function, known)
        if isinstance(value, Missing):
            return self._unknown_may_run(function, stored, source, depth, known)
        return self._value_may_run(value, name, depth)

    def _unknown_may_run(
        self, function: ast.expr, stored: set[str], source: Source, depth: int, known: dict[str, Any]
    ) -> bool:
        """By its name: no function of the program's, or one that only computes."""
        if isinstance(function, ast.Name):
            return function.id in _HARMLESS and function.id not in stored
        if not isinstance(function, ast.Attribute):
            return False
        same = [one for one in walk(source.tree, ast.FunctionDef) if one.name == function.attr]
        inner = {name: value for name, value in known.items() if isinstance(value, _GLOBAL)}
        return depth > 0 and all(self.only_computes_inside(one, inner, source, depth - 1) for one in same)

    def _value_may_run(self, value: Any, name: str, depth: int) -> bool:
        if isinstance(value, type) or not self._is_own(value):
            builtin = getattr(value, "__module__", None) == "builtins"
            if builtin and isinstance(value, type):
                return value.__name__ in _HARMLESS
            if builtin and name in _HARMLESS:
                return True
            return is_of_libraries(value) or self._class_may_run(value, depth)
        found = self.definition(value)
        return found is not None and depth > 0 and self.only_computes_inside(found[0], found[2], found[1], depth - 1)

    def _class_may_run(self, value: Any, depth: int) -> bool:
        """A class of the program's own, by its `__init__`."""
        if not isinstance(value, type) or type(value).__module__.partition(".")[0] not in ("builtins", "keras", "abc"):
            return False
        made = attribute(value, "__init__")
        if isinstance(made, Missing) or "__new__" in type.__dict__["__dict__"].__get__(value):
            return False
        return self._value_may_run(made, "__init__", depth) if self._is_own(made) else is_of_libraries(made)

    def only_computes_inside(self, function: Function, names: dict[str, Any], source: Source, depth: int) -> bool:
        """Of the body of a function; where it is being asked already, by itself, it is one that does."""
        if id(function) not in self._known:
            self._known[id(function)] = True
            plain = not function.decorator_list and isinstance(function, ast.FunctionDef)
            own = {one.arg for one in walk(function.args, ast.arg)}
            known = {name: value for name, value in names.items() if name not in own}
            body = ast.Module(body=function.body, type_ignores=[])
            self._known[id(function)] = plain and self.only_computes(body, known, source, depth)
        return self._known[id(function)]

    def _is_own(self, value: Any) -> bool:
        return self.definition(value) is not None


_GLOBAL = (ModuleType, FunctionType, type)


def _is_context(node: ast.expr) -> bool:
    function = node.func if isinstance(node, ast.Call) else None
    return isinstance(function, ast.Attribute) and function.attr in _CONTEXTS


def _value(node: ast.expr, known: dict[str, Any]) -> Any:
    if isinstance(node, ast.Name):
        return known.get(node.id, MISSING)
    if isinstance(node, ast.Attribute):
        base = _value(node.value, known)
        return MISSING if isinstance(base, Missing) else attribute(base, node.attr)
    return MISSING
