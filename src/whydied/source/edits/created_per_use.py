"""Edits that create in the constructor what a method, or one that it calls, creates anew in each call. Pure.

There is one for each use, and a list of them where it is used in a loop.
What is made of the method's own values, or in loops within loops, stays where it is, and then nothing is changed.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import NamedTuple

from whydied.source.calls import bound_arguments, own_names
from whydied.source.edits.call_edits import add_argument
from whydied.source.edits.edit import Edit, over, written_in
from whydied.source.edits.programs.class_edits import add_parameter
from whydied.source.edits.programs.definition_edits import last_statement, method_in, parent_call
from whydied.source.edits.runs.created_once import free_name, state_calls
from whydied.source.text import Source
from whydied.source.trees import last_name, walk, within, written

_LOOPS = (ast.For, ast.While, ast.comprehension, ast.ListComp, ast.GeneratorExp, ast.SetComp, ast.DictComp, ast.Lambda)
_COMPREHENSIONS = (ast.ListComp, ast.GeneratorExp)


class _Loop(NamedTuple):
    """A loop over something that the constructor knows, too."""

    target: ast.expr
    over: ast.expr
    node: ast.For | ast.comprehension


class _Unknown(Exception):
    """The constructor does not know what something is made of."""


def created_per_use(source: Source, file: str, owner: ast.ClassDef, method: str) -> list[Edit]:
    called, begun = method_in(owner, method), method_in(owner, "__init__")
    if called is None or begun is None or parent_call(begun) is None:
        return []
    try:
        return _Moved(source, file, owner, called, begun).edits()
    except _Unknown:
        return []


class _Moved:
    """What is created, as lines of the constructor and as names where it is used."""

    def __init__(
        self, source: Source, file: str, owner: ast.ClassDef, called: ast.FunctionDef, begun: ast.FunctionDef
    ) -> None:
        self._source, self._file, self._owner, self._called, self._begun = source, file, owner, called, begun
        self._own = own_names(called) - {"self"}
        self._own |= {one.id for one in walk(called, ast.Name) if isinstance(one.ctx, ast.Store)}
        self._kept = {one.attr for one in walk(begun, ast.Attribute) if isinstance(one.ctx, ast.Store)}
        self._taken = {one.attr for one in walk(owner, ast.Attribute)} | self._own
        self._lines: list[str] = []
        self._loops: dict[int, tuple[_Loop, list[tuple[str, str]]]] = {}

    def edits(self) -> list[Edit]:
        found: list[Edit | None] = [
            over(self._source, self._file, made, self._use(made, made, {}))
            for made in state_calls(self._source, self._called)
        ]
        for helper in self._helpers():
            found += self._passed_to(helper)
        found += [self._header(loop, pairs) for loop, pairs in self._loops.values()]
        if not self._lines:
            return []
        added = last_statement(self._source, self._file, self._begun, "\n".join(self._lines))
        edits = [one for one in [added, *found] if one is not None]
        return edits if len(edits) == len(found) + 1 else []

    def _helpers(self) -> list[ast.FunctionDef]:
        """The other methods that create something and that the method calls."""
        methods = [one for one in self._owner.body if isinstance(one, ast.FunctionDef)]
        others = [one for one in methods if one not in (self._called, self._begun) and one.name != "build"]
        return [one for one in others if self._calls(one) and state_calls(self._source, one)]

    def _calls(self, helper: ast.FunctionDef) -> list[ast.Call]:
        return [one for one in walk(self._called, ast.Call) if _is_of_self(one.func, helper.name)]

    def _passed_to(self, helper: ast.FunctionDef) -> list[Edit | None]:
        """What a helper creates as parameters of it, given by each call."""
        calls = self._calls(helper)
        made = state_calls(self._source, helper)
        used = sum(_is_of_self(one, helper.name) for one in walk(self._owner, ast.Attribute))
        if (
            used != len(calls)
            or helper.decorator_list
            or helper.args.vararg
            or any(_is_repeated(helper, one) for one in made)
        ):
            raise _Unknown
        inside = own_names(helper) | {one.id for one in walk(helper, ast.Name)}
        names: list[str] = []
        for one in made:
            names.append(free_name(_lower(last_name(one.func)), {*inside, *names}))
        edits: list[Edit | None] = [
            over(self._source, self._file, one, name) for one, name in zip(made, names, strict=True)
        ]
        edits.append(add_parameter(self._source, self._file, helper, ", ".join(names)))
        stored = {one.id for one in walk(helper, ast.Name) if isinstance(one.ctx, ast.Store)}
        for call in calls:
            given = {name: value for name, value in _given(call, helper).items() if name not in stored}
            local = (own_names(helper) | stored) - {"self"}
            if any(one.id in local - set(given) for node in made for one in walk(node, ast.Name)):
                raise _Unknown
            passed = [f"{name}={self._use(one, call, given)}" for one, name in zip(made, names, strict=True)]
            edits.append(add_argument(self._source, self._file, call, ", ".join(passed)))
        return edits

    def _use(self, made: ast.Call, place: ast.Call, given: Mapping[str, ast.expr]) -> str:
        """What stands at a place for something that is created, with values in the place of parameters."""
        text = _text(self._source, made, given)
        loops = self._around(place)
        free = {one.id for loop in loops for one in walk(loop.target, ast.Name)}
        self._check(ast.parse(text, mode="eval"), free)
        name = _lower(last_name(made.func))
        if not loops:
            attribute = free_name(name, self._taken)
            self._taken.add(attribute)
            self._lines.append(f"self.{attribute} = {text}")
            return f"self.{attribute}"
        loop = loops[0]
        self._check(loop.over, set())
        attribute = free_name(f"{name}_list", self._taken)
        item = free_name(name, self._taken)
        self._taken |= {attribute, item}
        self._lines.append(f"self.{attribute} = [{text} for {written(loop.target)} in {written(loop.over)}]")
        self._loops.setdefault(id(loop.node), (loop, []))[1].append((item, attribute))
        return item

    def _check(self, node: ast.AST, free: set[str]) -> None:
        """That the constructor knows all that an expression uses."""
        attributes = [one for one in walk(node, ast.Attribute) if last_name(one.value) == "self"]
        bare = sum(one.id == "self" for one in walk(node, ast.Name)) - len(attributes)
        names = {one.id for one in walk(node, ast.Name)} - free - {"self"}
        bound = own_names(self._begun) | {
            one.id for one in walk(self._begun, ast.Name) if isinstance(one.ctx, ast.Store)
        }
        if bare or names & (self._own | bound) or any(one.attr not in self._kept for one in attributes):
            raise _Unknown

    def _around(self, place: ast.Call) -> list[_Loop]:
        """The loop around a place in the method; more than one, or one that is not a plain `for`, is not known."""
        around = [node for node in walk(self._called, ast.AST) if isinstance(node, _LOOPS) and _has(node, place)]
        found: list[_Loop] = []
        for node in around:
            if isinstance(node, ast.For):
                found.append(_Loop(node.target, node.iter, node))
            elif isinstance(node, _COMPREHENSIONS) and len(node.generators) == 1 and not node.generators[0].ifs:
                found.append(_Loop(node.generators[0].target, node.generators[0].iter, node.generators[0]))
            else:
                raise _Unknown
        if len(found) > 1:
            raise _Unknown
        return found

    def _header(self, loop: _Loop, pairs: list[tuple[str, str]]) -> Edit:
        """The loop over what is created, beside what it goes over."""
        items = [item for item, _ in pairs]
        lists = [f"self.{attribute}" for _, attribute in pairs]
        names = {one.id for one in walk(loop.target, ast.Name)}
        if any(one.id in names and isinstance(one.ctx, ast.Load) for one in walk(self._called, ast.Name)):
            target = written_in(self._source, loop.target)
            items.insert(0, f"({target})" if isinstance(loop.target, ast.Tuple) and target[:1] != "(" else target)
            lists.insert(0, written_in(self._source, loop.over))
        joined = lists[0] if len(lists) == 1 else f"zip({', '.join(lists)})"
        first, last = over(self._source, self._file, loop.target, ""), over(self._source, self._file, loop.over, "")
        return Edit(self._file, first.start, last.end, f"{', '.join(items)} in {joined}")


def _given(call: ast.Call, helper: ast.FunctionDef) -> dict[str, ast.expr]:
    if any(isinstance(one, ast.Starred) for one in call.args) or any(one.arg is None for one in call.keywords):
        raise _Unknown
    return dict(bound_arguments(call, helper))


def _is_of_self(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Attribute) and node.attr == name and last_name(node.value) == "self"


def _is_repeated(function: ast.FunctionDef, made: ast.Call) -> bool:
    return any(isinstance(one, _LOOPS) and _has(one, made) for one in within(function))


def _has(node: ast.AST, inner: ast.AST) -> bool:
    """Whether a loop runs something in each pass: what it goes over is made once."""
    once = node.iter if isinstance(node, ast.For) else None
    return any(one is inner for one in ast.walk(node)) and not (
        once is not None and any(one is inner for one in ast.walk(once))
    )


def _text(source: Source, made: ast.Call, given: Mapping[str, ast.expr]) -> str:
    if not any(one.id in given for one in walk(made, ast.Name)) and made.end_lineno == made.lineno:
        return written_in(source, made)
    return ast.unparse(_Substituted(given).visit(ast.parse(ast.unparse(made), mode="eval")))


class _Substituted(ast.NodeTransformer):
    def __init__(self, given: Mapping[str, ast.expr]) -> None:
        self._given = given

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self._given.get(node.id, node)


def _lower(name: str) -> str:
    """`BottleNeck` as `bottle_neck`."""
    parts = [
        f"_{letter}" if at and letter.isupper() and name[at - 1].islower() else letter for at, letter in enumerate(name)
    ]
    return "".join(parts).lower()
