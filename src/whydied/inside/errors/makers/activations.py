"""A run of a function or module, alive or over, as far as its source and its live objects tell; runs in the user's
process.

Invariant: nothing of the user's is called. Of a run that is over only the object that it belonged to and the names of
its module are still there.
"""

from __future__ import annotations

import ast
import sys
from types import CodeType, FrameType, FunctionType, MethodType, ModuleType
from typing import Any, NamedTuple

from whydied.inside.errors.stack_steps import Step
from whydied.inside.guest import live_source
from whydied.inside.guest.lookup import MISSING, Missing, evaluate, instance_dict
from whydied.inside.guest.ownership import Ownership
from whydied.source.calls import callee, own_names
from whydied.source.text import Source
from whydied.source.trees import Function, across, around, stored_in, walk

LATEST = 1 << 30
_INLINE = ("<listcomp>", "<genexpr>", "<setcomp>", "<dictcomp>")


class Space(NamedTuple):
    """The names that are known of a run: what `lookup` asks of a frame."""

    f_locals: dict[str, Any]
    f_globals: dict[str, Any]


class Activation(NamedTuple):
    """`line` is how far it had come. `call` began it, in `caller`."""

    file: str
    source: Source
    scope: ast.AST
    line: int
    space: FrameType | Space
    call: ast.Call | None = None
    caller: Activation | None = None

    @property
    def function(self) -> Function | None:
        return self.scope if isinstance(self.scope, Function) else None

    @property
    def name(self) -> str:
        return self.function.name if self.function is not None else "<module>"

    def value(self, node: ast.AST) -> Any:
        """A value without running anything; of a run that is over, its own names are not known."""
        if isinstance(self.space, Space) and self.function is not None:
            own = (own_names(self.function) | stored_in(self.function)) - set(self.space.f_locals)
            if any(name.id in own for name in walk(node, ast.Name)):
                return MISSING
        return evaluate(node, self.space)  # type: ignore[arg-type]


