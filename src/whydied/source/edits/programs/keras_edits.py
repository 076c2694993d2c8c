"""Which Keras a file builds on, and the same file built on the other one: `keras` (which `tf.keras` is) or `tf_keras`.
Pure."""

from __future__ import annotations

import ast

from whydied.source.edits.edit import Edit, over
from whydied.source.edits.import_edits import add_import
from whydied.source.text import Source
from whydied.source.trees import dotted_name, walk

_KERAS = ("keras", "tensorflow.keras")


def keras_uses(source: Source) -> dict[str, list[ast.expr | ast.stmt]]:
    """The imports of each Keras, and the names that reach into it: `tf_keras.X`, `tf.keras.X`."""
    found: dict[str, list[ast.expr | ast.stmt]] = {"keras": [], "tf_keras": []}
    for node in walk(source.tree, (ast.Import, ast.ImportFrom, ast.Attribute, ast.Name)):
        package = _package(node)
        if package and isinstance(node, ast.expr | ast.stmt):
            found[package].append(node)
    return found


def on_other_keras(source: Source, file: str, package: str) -> list[Edit]:
    """All that a file takes from the other Keras, taken from `package`."""
    other = "keras" if package == "tf_keras" else "tf_keras"
    edits: list[Edit] = []
    needed = False
    for node in keras_uses(source)[other]:
        if isinstance(node, ast.Import | ast.ImportFrom):
            edits.append(over(source, file, node, _imported(node, package)))
        elif isinstance(node, ast.Attribute):
            edits.append(over(source, file, node, package))
            needed = True
        elif isinstance(node, ast.Name):
            edits.append(over(source, file, node, package))
    has = any(isinstance(node, ast.Import) for node in keras_uses(source)[package])
    added = add_import(source, file, f"import {package}") if needed and not has else None
    return [*edits, added] if added is not None else edits


def _package(node: ast.AST) -> str:
    if isinstance(node, ast.Import):
        names = [alias.name for alias in node.names]
        if len(names) != 1:
            return ""
        return "tf_keras" if _below(names[0], "tf_keras") else "keras" if _is_keras(names[0]) else ""
    if isinstance(node, ast.ImportFrom):
        module = node.module or ""
        if module == "tensorflow" and [alias.name for alias in node.names] == ["keras"]:
            return "keras"
        return "tf_keras" if _below(module, "tf_keras") else "keras" if _is_keras(module) else ""
    if isinstance(node, ast.Attribute):
        return "keras" if dotted_name(node) in ("tf.keras", "tensorflow.keras") else ""
    return "tf_keras" if isinstance(node, ast.Name) and node.id == "tf_keras" else ""


def _below(module: str, package: str) -> bool:
    return module == package or module.startswith(f"{package}.")


def _is_keras(module: str) -> bool:
    return any(_below(module, one) for one in _KERAS)


def _imported(node: ast.Import | ast.ImportFrom, package: str) -> str:
    """The import from the other package, with the names that the file uses."""
    if isinstance(node, ast.ImportFrom) and node.module == "tensorflow":
        name = node.names[0].asname or "keras"
        return f"import {package}" if name == package else f"import {package} as {name}"
    if isinstance(node, ast.ImportFrom):
        names = ", ".join(ast.unparse(alias) for alias in node.names)
        return f"from {_moved(node.module or '', package)} import {names}"
    alias = node.names[0]
    name = alias.asname or ("" if alias.name == "tf_keras" else alias.name.rpartition(".")[2])
    moved = _moved(alias.name, package)
    return f"import {moved} as {name}" if name and name != moved else f"import {moved}"


def _moved(module: str, package: str) -> str:
    for old in ("tensorflow.keras", "tf_keras", "keras"):
        if _below(module, old):
            return package + module[len(old) :]
    return module
