"""A function of the program that works with NumPy and is traced by `Dataset.map`: its call in the mapped function, or
the function itself, in `tf.py_function`. Pure.

The result's type is what the function's returns say; without that each of a few is a candidate. Arguments that the
mapped function does not have of its own stay in a lambda, so that they do not become tensors.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import NamedTuple

from whydied.source.arrays.array_types import type_of
from whydied.source.calls import callee, parameters
from whydied.source.edits.edit import Edit, over, written_in
from whydied.source.edits.import_edits import name_of
from whydied.source.text import Source
from whydied.source.trees import Function, dotted_name, function_at, nodes_on, walk, within, written

_TYPES = ("float32", "float64", "int64", "int32")
_ARRAYS = ("np.", "numpy.", "scipy.", "cv2.", "Image.", "signal.", "ndimage.", "librosa.")
_MAPS = ("map", "flat_map", "interleave")


class Wrapped(NamedTuple):
    """`text` is the call in the place of what is traced."""

    text: str
    edits: list[Edit]


class Line(NamedTuple):
    file: str
    line: int


def wrapped(sources: Mapping[str, Source], lines: list[Line]) -> list[Wrapped]:
    """The ways to have the innermost of some lines, outermost first, run as Python: one for each type of the result."""
    inner = lines[-1]
    source = sources.get(inner.file)
    function = function_at(source.tree, inner.line) if source is not None else None
    if source is None or function is None or not is_of_arrays(function):
        return []
    mapping = [one for one in lines[:-1] if _mapped(sources, one) is not None]
    if not mapping or function_at(sources[mapping[-1].file].tree, mapping[-1].line) is function:
        return []
    # `.numpy()` needs an eager tensor; what asks for an array gets one.
    name = "py_function" if any(_reads(call) for call in walk(function, ast.Call)) else "numpy_function"
    caller = lines[-2]
    calls = [one for one in nodes_on(sources[caller.file], caller.line) if isinstance(one, ast.Call)]
    own = [one for one in calls if callee(one) == function.name]
    if len(own) == 1:
        return _of_call(sources, inner.file, function, caller.file, own[0], name)
    call = _mapped(sources, caller)
    given = call.args[0] if call is not None and call.args else None
    if given is not None and (dotted_name(given) or "").rpartition(".")[2] == function.name:
        return _of_function(sources, inner.file, function, caller.file, given, name)
    return []


def is_of_arrays(function: Function) -> bool:
    """Whether a function computes with arrays on more than one line, so that no single edit makes it TensorFlow's."""
    calls = [one for one in walk(function, ast.Call) if (dotted_name(one.func) or "").startswith(_ARRAYS)]
    return len({one.lineno for one in calls}) > 1 or len(calls) > 1


def _mapped(sources: Mapping[str, Source], line: Line) -> ast.Call | None:
    source = sources.get(line.file)
    nodes = nodes_on(source, line.line) if source is not None else []
    return next((one for one in nodes if isinstance(one, ast.Call) and _is_map(one)), None)


def _is_map(call: ast.Call) -> bool:
    return isinstance(call.func, ast.Attribute) and call.func.attr in _MAPS


def _reads(call: ast.Call) -> bool:
    return isinstance(call.func, ast.Attribute) and call.func.attr == "numpy" and not call.args


