"""The fields of example records in the user's source: where they are written and where they are read. Pure.

A field is an entry of a dict with a text as its key. It is read where its value is a call of a class such as
`FixedLenFeature`, and written where its value is a call that makes a `tf.train.Feature`, itself or in a function of the
program's.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import NamedTuple

from whydied.source.assignments import last_assignment
from whydied.source.calls import callee
from whydied.source.location import Location
from whydied.source.text import Source
from whydied.source.trees import across, enclosing, scope_at, walk

_READING = frozenset({"FixedLenFeature", "VarLenFeature", "FixedLenSequenceFeature", "RaggedFeature", "SparseFeature"})
_LISTS = {"BytesList": "string", "FloatList": "float32", "Int64List": "int64"}


class Field(NamedTuple):
    """`dtype` is what is written, "" where that cannot be told and where it is read. `text` is the entry's value."""

    key: str
    location: Location
    dtype: str
    text: str


def fields_read(sources: Mapping[str, Source], key: str) -> list[Field]:
    return [field for field, call in _entries(sources) if callee(call) in _READING and field.key == key]


def fields_written(sources: Mapping[str, Source]) -> list[Field]:
    """In the order of the source, with their types."""
    makers = {node.name: dtype for _, node in across(sources, ast.FunctionDef) if (dtype := _type_made(node))}
    written = []
    for field, call in _entries(sources):
        dtype = _type_made(call) or makers.get(callee(call), "")
        if callee(call) not in _READING and (dtype or callee(call) == "Feature"):
            written.append(field._replace(dtype=dtype))
    return written


def _entries(sources: Mapping[str, Source]) -> list[tuple[Field, ast.Call]]:
    found = []
    for file, node in across(sources, ast.Dict):
        for key, value in zip(node.keys, node.values, strict=True):
            if not isinstance(key, ast.Constant) or not isinstance(key.value, str):
                continue
            if isinstance(value, ast.Name):
                tree = sources[file].tree
                made = last_assignment(value.id, scope_at(tree, key.lineno), key.lineno)
                value = made.value if isinstance(made, ast.Assign) else value
            if isinstance(value, ast.Call):
                # The entry, not the whole dict that it stands in.
                function, last = enclosing(sources[file].tree, key.lineno), max(value.end_lineno or 0, key.lineno)
                place = Location(
                    file=file, line=key.lineno, end_line=last, function=function, source=ast.unparse(value)
                )
                found.append((Field(key.value, place, "", ast.unparse(value)), value))
    return found


def _type_made(part: ast.AST) -> str:
    """The type of the only list of values that a part of the source makes."""
    made = {_LISTS[name] for call in walk(part, ast.Call) if (name := callee(call)) in _LISTS}
    return made.pop() if len(made) == 1 else ""
