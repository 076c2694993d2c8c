"""Edits of scalers that turn one column back though they were fitted on several: a scaler of its own for it, or
the one column of what the scaler learnt. Pure.

Invariant: the column is the only one that the source takes by its number before the values are turned back. Any column
would let the program finish, and all but one would give wrong figures.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import NamedTuple

from whydied.source.calls import callee
from whydied.source.edits.edit import Edit, line_after, over, written_in
from whydied.source.origins.trails import root_name
from whydied.source.text import Source
from whydied.source.trees import Function, around, dotted_name, scope_at, walk, within, written

_ALONE = {
    "MinMaxScaler": "({x} - {scaler}.min_[{column}]) / {scaler}.scale_[{column}]",
    "StandardScaler": "{x} * {scaler}.scale_[{column}] + {scaler}.mean_[{column}]",
}
"""What these classes of scikit-learn compute for one column."""


class Turned(NamedTuple):
    """The call that turns values back, and what it is called on."""

    file: str
    call: ast.Call
    owner: ast.expr


class Fitted(NamedTuple):
    """The call that fits it."""

    file: str
    call: ast.Call


def target_column(sources: Mapping[str, Source], turned: Turned, fitted: Fitted, features: int) -> int | None:
    """The column that the program takes by its number out of what the scaler was fitted on, or gave. What it does after
    the call is not asked, nor what it takes of the values that are turned back, or of another table."""
    tables = _made_of(sources, fitted)
    given = {root_name(one) for one in turned.call.args[:1]} - {"self"}
    here = scope_at(sources[turned.file].tree, turned.call.lineno)
    later = {
        id(node)
        for node in walk(here, ast.Subscript)
        if node.lineno >= turned.call.lineno or isinstance(here, ast.Lambda)
    }
    every: set[int] = set()
    of_targets: set[int] = set()
    for source in sources.values():
        for statement in walk(source.tree, ast.stmt):
            if hasattr(statement, "body"):
                continue
            is_target = _is_target(statement)
            for node in walk(statement, ast.Subscript):
                column = _column(node)
                if column is None or id(node) in later or not -features <= column < features:
                    continue
                if root_name(node) in given or (
                    root_name(node) not in tables and dotted_name(node.value) not in tables
                ):
                    continue
                every.add(column)
                of_targets |= {column} if is_target else set()
    found = every if len(every) == 1 else of_targets
    return next(iter(found)) if len(found) == 1 else None


def _made_of(sources: Mapping[str, Source], fitted: Fitted) -> set[str]:
    """The names of what the scaler is fitted on and of what comes of it; a parameter may be any of these."""
    found = {one.arg for source in sources.values() for one in walk(source.tree, ast.arg)} - {"self", "cls"}
    found |= {name for one in fitted.call.args[:1] if (name := dotted_name(one)) is not None}
    tree = sources[fitted.file].tree
    inside = {one.name for one in around(tree, fitted.call.lineno, ast.stmt) if isinstance(one, Function)}
    made = [one for source in sources.values() for one in walk(source.tree, ast.Assign)]
    for _ in range(len(made)):
        before = len(found)
        for one in made:
            calls = walk(one.value, ast.Call)
            if fitted.call in calls or any(callee(call) in inside for call in calls) or _names(one.value) & found:
                found |= {name for target in one.targets for name in _names(target)} - {"self"}
        if len(found) == before:
            break
    return found


def _names(node: ast.AST) -> set[str]:
    """The names and dotted names in an expression."""
    parts: list[ast.expr] = [*walk(node, ast.Name), *walk(node, ast.Attribute)]
    return {name for part in parts if (name := dotted_name(part)) is not None}


def own_scaler(
    sources: Mapping[str, Source], turned: Turned, fitted: Fitted, column: int
) -> list[tuple[str, list[Edit]]]:
    """A scaler of its own, by its name: for this call and those after it, for this call alone; each for an array and
    for a table. Empty where the two calls do not see the same name."""
    source = sources[fitted.file]
    made = _made(source, fitted)
    if made is None or not fitted.call.args or not _see_each_other(sources, turned, fitted):
        return []
    name = _name(source, turned.owner)
    method = "fit" if _has_fit(sources, made) else callee(fitted.call)
    later = [node for node in _later(sources, turned) if node is not turned.call]
    on = written_in(source, fitted.call.args[0])
    on = on if isinstance(fitted.call.args[0], ast.Name | ast.Attribute | ast.Subscript | ast.Call) else f"({on})"
    found: list[tuple[str, list[Edit]]] = []
    for calls in ([turned.call, *later], [turned.call]) if later else ([turned.call],):
        using = [over(sources[turned.file], turned.file, _owner(one), name) for one in calls]
        for taken in (f"{on}[:, [{column}]]", f"{on}.iloc[:, [{column}]]"):
            text = f"{name} = {written_in(source, made)}\n{name}.{method}({taken})"
            fits = line_after(source, fitted.file, fitted.call.lineno, _lines(source, fitted.call.lineno, text))
            found.append((name, [fits, *using]))
    return found


def column_alone(sources: Mapping[str, Source], turned: Turned, kind: str, column: int) -> list[list[Edit]]:
    """The same computed with what the scaler learnt of that column: for this call and those after it, for this call
    alone."""
    if kind not in _ALONE:
        return []
    source = sources[turned.file]
    every = [one for one in _later(sources, turned) if one.args]
    found = []
    for calls in (every, [turned.call]) if len(every) > 1 else ([turned.call],):
        found.append([over(source, turned.file, one, _alone(source, turned, one, kind, column)) for one in calls])
    return found


def _alone(source: Source, turned: Turned, call: ast.Call, kind: str, column: int) -> str:
    given = call.args[0]
    text = written_in(source, given)
    text = text if isinstance(given, ast.Name | ast.Attribute | ast.Subscript | ast.Call) else f"({text})"
    anew = _ALONE[kind].format(x=text, scaler=written_in(source, turned.owner), column=column)
    bare = any(
        isinstance(one, ast.Assign | ast.Return) and one.value is call
        for one in around(source.tree, call.lineno, ast.stmt)
    )
    return anew if bare else f"({anew})"


def is_one_column(node: ast.expr) -> bool:
    """Whether an expression says that it gives one column: `y[:, None]`, `y.reshape(-1, 1)`."""
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Tuple) and len(node.slice.elts) == 2:
        rows, last = node.slice.elts
        return isinstance(rows, ast.Slice) and written(last) in ("None", "np.newaxis", "tf.newaxis")
    if not isinstance(node, ast.Call) or callee(node) != "reshape" or not node.args:
        return False
    sizes = node.args[-1].elts if isinstance(node.args[-1], ast.Tuple | ast.List) else node.args[-2:]
    return len(sizes) == 2 and written(sizes[1]) == "1"


def _column(node: ast.Subscript) -> int | None:
    """The number of `[:, 0]`, `[at, 0]` and `[5:, -1]`."""
    if not isinstance(node.ctx, ast.Load) or not isinstance(node.slice, ast.Tuple) or len(node.slice.elts) != 2:
        return None
    rows, last = node.slice.elts
    if isinstance(rows, ast.Constant):
        return None
    if isinstance(last, ast.UnaryOp) and isinstance(last.op, ast.USub) and isinstance(last.operand, ast.Constant):
        return -last.operand.value if type(last.operand.value) is int else None
    return last.value if isinstance(last, ast.Constant) and type(last.value) is int else None


def _is_target(statement: ast.stmt) -> bool:
    """Whether a statement makes targets, by the name that it assigns or appends to."""
    names = {one.id for one in walk(statement, ast.Name) if isinstance(one.ctx, ast.Store)}
    names |= {
        root_name(one.func.value)
        for one in walk(statement, ast.Call)
        if isinstance(one.func, ast.Attribute) and one.func.attr == "append"
    }
    return any(one.lower().startswith("y") or "target" in one.lower() or "label" in one.lower() for one in names)


def _made(source: Source, fitted: Fitted) -> ast.Call | None:
    """The call that made the scaler, in the scope in which it is fitted or above."""
    owner = fitted.call.func.value if isinstance(fitted.call.func, ast.Attribute) else None
    if owner is None:
        return None
    found = [
        one.value
        for one in walk(source.tree, ast.Assign)
        if any(written(target) == written(owner) for target in one.targets) and isinstance(one.value, ast.Call)
    ]
    return found[0] if len(found) == 1 and isinstance(found[0], ast.Call) else None


def _see_each_other(sources: Mapping[str, Source], turned: Turned, fitted: Fitted) -> bool:
    """Whether a name that is given a value beside the first call is known at the other."""
    own = fitted.call.func
    if turned.file != fitted.file or not isinstance(own, ast.Attribute) or written(own.value) != written(turned.owner):
        return False
    tree = sources[fitted.file].tree
    if isinstance(turned.owner, ast.Attribute):
        return root_name(turned.owner) == "self"
    scope = scope_at(tree, fitted.call.lineno)
    here = scope_at(tree, turned.call.lineno)
    return scope in (here, tree)


def _later(sources: Mapping[str, Source], turned: Turned) -> list[ast.Call]:
    """The calls of the same method on the same object after one: those before it had nothing to complain about."""
    scope = scope_at(sources[turned.file].tree, turned.call.lineno)
    found = [
        node
        for node in within(scope)
        if isinstance(node, ast.Call)
        and callee(node) == callee(turned.call)
        and isinstance(node.func, ast.Attribute)
        and written(node.func.value) == written(turned.owner)
    ]
    first = (turned.call.lineno, turned.call.col_offset)
    return [node for node in found if (node.lineno, node.col_offset) >= first]


def _owner(call: ast.Call) -> ast.expr:
    assert isinstance(call.func, ast.Attribute)
    return call.func.value


def _has_fit(sources: Mapping[str, Source], made: ast.Call) -> bool:
    """Whether the class has `fit`: one of the program's own is asked for it."""
    own = [one for source in sources.values() for one in walk(source.tree, ast.ClassDef) if one.name == callee(made)]
    return not own or any(isinstance(one, ast.FunctionDef) and one.name == "fit" for one in own[0].body)


def _name(source: Source, owner: ast.expr) -> str:
    """`target_scaler` beside `scaler`, and `self.target_scaler` beside `self.scaler`."""
    taken = {one.id for one in walk(source.tree, ast.Name)} | {one.attr for one in walk(source.tree, ast.Attribute)}
    name = "target_scaler"
    while name in taken:
        name = f"{name}_"
    return f"{written(owner.value)}.{name}" if isinstance(owner, ast.Attribute) else name


def _lines(source: Source, line: int, text: str) -> str:
    first = source.lines[source.span(line)[0] - 1]
    return text.replace("\n", f"\n{first[: len(first) - len(first.lstrip())]}")
