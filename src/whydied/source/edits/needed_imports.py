"""The imports that a change of a file needs and the file does not have. Pure.

Advice is written in the names of the program, and a program of several files has them in some only. A cell of a
notebook sees the names of the others, and a file with `from … import *` may have any: nothing is added there.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from whydied.source.bindings import cell_number
from whydied.source.edits.edit import Edit, edited
from whydied.source.edits.import_edits import add_import
from whydied.source.text import Source, parsed
from whydied.source.trees import walk

_USUAL = {"np": "import numpy as np", "tf": "import tensorflow as tf", "pd": "import pandas as pd"}


class NeededImport(NamedTuple):
    file: str
    text: str
    edit: Edit


def needed_imports(sources: Mapping[str, Source], edits: Sequence[Edit]) -> list[NeededImport]:
    found = []
    for file in dict.fromkeys(edit.file for edit in edits):
        source = sources.get(file)
        if source is None or cell_number(file) is not None:
            continue
        for text in _missing(sources, source, [edit for edit in edits if edit.file == file]):
            edit = add_import(source, file, text)
            if edit is not None:
                found.append(NeededImport(file, text, edit))
    return found


def _missing(sources: Mapping[str, Source], source: Source, edits: list[Edit]) -> list[str]:
    result = edited(source, edits)
    if result is None:
        return []
    try:
        tree = parsed(result)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    bound = _bound(tree)
    if "*" in bound:
        return []
    before = {node.id for node in walk(source.tree, ast.Name)}
    used = dict.fromkeys(node.id for node in walk(tree, ast.Name) if isinstance(node.ctx, ast.Load))
    return [text for name in used if name not in bound | before and (text := _import_of(sources, name))]


def _bound(tree: ast.AST) -> set[str]:
    found = set(dir(builtins))
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            found |= {(alias.asname or alias.name).partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found.add(node.name)
        elif isinstance(node, ast.arg):
            found.add(node.arg)
        elif isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            found.add(node.id)
        elif isinstance(node, ast.ExceptHandler) and node.name:
            found.add(node.name)
    return found


def _import_of(sources: Mapping[str, Source], name: str) -> str:
    """The import that the other files of the program have for a name, where they agree."""
    texts = {
        ast.unparse(type(node)(**{**dict(ast.iter_fields(node)), "names": [alias]}))
        for source in sources.values()
        for node in ast.walk(source.tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in node.names
        if (alias.asname or alias.name) == name and not getattr(node, "level", 0)
    }
    return texts.pop() if len(texts) == 1 else _USUAL.get(name, "") if not texts else ""
