"""What leaves TensorFlow between the variables and a loss, written as TensorFlow's operations. Pure.

`.numpy()`, `float(…)` and a `tf.constant(…)` around a value that is to have a gradient are left out, and NumPy's
functions and methods of arrays become operations. Arrays that only come from data stay as they are.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import NamedTuple

from whydied.source.calls import callee
from whydied.source.edits.edit import Edit, Point, end_of, over, start_of, text_between
from whydied.source.edits.import_edits import add_import, name_of
from whydied.source.edits.programs.numpy_operations import IN_TENSORFLOW
from whydied.source.location import Location
from whydied.source.text import Source
from whydied.source.training.taped_flow import Taped, taped
from whydied.source.trees import written

_REDUCING = frozenset({"mean", "sum", "prod", "max", "min", "std", "var"})
_AS_IT_IS = frozenset({"array", "asarray", "asanyarray", "float32", "float64", "copy", "ascontiguousarray"})
_WRAPPERS = frozenset({"constant", "convert_to_tensor", "Variable"})
_PLAIN = frozenset({"numpy", "item", "tolist", "copy"})


class InTensorFlow(NamedTuple):
    """The edits that keep a loss within TensorFlow, and what they replace, as written. `with_casts` also make float32
    of the data that meet the values with a gradient; NumPy's own type is float64."""

    edits: list[Edit]
    with_casts: list[Edit]
    replaced: list[str]


def in_tensorflow(sources: Mapping[str, Source], place: Location, callers: list[Location]) -> InTensorFlow | None:
    """None where nothing on the way of a loss leaves TensorFlow."""
    found = taped(sources, place, callers)
    replaced: dict[str, None] = {}
    edits = _edits(sources, found, replaced, is_cast=False)
    if not edits:
        return None
    cast = _edits(sources, found, replaced, is_cast=True)
    return InTensorFlow(edits, cast if cast != edits else [], list(replaced))


def _edits(
    sources: Mapping[str, Source], found: list[Taped], replaced: dict[str, None], *, is_cast: bool
) -> list[Edit]:
    edits: list[Edit] = []
    missing: set[str] = set()
    for one in found:
        source = sources[one.file]
        name = name_of(source, "tensorflow")
        writing = _Written(source, one, name or "tf", is_cast=is_cast)
        text = writing.text(one.value, is_bare=True)
        replaced |= dict.fromkeys(writing.replaced)
        if text != _as_is(source, one.value):
            edits.append(over(source, one.file, one.value, text))
            missing |= {one.file} if name is None and f"{name or 'tf'}." in text else set()
    for file in missing:
        added = add_import(sources[file], file, "import tensorflow as tf")
        edits += [added] if added is not None else []
    return edits


def _as_is(source: Source, node: ast.expr) -> str:
    return text_between(source, start_of(source, node), end_of(source, node))


