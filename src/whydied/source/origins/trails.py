"""Where a value of the failing statement came from: backwards through names, loops, parameters and the calls that gave
them, attributes, own functions and their results, the cells of a notebook, and what only reshapes a value. Pure.

A parameter is followed to the call that was running when the exception was raised; without one to the only call that
the program has. What could have come from several places is not followed.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from whydied.source.bindings import Binding, bindings, cell_number, module_files, part_of
from whydied.source.calls import bound_arguments, callee, own_names
from whydied.source.text import Source
from whydied.source.trees import (
    Function,
    across,
    around,
    dotted_name,
    function_at,
    last_name,
    nodes_on,
    tree_of,
    walk,
    within,
    written,
)

_DEEPEST = 16
_SAME = frozenset(
    {
        *("copy", "astype", "to_numpy", "reshape", "ravel", "flatten", "squeeze", "tolist", "values", "reset_index"),
        *("head", "tail", "fillna", "dropna", "numpy", "T", "items", "keys", "transpose", "sample", "loc", "iloc"),
        *("resize", "convert", "crop", "rotate"),
    }
)
"""Methods and attributes that give the same data again, or a part of them."""
_PASSING = frozenset(
    {
        *("array", "asarray", "stack", "vstack", "hstack", "concatenate", "list", "tuple", "sorted", "reversed", "zip"),
        *("enumerate", "constant", "convert_to_tensor", "expand_dims", "asanyarray", "iter"),
    }
)
"""Functions that give their first argument in another form."""


class Call(NamedTuple):
    """A statement of the user's that was running, and the function it stands in."""

    file: str
    line: int
    function: str


class Step(NamedTuple):
    """One place that a value came through: the expression there, the line of its statement, and the name that it has
    from there on. `is_passed` says that it is an argument of a call, `in_loop` that it is one item of it."""

    file: str
    line: int
    value: ast.expr
    name: str
    place: tuple[int, ...] = ()
    is_passed: bool = False
    in_loop: bool = False


