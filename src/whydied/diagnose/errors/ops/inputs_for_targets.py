"""Targets that are made of the very value that the inputs are made of, while a list that was filled beside it is never
read. Pure.

Who trains a model to give its input again also passes one value as both: without the list that is never read nothing is
said.
"""

from __future__ import annotations

import ast
from typing import NamedTuple

from whydied.diagnose.errors.advice import Advice, Way, advised
from whydied.diagnose.errors.framework_error import FrameworkError, Shape
from whydied.records import Frame, Party
from whydied.source.calls import callee, method_calls
from whydied.source.edits.edit import over
from whydied.source.origins.trails import Call, Step, Trails, expression
from whydied.source.trees import around, enclosing, function_at, scope_at, tree_of, walk, within, written

_FILLING = ("append", "extend", "insert", "add")


class Mistaken(NamedTuple):
    """`step` makes the targets of `name`, `twin` the inputs of the same; `unread` was filled on `filled`."""

    step: Step
    twin: Step
    name: str
    unread: str
    filled: int
    width: int | None


def inputs_for_targets(error: FrameworkError, labels: Party, output: Shape) -> Mistaken | None:
    """Where the targets of the failing call take what the inputs are made of."""
    place, data = error.facts.place, next((one for one in error.of_role("x") if one.text), None)
    if place is None or data is None or not labels.text or labels.text == data.text:
        return None
    running = [Call(one.file, one.line, one.function) for one in error.link.frames if one.user]
    trails = Trails(error.sources, running)
    texts = [expression(error.sources, place.file, place.line, party.text) for party in (labels, data)]
    of_labels, of_data = ([] if one is None else trails.trail(place.file, place.line, one) for one in texts)
    shared = [(one, other) for one in of_labels for other in of_data if _same(one, other)]
    if not shared:
        return None
    step, twin = (_before(steps, at) for steps, at in zip((of_labels, of_data), shared[0], strict=True))
    name = shared[0][0].name
    if step is None or twin is None or not name or name not in _names(step.value):
        return None
    return _left_beside(error, trails, step, twin, name, output)


def _same(one: Step, other: Step) -> bool:
    return (one.file, one.line, one.name) == (other.file, other.line, other.name) and one.value is other.value


def _before(steps: list[Step], at: Step) -> Step | None:
    number = steps.index(at)
    return steps[number - 1] if number else None


def _names(node: ast.AST) -> set[str]:
    return {one.id for one in walk(node, ast.Name)}


def _left_beside(
    error: FrameworkError, trails: Trails, step: Step, twin: Step, name: str, output: Shape
) -> Mistaken | None:
    """The only list that is filled in the same loop as `name`, is never read, and whose items can be such outputs."""
    tree = tree_of(error.sources, step.file)
    scope = scope_at(tree, step.line)
    fills = [(written(owner), call) for owner, call in method_calls(within(scope), _FILLING) if call.args]
    beside = [_loop(tree, call.lineno) for owner, call in fills if owner == name]
    found = {}
    for owner, call in fills:
        if owner == name or _loop(tree, call.lineno) not in beside or not _is_unread(tree, owner):
            continue
        width = _width(trails, step.file, call)
        if width is None or not output or output[-1] in (None, width):
            found[owner] = Mistaken(step, twin, name, owner, call.lineno, width)
    return next(iter(found.values())) if len(found) == 1 else None


def _loop(tree: ast.Module, line: int) -> int:
    """The line of the innermost loop around a line; 0 for none."""
    return max((one.lineno for one in around(tree, line, (ast.For, ast.While))), default=0)


def _is_unread(tree: ast.Module, name: str) -> bool:
    """Whether a name is only given a value and filled."""
    loads = [one for one in walk(tree, ast.Name) if one.id == name and isinstance(one.ctx, ast.Load)]
    filling = [id(owner) for owner, _ in method_calls(ast.walk(tree), _FILLING)]
    return bool(loads) and all(id(one) in filling for one in loads)


def _width(trails: Trails, file: str, call: ast.Call) -> int | None:
    """How many values an item has, where it is written out as a tuple or a list."""
    item = call.args[-1]
    steps = trails.trail(file, call.lineno, item)
    for value in (item, *(one.value for one in steps[:1] if not one.place)):
        node = value.args[0] if isinstance(value, ast.Call) and callee(value) == "array" and value.args else value
        if isinstance(node, ast.Tuple | ast.List):
            return len(node.elts)
    return None


def mistaken_words(found: Mistaken, labels: str) -> str:
    other = f"`{found.unread}`, filled on line {found.filled}"
    wide = f" with {found.width} values each" if found.width is not None else ""
    return (
        f"`{labels}` is made of `{found.name}` (`{written(found.step.value)}`), as the inputs are on line "
        f"{found.twin.line}; {other}{wide}, is never read"
    )


def mistaken_advice(error: FrameworkError, found: Mistaken) -> Advice:
    source = error.sources.get(found.step.file)
    names = [one for one in walk(found.step.value, ast.Name) if one.id == found.name]
    edits = [over(source, found.step.file, one, found.unread) for one in names] if source is not None else None
    words = f"Write `{found.unread}` in the place of `{found.name}`."
    return advised(words, "labels", Way(words, edits))


def mistaken_frame(error: FrameworkError, found: Mistaken) -> Frame:
    tree = tree_of(error.sources, found.step.file)
    function = enclosing(tree, found.step.line) if function_at(tree, found.step.line) else "<module>"
    text = error.sources[found.step.file].text(found.step.line, found.step.line).strip()
    return Frame(file=found.step.file, line=found.step.line, function=function, user=True, source=text[:300])