def _of_call(
    sources: Mapping[str, Source], home: str, function: Function, file: str, call: ast.Call, name: str
) -> list[Wrapped]:
    """`f(x, 20)` as `tf.py_function(lambda x: f(x, 20), [x], tf.float32)`."""
    source, names = sources[file], parameters(function)
    tensorflow = name_of(source, "tensorflow")
    plain = not call.keywords and not any(isinstance(one, ast.Starred) for one in call.args)
    if tensorflow is None or not plain or len(call.args) > len(names):
        return []
    local = _locals(source, call)
    tensors = [(names[at], one) for at, one in enumerate(call.args) if local & _names(one)]
    words = [written_in(source, one) for one in call.args]
    target = written_in(source, call.func)
    if len(tensors) != len(call.args):
        given = [names[at] if local & _names(one) else words[at] for at, one in enumerate(call.args)]
        target = f"lambda {', '.join(one for one, _ in tensors)}: {target}({', '.join(given)})"
    inputs = ", ".join(written_in(source, one) for _, one in tensors)
    if not tensors:
        return []
    returned = _returned(function)
    several = isinstance(returned, ast.Tuple)
    made = []
    for types in _types(sources, home, returned, tensorflow, {}):
        text = f"{tensorflow}.{name}({target}, [{inputs}], {types})"
        # Data sets make one tensor of a list.
        text = f"tuple({text})" if several and isinstance(_parent(source, call), ast.Return | ast.Lambda) else text
        made.append(Wrapped(text, [over(source, file, call, text)]))
    return made


def _of_function(
    sources: Mapping[str, Source], home: str, function: Function, file: str, given: ast.expr, name: str
) -> list[Wrapped]:
    """`map(f)` as `map(lambda x, y: tuple(tf.py_function(f, [x, y], [tf.float32, y.dtype])))`."""
    source, names = sources[file], parameters(function)
    tensorflow = name_of(source, "tensorflow")
    required = names[: len(names) - len(function.args.defaults)]
    if tensorflow is None or not required:
        return []
    returned, words = _returned(function), ", ".join(required)
    passed = {one: f"{one}.dtype" for one in required if not _is_stored(function, one)}
    made = []
    for types in _types(sources, home, returned, tensorflow, passed):
        text = f"{tensorflow}.{name}({written_in(source, given)}, [{words}], {types})"
        text = f"tuple({text})" if isinstance(returned, ast.Tuple) else text
        text = f"lambda {words}: {text}"
        made.append(Wrapped(text, [over(source, file, given, text)]))
    return made


def _types(
    sources: Mapping[str, Source], file: str, returned: ast.expr | None, tensorflow: str, passed: dict[str, str]
) -> list[str]:
    """The types of the results as code, one text for each that an unknown one may have."""
    parts = returned.elts if isinstance(returned, ast.Tuple) else [returned]
    known = [passed.get(written(one)) or _known(sources, file, one, tensorflow) if one else "" for one in parts]
    found = []
    for guess in _TYPES if "" in known else _TYPES[:1]:
        types = [one or f"{tensorflow}.{guess}" for one in known]
        found.append(f"[{', '.join(types)}]" if isinstance(returned, ast.Tuple) else types[0])
    return found


def _known(sources: Mapping[str, Source], file: str, node: ast.expr, tensorflow: str) -> str:
    found = type_of(sources, file, node)
    return f"{tensorflow}.{found}" if found else ""


def _returned(function: Function) -> ast.expr | None:
    found = [one.value for one in within(function) if isinstance(one, ast.Return)]
    return found[0] if len(found) == 1 else None


def _is_stored(function: Function, name: str) -> bool:
    return any(one.id == name and isinstance(one.ctx, ast.Store) for one in walk(function, ast.Name))


def _locals(source: Source, call: ast.Call) -> set[str]:
    """The names that the function or lambda around a call has of its own."""
    scopes = [one for one in walk(source.tree, ast.Lambda) if any(node is call for node in ast.walk(one))]
    function = function_at(source.tree, call.lineno)
    inner: ast.Lambda | Function | None = scopes[-1] if scopes else function
    if inner is None:
        return set()
    stored = {one.id for one in walk(inner, ast.Name) if isinstance(one.ctx, ast.Store)}
    return stored | set(parameters(inner))


def _names(node: ast.expr) -> set[str]:
    return {one.id for one in walk(node, ast.Name)}


def _parent(source: Source, node: ast.AST) -> ast.AST | None:
    return next((one for one in ast.walk(source.tree) if node in ast.iter_child_nodes(one)), None)