class Program:
    """The user's files, functions and classes, as they are loaded."""

    def __init__(self, ownership: Ownership) -> None:
        self._ownership = ownership
        self._files: dict[str, tuple[Source, dict[str, Any]]] | None = None

    @property
    def files(self) -> dict[str, tuple[Source, dict[str, Any]]]:
        """The loaded modules of the user's, each with its source and names."""
        if self._files is None:
            self._files = {}
            for module in list(sys.modules.values()):
                names = instance_dict(module)
                file = names.get("__file__")
                if isinstance(file, str) and self._ownership.is_user_path(file):
                    path = self._ownership.resolve(file)
                    parsed = live_source.source(path)
                    if parsed is not None:
                        self._files[path] = (parsed, names)
        return self._files

    def live(self, steps: list[Step]) -> Activation | None:
        """The innermost of the user's frames, with those that called it."""
        found: Activation | None = None
        for step in steps:
            parsed = live_source.source(step.file) if step.file is not None else None
            if parsed is None or step.file is None or step.is_generated:
                found = None if step.file is not None else found
                continue
            if found is not None and found.file == step.file and step.frame.f_code.co_name in _INLINE:
                # Before 3.12 a comprehension has a frame of its own, inside of that of its statement.
                found = found._replace(space=step.frame, line=parsed.span(step.line)[0])
                continue
            scope = _scope(parsed.tree, step.frame.f_code)
            if scope is None:
                found = None
                continue
            call = _call_of(found, step.function) if found is not None else None
            line = parsed.span(step.line)[0]
            found = Activation(step.file, parsed, scope, line, step.frame, call, found if call is not None else None)
        return found

    def module(self, file: str, space: dict[str, Any] | None = None, line: int = LATEST) -> Activation | None:
        known = self.files.get(file)
        parsed = known[0] if known is not None else live_source.source(file)
        names = space if space is not None else known[1] if known is not None else {}
        return Activation(file, parsed, parsed.tree, line, Space({}, names)) if parsed is not None else None

    def module_of(self, value: Any) -> Activation | None:
        file = instance_dict(value).get("__file__") if isinstance(value, ModuleType) else None
        own = isinstance(file, str) and self._ownership.is_user_path(file)
        return self.module(self._ownership.resolve(str(file)), instance_dict(value)) if own else None

    def called(self, node: ast.Call, at: Activation) -> Activation | None:
        """The run of a function of the program's own that a call began, at its end; None for anything else."""
        value = at.value(node.func)
        receiver = at.value(node.func.value) if isinstance(node.func, ast.Attribute) else MISSING
        if isinstance(value, MethodType):
            value, receiver = value.__func__, value.__self__  # type: ignore[attr-defined]
        if type(value) is not FunctionType:
            value = self._by_name(node) if isinstance(value, Missing) else None
        return self.run_of(value, receiver, node, at) if value is not None else None

    def run_of(
        self, function: FunctionType, receiver: Any, call: ast.Call | None = None, caller: Activation | None = None
    ) -> Activation | None:
        code = function.__code__
        file = self._ownership.resolve(code.co_filename)
        parsed = live_source.source(file) if self._ownership.is_user_path(file) else None
        scope = _scope(parsed.tree, code) if parsed is not None else None
        if parsed is None or not isinstance(scope, Function):
            return None
        first = scope.args.args[0].arg if scope.args.args else ""
        known = not isinstance(receiver, (Missing, ModuleType)) and first in ("self", "cls")
        space = Space({first: receiver} if known else {}, function.__globals__)
        return Activation(file, parsed, scope, LATEST, space, call, caller)

    def _by_name(self, call: ast.Call) -> FunctionType | None:
        """The only function or method of the program's with the name that is called."""
        found = []
        for _, names in self.files.values():
            for value in names.values():
                inner = type.__dict__["__dict__"].__get__(value).values() if isinstance(value, type) else (value,)
                for one in inner:
                    if type(one) is FunctionType and one.__name__ == callee(call) and one not in found:
                        found.append(one)
        return found[0] if len(found) == 1 else None

    def only_call(self, run: Activation, names: set[str]) -> Activation | None:
        """A run with the only call that the program has of it."""
        sources = {file: parsed for file, (parsed, _) in self.files.items()}
        calls = [(file, call) for file, call in across(sources, ast.Call) if callee(call) in names]
        if len(calls) != 1:
            return None
        file, call = calls[0]
        parsed, space = self.files[file]
        inner = [one for one in around(parsed.tree, call.lineno, ast.stmt) if isinstance(one, Function)]
        caller = Activation(file, parsed, inner[-1] if inner else parsed.tree, call.lineno, Space({}, space))
        return run._replace(call=call, caller=caller)

    def class_node(self, kind: type, at: Activation) -> tuple[str, ast.ClassDef] | None:
        """Where a class of the user's is written."""
        own = type.__dict__["__dict__"].__get__(kind).values()
        codes = [one.__code__ for one in own if type(one) is FunctionType]
        module = sys.modules.get(str(type.__getattribute__(kind, "__module__")))
        named = instance_dict(module).get("__file__") if module is not None else None
        files = [*(one.co_filename for one in codes), *([named] if isinstance(named, str) else [])]
        # A cell has no module with a file.
        files += [at.file] if at.space.f_globals.get(kind.__name__) is kind else []
        for path in dict.fromkeys(self._ownership.resolve(one) for one in files):
            parsed = live_source.source(path) if self._ownership.is_user_path(path) else None
            found = [one for one in walk(parsed.tree, ast.ClassDef) if one.name == kind.__name__] if parsed else []
            if len(found) == 1:
                return path, found[0]
        return None

    def cell_before(self, at: Activation) -> Activation | None:
        """The cell of a notebook that ran before one, whose names it sees."""
        cells = live_source.provided()
        for one in reversed(cells[: cells.index(at.file)] if at.file in cells else []):
            before = self.module(one, at.space.f_globals)
            if before is not None:
                return before
        return None


def _scope(tree: ast.Module, code: CodeType) -> ast.AST | None:
    """The function or module that a code object was made from; None for a lambda or a comprehension."""
    if code.co_name == "<module>":
        return tree
    for node in ast.walk(tree):
        if isinstance(node, Function) and node.name == code.co_name:
            first = min([node.lineno, *(one.lineno for one in node.decorator_list)])
            if code.co_firstlineno in (first, node.lineno):
                return node
    return None


def _call_of(caller: Activation, name: str) -> ast.Call | None:
    """The call of a statement that began the next frame, where it is the only one that can have."""
    first, last = caller.source.span(caller.line)
    calls = [
        one for one in walk(caller.source.tree, ast.Call) if first <= one.lineno <= last and _begins(one, name, caller)
    ]
    return calls[0] if len(calls) == 1 else None


def _begins(call: ast.Call, name: str, caller: Activation) -> bool:
    if callee(call) == name:
        return True
    return name == "__init__" and isinstance(caller.value(call.func), type)
