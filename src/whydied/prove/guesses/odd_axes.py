"""A shape that is written with an axis of size 1 too many, where a check of the program refuses what came of it. Pure.

Such a check says itself what was expected, but not where the axis comes from: each shape of the program that has a 1 in
it is tried without. Several that let the program finish tell nothing: whoever tries them drops them then.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from whydied.prove.guesses.scene import Guess, Scene
from whydied.source.assignments import assigned
from whydied.source.edits.edit import over, written_in
from whydied.source.text import Source
from whydied.source.trees import around, function_at, holds, scope_at, walk

KIND = "odd-axis"
_OF_SHAPES = ("shape", "output_shape", "input_shape", "ndim", "rank", "get_shape")
_SIZED = ("shape", "input_shape", "batch_shape", "batch_input_shape", "target_shape", "size", "newshape", "dims")
_SHAPED = ("Input", "InputLayer", "Reshape", "placeholder", "zeros", "ones", "empty", "full", "normal", "uniform")
_SHAPED_SECOND = ("placeholder", "reshape")
_MOST = 12


def odd_axes(scene: Scene) -> Iterator[Guess]:
    """Each shape with a 1 in it without that axis, but for those of the check."""
    frame = scene.link.frames[-1] if scene.link.frames else None
    source = scene.sources.get(frame.file) if frame is not None and frame.user else None
    if frame is None or source is None or not _checks_shape(source, frame.line):
        return
    check = function_at(source.tree, frame.line)
    count = 0
    for file, other in scene.sources.items():
        for shape in _shapes(other):
            if file == frame.file and check is not None and holds(check, shape.lineno):
                continue
            for at in [n for n, one in enumerate(shape.elts) if isinstance(one, ast.Constant) and one.value == 1][:1]:
                if count < _MOST:
                    count += 1
                    yield _without(file, other, shape, at)


def _checks_shape(source: Source, line: int) -> bool:
    """Whether the statement raises, and a shape decided about that."""
    raising = [one for one in around(source.tree, line, ast.Raise) if one.exc is not None]
    if not raising:
        return False
    tests: list[ast.expr] = [one.test for one in around(source.tree, line, ast.If)][-1:]
    scope = scope_at(source.tree, line)
    for name in [one.id for test in tests for one in walk(test, ast.Name)]:
        tests += [one.value for one in assigned(name, scope) if one.value is not None and one.line < line]
    return any(one.attr in _OF_SHAPES for test in tests for one in walk(test, ast.Attribute))


def _shapes(source: Source) -> Iterator[ast.Tuple | ast.List]:
    """The shapes that are written out as an argument: two sizes or more."""
    for call in walk(source.tree, ast.Call):
        name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
        given = [word.value for word in call.keywords if word.arg in _SIZED]
        given += call.args[:1] if name in _SHAPED else []
        given += call.args[1:2] if name in _SHAPED_SECOND else []
        for one in given:
            if isinstance(one, ast.Tuple | ast.List) and len(one.elts) > 1:
                yield one


def _without(file: str, source: Source, shape: ast.Tuple | ast.List, at: int) -> Guess:
    kept = [written_in(source, one) for n, one in enumerate(shape.elts) if n != at]
    inner = ", ".join(kept)
    new = f"[{inner}]" if isinstance(shape, ast.List) else f"({inner},)" if len(kept) == 1 else f"({inner})"
    old = written_in(source, shape)
    wrong = f"the shape `{old}` has an axis of size 1 too many"
    return Guess(KIND, f"Write `{new}` instead of `{old}`", wrong, [over(source, file, shape, new)], 0.8)
