"""Edits of `tf.data` pipelines: elements that cannot be made are left out (`ignore_errors`). Pure."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from whydied.source.calls import callee, passed_argument
from whydied.source.edits.call_edits import set_argument
from whydied.source.edits.edit import Edit, end_of, written_in
from whydied.source.text import Source
from whydied.source.trees import across, function_at, holds, last_name, tree_of

_STAGES = frozenset({"map", "interleave", "flat_map"})
_FOLDERS = frozenset({"image_dataset_from_directory"})
_ONLY_OF_FOLDERS = frozenset({"class_names", "file_paths"})
_BATCH = "32"
"""Keras's own size of a batch."""


def ignored_where_mapped(sources: Mapping[str, Source], file: str, line: int) -> list[Edit]:
    """Behind each stage that maps the function around a line, or a lambda on it."""
    function = function_at(tree_of(sources, file), line)
    return [
        _behind(sources[other], other, call, ".ignore_errors()")
        for other, call in across(sources, ast.Call)
        if callee(call) in _STAGES and isinstance(call.func, ast.Attribute) and call.args
        if (function is not None and last_name(call.args[0]) == function.name)
        or (other == file and isinstance(call.args[0], ast.Lambda) and holds(call.args[0], line))
    ]


def ignored_in_folder(sources: Mapping[str, Source]) -> list[Edit]:
    """Behind the only data set of a folder, element by element: it is batched after that. Nothing where the program
    reads what only Keras's own data set has."""
    calls = [(file, call) for file, call in across(sources, ast.Call) if callee(call) in _FOLDERS]
    read = any(node.attr in _ONLY_OF_FOLDERS for _, node in across(sources, ast.Attribute))
    if len(calls) != 1 or read:
        return []
    file, call = calls[0]
    size = passed_argument(call, "batch_size")
    if isinstance(size, ast.Constant) and size.value is None:
        return [_behind(sources[file], file, call, ".ignore_errors()")]
    rows = written_in(sources[file], size) if size is not None else _BATCH
    single = set_argument(sources[file], file, call, "batch_size", None, "None")
    return [single, _behind(sources[file], file, call, f".ignore_errors().batch({rows})")] if single is not None else []


def _behind(source: Source, file: str, call: ast.Call, text: str) -> Edit:
    end = end_of(source, call)
    return Edit(file, end, end, text)
