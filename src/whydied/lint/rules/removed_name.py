"""The code uses a name that current TensorFlow, Keras or NumPy no longer has.

## What it detects
A name that TensorFlow 2, Keras 3 or NumPy 1.24 removed, by the same tables that explain such an error in a run:
`tf.Session`, `tf.contrib`, `keras.layers.core`, `np_utils`, `model.fit_generator`, `np.float`. The names of
TensorFlow 1 in a file are told together, at the first of them.

## Why it matters
The program raises AttributeError or ImportError at that line, for an old function often hours into a run.

## When it stays silent
The name is imported from `tensorflow.compat.v1` or `tf_keras`, or stands in a `try`, or behind a test of the version
or `hasattr`.

## Fix
The new name is in the message. A whole program for TensorFlow 1 runs with `import tensorflow.compat.v1 as tf` and
`tf.disable_v2_behavior()` as its first lines.

## Known problems
Code that is meant for an old version only is told as well: `# whydied: ignore[LNT018]`, or `ignore` in
`pyproject.toml`.

## References
https://www.tensorflow.org/guide/migrate
https://keras.io/guides/migrating_to_keras_3/
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from whydied import words
from whydied.lint.kinds import kinds_of
from whydied.lint.library_kinds import MODEL
from whydied.lint.static_rule import Hit
from whydied.lint.unit import Unit, short
from whydied.source.api_table import FORMER_MODULES, GRAPH_ONLY, METHODS, MOVED, STILL_THERE

SAME_FAULT = ("api-removed",)
ANY_CODE = True
_NUMPY = {"np.float": "float", "np.int": "int", "np.object": "object", "np.str": "str", "np.complex": "complex"}
_METHODS = {old: now for (kind, old), now in METHODS.items() if kind == "Model"}
_SHOWN = 3


def check(unit: Unit) -> Iterator[Hit]:
    text = unit.source.exact
    if not ("tensorflow" in text or "keras" in text or "numpy" in text):
        return
    told: set[str] = set()
    graph: dict[str, ast.AST] = {}
    for node, name, written in _names(unit):
        if name in told or _is_guarded(unit, node) or name in _put_back(unit):
            continue
        if name.startswith("tf."):
            graph.setdefault(name, node)
            continue
        told.add(name)
        yield Hit(node, f"`{written}` was removed{_since(name)}", _advice(name))
    if graph:
        yield _of_graph(unit, graph)
    yield from _methods(unit)


def _names(unit: Unit) -> Iterator[tuple[ast.AST, str, str]]:
    """Names that are gone: each with its place, as the tables have it, and as it is written."""
    for node in unit.scopes.every(ast.Attribute):
        if isinstance(unit.scopes.parent(node), ast.Attribute):
            continue
        path = unit.path(node)
        gone = _gone(path) if path else ""
        if gone:
            yield node, gone, unit.written(node)
    for imported in unit.scopes.every(ast.ImportFrom):
        for alias in imported.names if not imported.level else ():
            gone = _gone(f"{imported.module}.{alias.name}")
            if gone:
                yield imported, gone, f"{imported.module}.{alias.name}"
    for plain in unit.scopes.every(ast.Import):
        for alias in plain.names:
            if gone := _gone(alias.name):
                yield plain, gone, alias.name


def _gone(path: str) -> str:
    """The longest part of a name that the tables know to be gone; "" where none is."""
    if path.startswith(("tf_keras", "tensorflow.compat.v1.keras")):
        return ""
    is_compat = path.startswith("tensorflow.compat.v1")
    name = short(path)
    while "." in name:
        known = name in MOVED or name in FORMER_MODULES or name in GRAPH_ONLY or name in _NUMPY
        if known and name not in STILL_THERE and not (is_compat and not name.startswith("tf.contrib")):
            return name
        name = name.rpartition(".")[0]
    return ""


def _put_back(unit: Unit) -> set[str]:
    """Names that the program itself gives the library: `tf.gfile = tf.io.gfile`."""
    return {unit.named(node) for node in unit.scopes.every(ast.Attribute) if isinstance(node.ctx, ast.Store)}


def _is_guarded(unit: Unit, node: ast.AST) -> bool:
    root = node
    while isinstance(root, ast.Attribute):
        root = root.value
    if isinstance(root, ast.Name):
        seen = unit.scopes.visible(root.id, root)
        imports = [one.node for one in seen[1] if one.kind == "import"] if seen is not None else []
        if any(_is_guarded(unit, one) for one in imports):
            return True
    for above in unit.scopes.ancestors(node):
        if isinstance(above, ast.Try) and above.handlers:
            return True
        if isinstance(above, ast.If | ast.IfExp):
            test = ast.dump(above.test).lower()
            if "version" in test or "hasattr" in test:
                return True
    return False


def _since(name: str) -> str:
    return {"np": " in NumPy 1.24", "keras": " in Keras 3"}.get(name.partition(".")[0], "")


def _advice(name: str) -> str:
    if name in _NUMPY:
        return f"Write `{_NUMPY[name]}`, or a type with its size such as `np.float64`."
    new = MOVED.get(name, ())
    if new:
        return f"Use `{new[0]}`."
    return f"Import from `{name.rpartition('.')[0]}`." if name in FORMER_MODULES else "Nothing took its place."


def _of_graph(unit: Unit, graph: dict[str, ast.AST]) -> Hit:
    first = min(graph, key=lambda name: (graph[name].lineno, graph[name].col_offset))  # type: ignore[attr-defined]
    others = [name for name in graph if name != first]
    shown = ", ".join(others[:_SHOWN]) + (", …" if len(others) > _SHOWN else "")
    more = f", and {words.count(len(others), 'other name')} ({shown})"
    dead = [name for name in graph if name.startswith(("tf.contrib", "tf.examples", "tf.estimator"))]
    if dead:
        new = MOVED.get(dead[0], ())
        advice = f"Use `{new[0]}` for `{dead[0]}`." if new else f"`{dead[0]}` has no replacement in TensorFlow 2."
    elif first in GRAPH_ONLY:
        advice = "Write `import tensorflow.compat.v1 as tf` and `tf.disable_v2_behavior()` as the first lines."
    else:
        advice = _advice(first)
    is_estimator = all(name.startswith("tf.estimator") for name in graph)
    version = "2.16" if is_estimator else "2"
    return Hit(graph[first], f"`{first}` is not in TensorFlow {version}{more if others else ''}", advice)


def _methods(unit: Unit) -> Iterator[Hit]:
    kinds = kinds_of(unit)
    told: set[str] = set()
    for call in unit.calls:
        if not isinstance(call.func, ast.Attribute) or call.func.attr not in _METHODS or call.func.attr in told:
            continue
        if (
            kinds.of(call.func.value) != MODEL
            or unit.is_graph
            or _is_guarded(unit, call)
            or "tf_keras" in unit.source.exact
        ):
            continue
        told.add(call.func.attr)
        new, note = _METHODS[call.func.attr]
        base = unit.written(call.func.value)
        advice = note.format(base=base) if note else f"Write `{base}.{new}(…)`."
        yield Hit(
            call, f"`{base}.{call.func.attr}` was removed from Keras", f"{advice[0].upper()}{advice[1:].rstrip('.')}."
        )