class Trails:
    """`running` are the user's frames at the exception, outermost first."""

    def __init__(self, sources: Mapping[str, Source], running: Sequence[Call]) -> None:
        self._sources = sources
        self._running = list(running)

    def trail(self, file: str, line: int, node: ast.expr) -> list[Step]:
        """The places that the value of an expression came through, the nearest first."""
        found: list[Step] = []
        use: Step | None = Step(file, line, node, "")
        seen: set[tuple[str, int, str]] = set()
        for _ in range(_DEEPEST):
            use = self._behind(use) if use is not None else None
            if use is None or (key := (use.file, use.line, ast.dump(use.value))) in seen:
                break
            seen.add(key)
            found.append(use)
        return found

    def bound(self, file: str, line: int, name: str) -> list[tuple[str, Binding]]:
        """The bindings of a name that a line can see, each with its file, the last first: those of its function, else
        those of the module, which for a notebook are all cells that ran before."""
        tree = tree_of(self._sources, file)
        function = function_at(tree, line)
        if function is not None:
            own = [one for one in bindings(name, function) if one.line <= line or _is_around(one, line)]
            if own or name in own_names(function):
                return [(file, one) for one in reversed(own)]
        found: list[tuple[str, Binding]] = []
        for other in module_files(self._sources, self.module(file)):
            last = self._reached(other) if function is not None or other != file else line
            found += [(other, one) for one in bindings(name, tree_of(self._sources, other)) if one.line <= last]
        return found[::-1]

    def module(self, file: str) -> str:
        """The cell that runs: a function of an earlier cell sees the names of all cells up to it."""
        cells = [one.file for one in self._running if cell_number(one.file) is not None]
        return max(cells, key=lambda one: cell_number(one) or 0, default=file) if cell_number(file) else file

    def _reached(self, file: str) -> int:
        """How far a module has run."""
        lines = [one.line for one in self._running if one.file == file and one.function == "<module>"]
        return lines[0] if lines else 1 << 30

    def _behind(self, use: Step) -> Step | None:
        node, place = part_of(use.value, use.place)
        if isinstance(node, ast.Name):
            return self._of_name(use, node, place)
        if isinstance(node, ast.Attribute):
            if node.attr in _SAME:
                return self._inner(use, node.value, place)
            return self._of_attribute(use, node, place)
        if isinstance(node, ast.Subscript):
            return self._inner(use, node.value, ())
        if isinstance(node, ast.Call):
            return self._of_call(use, node, place)
        if isinstance(node, ast.BinOp) and isinstance(node.right, ast.Constant):
            return self._inner(use, node.left, place)
        return None

    def _inner(self, use: Step, node: ast.expr, place: tuple[int, ...]) -> Step | None:
        """What a part of an expression came from."""
        return self._behind(use._replace(value=node, place=place))

    def _of_name(self, use: Step, node: ast.Name, place: tuple[int, ...]) -> Step | None:
        comprehended = self._of_comprehension(use, node)
        if comprehended is not None:
            return comprehended
        # In `x = x.drop(…)` the second `x` is an older one.
        seen = self.bound(use.file, use.line, node.id)
        found = [(file, one) for file, one in seen if file != use.file or one.line < use.line]
        if found:
            file, one = found[0]
            if one.value is None:
                return None
            return Step(file, one.line, one.value, node.id, (*one.place, *place), in_loop=one.kind == "loop")
        function = function_at(tree_of(self._sources, use.file), use.line)
        if function is not None and node.id in own_names(function):
            return self._of_parameter(use, function, node.id, place)
        return None

    def _of_comprehension(self, use: Step, node: ast.Name) -> Step | None:
        tree = tree_of(self._sources, use.file)
        for one in walk(tree, (ast.ListComp, ast.GeneratorExp, ast.SetComp, ast.DictComp)):
            if any(inner is node for inner in ast.walk(one)):
                for part in one.generators:  # type: ignore[attr-defined]
                    if node.id in {name.id for name in walk(part.target, ast.Name)}:
                        return Step(use.file, use.line, part.iter, node.id, in_loop=True)
        return None

    def _of_parameter(self, use: Step, function: Function, name: str, place: tuple[int, ...]) -> Step | None:
        called = {function.name, self._owner(use.file, function)}
        running = [at for at, one in enumerate(self._running) if one.file == use.file and one.function == function.name]
        if running and running[-1] > 0:
            caller = self._running[running[-1] - 1]
            source = self._sources.get(caller.file)
            calls = [one for one in nodes_on(source, caller.line) if isinstance(one, ast.Call)] if source else []
            found = [(caller.file, one) for one in calls if callee(one) in called]
        else:
            found = [(file, one) for file, one in across(self._sources, ast.Call) if callee(one) in called]
            owner = self._class(use.file, function)
            own = [(file, one) for file, one in found if owner and self._is_of(file, one, owner)]
            found = own or found
        given = [(file, call, bound_arguments(call, function).get(name)) for file, call in found]
        passed = [(file, call, one) for file, call, one in given if one is not None]
        if len(passed) != 1:
            return None
        file, call, value = passed[0]
        return Step(file, call.lineno, value, name, place, is_passed=True)

    def _owner(self, file: str, function: Function) -> str:
        """The name that a function is called by: of a constructor that of its class."""
        return (self._class(file, function) or function.name) if function.name == "__init__" else function.name

    def _class(self, file: str, function: Function) -> str:
        """The class that a function is a method of; "" for others."""
        classes = walk(tree_of(self._sources, file), ast.ClassDef)
        return next((owner.name for owner in classes if function in owner.body), "")

    def _is_of(self, file: str, call: ast.Call, owner: str) -> bool:
        """Whether a method is called on an object of a class: on one just made, or on a name that was given one."""
        subject = call.func.value if isinstance(call.func, ast.Attribute) else None
        if isinstance(subject, ast.Name):
            seen = self.bound(file, call.lineno, subject.id)
            subject = seen[0][1].value if seen else None
        return isinstance(subject, ast.Call) and callee(subject) == owner

    def _of_attribute(self, use: Step, node: ast.Attribute, place: tuple[int, ...]) -> Step | None:
        """An attribute of an object: where the only line of the program stands that assigns one of that name."""
        if not isinstance(node.value, ast.Name) or dotted_name(node) is None:
            return None
        found: list[Step] = []
        for file, target in across(self._sources, ast.Assign):
            for one in target.targets:
                if isinstance(one, ast.Attribute) and one.attr == node.attr and isinstance(one.value, ast.Name):
                    found.append(Step(file, target.lineno, target.value, written(one), place))
        return found[0] if len(found) == 1 else None

    def _of_call(self, use: Step, call: ast.Call, place: tuple[int, ...]) -> Step | None:
        name = callee(call)
        function = self.called(call)
        if function is not None:
            file, own = function
            returns = [one for one in within(own) if isinstance(one, ast.Return) and one.value is not None]
            if len(returns) == 1 and returns[0].value is not None:
                value, rest = part_of(returns[0].value, place)
                return Step(file, returns[0].lineno, value, name, rest)
            return None
        if isinstance(call.func, ast.Attribute) and name in _SAME:
            return self._inner(use, call.func.value, place)
        if name == "train_test_split" and place and place[0] // 2 < len(call.args):
            return self._inner(use, call.args[place[0] // 2], ())
        if name in _PASSING and call.args:
            return self._inner(use, call.args[0], ())
        return None

    def called(self, call: ast.Call) -> tuple[str, Function] | None:
        """The program's own function that a call means: a method where it is called on an object, unless that is one
        of the program's modules."""
        found = self.function(callee(call))
        if found is None:
            return None
        on_object = isinstance(call.func, ast.Attribute)
        module = last_name(call.func.value) if isinstance(call.func, ast.Attribute) else ""
        own = {file.rsplit("/", 1)[-1].removesuffix(".py") for file in self._sources}
        is_method = bool(self._class(*found))
        return found if is_method == on_object or (on_object and module in own) else None

    def function(self, name: str) -> tuple[str, Function] | None:
        """The only function or method of the program that has a name."""
        found = [(file, one) for file, one in across(self._sources, ast.FunctionDef) if one.name == name]
        return found[0] if len(found) == 1 and name else None


def _is_around(one: Binding, line: int) -> bool:
    """Whether a loop goes around a line, whose later statements ran in the round before."""
    return one.kind == "loop" and one.line <= line <= (getattr(one.node, "end_lineno", None) or one.line)


def expressions_on(sources: Mapping[str, Source], file: str, line: int) -> list[ast.expr]:
    """The expressions of the statement at a line."""
    source = sources.get(file)
    return [node for node in nodes_on(source, line) if isinstance(node, ast.expr)] if source is not None else []


def expression(sources: Mapping[str, Source], file: str, line: int, text: str) -> ast.expr | None:
    """The expression of the statement at a line that is written like a text."""
    return next((one for one in expressions_on(sources, file, line) if written(one) == text), None)


def root_name(node: ast.AST) -> str:
    """`df` of `df["a"].values[3]`."""
    while isinstance(node, ast.Attribute | ast.Subscript | ast.Call | ast.Starred):
        node = node.func if isinstance(node, ast.Call) else node.value
    return last_name(node)


def loop_around(sources: Mapping[str, Source], file: str, line: int) -> ast.For | None:
    """The innermost loop around a line."""
    found = [one for one in around(tree_of(sources, file), line, ast.For) if one.lineno != line]
    return found[-1] if found else None