class _Written:
    """Writes an expression anew, with all that stays the same as it is written."""

    def __init__(self, source: Source, taped: Taped, tf: str, *, is_cast: bool) -> None:
        self._is_cast = is_cast
        self._source = source
        self._taped = taped
        self._tf = tf
        self._np = name_of(source, "numpy") or "np"
        self.replaced: list[str] = []

    def text(self, node: ast.expr, *, is_bare: bool = False) -> str:
        """An expression anew; a bare one needs no brackets of its own."""
        if isinstance(node, ast.Call):
            text = self._call(node, is_bare)
            if text is not None:
                return text
        if isinstance(node, ast.Attribute) and node.attr == "T" and self._taped.depends(node.value):
            return f"{self._tf}.transpose({self.text(node.value)})"
        return self._around(node, start_of(self._source, node), end_of(self._source, node))

    def _around(self, node: ast.AST, start: Point, end: Point) -> str:
        """The text from one point to another with the expressions of a node in it written anew."""
        inner = [] if isinstance(node, ast.JoinedStr) else _inner(node)
        text, at = "", start
        for one in sorted(inner, key=lambda one: (one.lineno, one.col_offset)):
            first = start_of(self._source, one)
            if first < at:
                continue
            anew = self.text(one, is_bare=isinstance(node, ast.Call))
            text += text_between(self._source, at, first) + self._cast(node, one, anew)
            at = end_of(self._source, one)
        return text + text_between(self._source, at, end)

    def _cast(self, node: ast.AST, part: ast.expr, text: str) -> str:
        """An array of data that an operation takes beside a value with a gradient, as float32: `+` and its like cast
        by themselves."""
        sides = node.args if isinstance(node, ast.Call) and written(node.func).startswith(f"{self._np}.") else []
        is_data = isinstance(part, ast.Name | ast.Attribute) and not self._taped.depends(part)
        meets = part in sides and any(self._taped.depends(one) for one in sides)
        return f"{self._tf}.cast({text}, {self._tf}.float32)" if self._is_cast and is_data and meets else text

    def _call(self, call: ast.Call, is_bare: bool) -> str | None:
        name, is_method = written(call.func), isinstance(call.func, ast.Attribute)
        text = self._changed(call, name, is_bare)
        if text is not None:
            own = name.startswith((f"{self._np}.", f"{self._tf}.")) or not is_method
            self.replaced.append(name if own else f".{callee(call)}()")
        return text

    def _changed(self, call: ast.Call, name: str, is_bare: bool) -> str | None:
        first = call.args[0] if call.args else None
        if name.startswith(f"{self._np}.") and any(self._taped.depends(one) for one in _given(call)):
            return self._numpy(call, name.removeprefix(f"{self._np}."), is_bare)
        if name == "float" and first is not None and self._taped.depends(first):
            return self._alone(first, is_bare)
        if name.partition(".")[0] == self._tf and callee(call) in _WRAPPERS and first is not None:
            return self._unwrapped(first, is_bare) if self._taped.depends(first) else None
        if isinstance(call.func, ast.Attribute) and self._taped.depends(call.func.value):
            return self._method(call, call.func, is_bare)
        return None

    def _unwrapped(self, node: ast.expr, is_bare: bool) -> str:
        """What a constant was made of; a list of values becomes one tensor."""
        if isinstance(node, ast.List | ast.Tuple | ast.ListComp):
            return f"{self._tf}.stack({self.text(node)})"
        return self._alone(node, is_bare)

    def _alone(self, node: ast.expr, is_bare: bool) -> str:
        text = self.text(node, is_bare=is_bare)
        is_one = isinstance(node, ast.Name | ast.Attribute | ast.Call | ast.Subscript | ast.Constant)
        return text if is_one or (is_bare and "\n" not in text) else f"({text})"

    def _numpy(self, call: ast.Call, name: str, is_bare: bool) -> str:
        first = call.args[0] if call.args else _given(call)[0]
        alone = len(call.args) == 1 and not call.keywords
        if name in _AS_IT_IS:
            return self._unwrapped(first, is_bare)
        if name == "diff" and alone and isinstance(first, ast.Name):
            return f"({first.id}[..., 1:] - {first.id}[..., :-1])"
        if name in ("dot", "inner", "outer") and len(call.args) == 2:
            return f"{self._tf}.tensordot({self._listed(call)}, {0 if name == 'outer' else 1})"
        if name == "clip" and len(call.args) == 3:
            return f"{self._tf}.clip_by_value({self._listed(call)})"
        operation = IN_TENSORFLOW.get(name, f"experimental.numpy.{name}")
        rest = self._around(call, end_of(self._source, call.func), end_of(self._source, call))
        if name == "concatenate" and alone:
            rest = f"{rest[:-1]}, axis=0)"
        return f"{self._tf}.{operation}{rest}"

    def _method(self, call: ast.Call, func: ast.Attribute, is_bare: bool) -> str | None:
        """A method of an array as an operation on a tensor."""
        name, subject = func.attr, self.text(func.value)
        if name in _PLAIN and not call.args:
            return self._alone(func.value, is_bare)
        if self._taped.roots & {written(func.value)}:
            return None
        listed = [self.text(one) for one in call.args]
        listed += [f"{one.arg or '**'}{'=' if one.arg else ''}{self.text(one.value)}" for one in call.keywords]
        rest = "".join(f", {one}" for one in listed)
        if name in _REDUCING:
            return f"{self._tf}.{IN_TENSORFLOW[name]}({subject}{rest})"
        if name == "astype" and len(call.args) == 1:
            return f"{self._tf}.cast({subject}{rest})"
        if name in ("flatten", "ravel") and not call.args:
            return f"{self._tf}.reshape({subject}, [-1])"
        if name == "reshape" and call.args:
            shape = rest[2:] if len(call.args) == 1 and not isinstance(call.args[0], ast.Constant) else f"[{rest[2:]}]"
            return f"{self._tf}.reshape({subject}, {shape})"
        if name == "clip" and len(call.args) == 2:
            return f"{self._tf}.clip_by_value({subject}{rest})"
        if name == "dot" and len(call.args) == 1:
            return f"{self._tf}.tensordot({subject}{rest}, 1)"
        return f"{self._tf}.transpose({subject})" if name == "transpose" and not call.args else None

    def _listed(self, call: ast.Call) -> str:
        return ", ".join(self._cast(call, one, self.text(one)) for one in call.args)


def _given(call: ast.Call) -> list[ast.expr]:
    return [*call.args, *(one.value for one in call.keywords)]


def _inner(node: ast.AST) -> list[ast.expr]:
    """The expressions right below a node, those of its keywords and generators too."""
    found: list[ast.expr] = []
    for one in ast.iter_child_nodes(node):
        if isinstance(one, ast.expr):
            found.append(one)
        elif isinstance(one, ast.keyword | ast.comprehension):
            found += _inner(one)
    return found
