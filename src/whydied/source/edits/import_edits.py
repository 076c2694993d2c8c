"""What a file imports and by which names, and the line that imports one thing more. Pure."""

from __future__ import annotations

import ast

from whydied.source.edits.edit import Edit, line_after, line_before
from whydied.source.text import Source
from whydied.source.trees import walk, within


def add_import(source: Source, file: str, text: str) -> Edit | None:
    """One more import, below the last one at the head of the file; below its docstring where it has none."""
    body = source.tree.body
    if not body:
        return None
    head = 1 if isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant) else 0
    last = None
    for node in body[head:]:
        if not isinstance(node, ast.Import | ast.ImportFrom):
            break
        last = node
    if last is not None:
        return line_after(source, file, last.lineno, text)
    return _above(source, file, body[head], text) if head < len(body) else None


def module_names(source: Source) -> set[str]:
    """The names that a file's own functions can use: imported, defined or assigned at its level."""
    found: set[str] = set()
    for node in source.tree.body:
        if isinstance(node, ast.Import | ast.ImportFrom):
            found |= {(alias.asname or alias.name).partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found.add(node.name)
        elif isinstance(node, ast.Assign):
            found |= {one.id for target in node.targets for one in walk(target, ast.Name)}
    return found


def name_of(source: Source, module: str) -> str | None:
    """`tf` where a file has `import tensorflow.compat.v1 as tf` or `import tensorflow as tf`, asked for `tensorflow`;
    `tf.keras` where it has only TensorFlow and is asked for `keras`. None where it has neither."""
    for node in walk(source.tree, ast.Import):
        for alias in node.names:
            if alias.name.split(".")[0] == module and (alias.asname or alias.name == module):
                return alias.asname or alias.name
    for found in walk(source.tree, ast.ImportFrom):
        for alias in found.names:
            if f"{found.module}.{alias.name}" in (f"tensorflow.{module}", f"{module}.compat.v1"):
                return alias.asname or alias.name
    tensorflow = name_of(source, "tensorflow") if module == "keras" else None
    return f"{tensorflow}.keras" if tensorflow else None


def imported(source: Source, file: str, module: str) -> list[Edit]:
    """The edit that imports a module of the standard library, above the file's first import; none where it is there. A
    file or a cell without imports gets it at its head."""
    imports = [node for node in within(source.tree) if isinstance(node, ast.Import)]
    if any(alias.name == module and not alias.asname for node in imports for alias in node.names):
        return []
    first = next((node for node in source.tree.body if _is_import(node)), None)
    if first is not None:
        return [line_before(source, file, first.lineno, f"import {module}")]
    added = add_import(source, file, f"import {module}")
    return [added] if added is not None else []


def _above(source: Source, file: str, node: ast.stmt, text: str) -> Edit:
    """A statement above another and its decorators."""
    first = min([node.lineno, *(one.lineno for one in getattr(node, "decorator_list", []))])
    return Edit(file, (first, 0), (first, 0), f"{text}\n")


def _is_import(node: ast.stmt) -> bool:
    """`from __future__` must stay the first."""
    return isinstance(node, ast.Import) or (isinstance(node, ast.ImportFrom) and node.module != "__future__")
