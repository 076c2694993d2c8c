"""How a file of the user's writes a name of NumPy, TensorFlow or Keras, and the import that it lacks. Pure."""

from __future__ import annotations

import ast
import builtins
from typing import NamedTuple

from whydied.source.edits.edit import Edit, line_before
from whydied.source.text import Source

_TENSORFLOW = ("tensorflow", "tensorflow.compat.v1", "tensorflow.compat.v2")
_KERAS = ("keras", "tensorflow.keras", "tf_keras")
_SHORT = {"numpy": "np", "tensorflow": "tf"}


class Named(NamedTuple):
    """`text` is the name as the file would write it, `needed` the import for it."""

    text: str
    needed: list[Edit]


def library_name(source: Source, file: str, dotted: str) -> Named:
    """`np.transpose` for `numpy.transpose`; of Keras the one that the file uses (`tf.keras.utils.to_categorical`)."""
    bound = bound_names(source.tree)
    library, _, rest = dotted.partition(".")
    homes = _KERAS if library == "keras" else _TENSORFLOW if library == "tensorflow" else (library,)
    for name, module in bound.items():
        for home in homes:
            if module == f"{home}.{rest}":
                return Named(name, [])
            if module == home:
                return Named(f"{name}.{rest}", [])
    for name, module in bound.items():
        if library == "keras" and module in _TENSORFLOW:
            return Named(f"{name}.keras.{rest}", [])
    return _imported(source, file, library, rest, bound)


def bound_names(tree: ast.Module) -> dict[str, str]:
    """What each name stands for that the module imports."""
    found: dict[str, str] = {}
    for node in tree.body:
        if isinstance(node, ast.Import):
            for alias in node.names:
                found[alias.asname or alias.name.partition(".")[0]] = (
                    alias.name if alias.asname else alias.name.partition(".")[0]
                )
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            for alias in node.names:
                found[alias.asname or alias.name] = f"{node.module}.{alias.name}"
    return found


def _imported(source: Source, file: str, library: str, rest: str, bound: dict[str, str]) -> Named:
    """The name with an import above the others."""
    if library == "keras":
        home = next((one for one in _KERAS for module in bound.values() if module.startswith(f"{one}.")), "keras")
        package, _, name = f"{home}.{rest}".rpartition(".")
        if "." in rest and (hasattr(builtins, name) or name in _used_names(source.tree)):
            above, _, package = package.rpartition(".")
            return Named(f"{package}.{name}", [_line(source, file, f"from {above} import {package}")])
        return Named(name, [_line(source, file, f"from {package} import {name}")])
    short = _SHORT.get(library, library)
    text = f"import {library} as {short}" if short != library else f"import {library}"
    return Named(f"{short}.{rest}", [_line(source, file, text)])


def _used_names(tree: ast.Module) -> set[str]:
    """The names that a file gives a meaning of its own."""
    defined = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    return {
        node.name if isinstance(node, defined) else node.id if isinstance(node, ast.Name) else ""
        for node in ast.walk(tree)
    }


def _line(source: Source, file: str, text: str) -> Edit:
    body = [node for node in source.tree.body if getattr(node, "module", "") != "__future__"]
    body = body[1:] if body and isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant) else body
    imports = [node for node in body if isinstance(node, ast.Import | ast.ImportFrom)]
    above = [node.lineno for node in imports or body]
    return line_before(source, file, above[0] if above else 1, text)
