"""Edits that keep a large array in a file without a name, which the system reads and writes as it is used: a table that
is filled by and by, and the outputs of a prediction. Pure. The numbers are the same."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import NamedTuple

from whydied.source.calls import callee, passed_argument
from whydied.source.edits.call_edits import add_argument
from whydied.source.edits.edit import Edit, line_after, over, written_in
from whydied.source.edits.import_edits import imported, name_of
from whydied.source.edits.statement_edits import stands_alone, statement_at
from whydied.source.text import Source
from whydied.source.trees import walk, written

_FILLED = {"zeros": None, "empty": None, "ones": "1"}
_COUNTERS = ("start", "first", "begin")
_BATCHES = ("batch", "part", "piece")
_FILES = ("outputs", "written", "file_of_outputs")


def mapped_table(source: Source, file: str, line: int) -> list[Edit]:
    """The only array of zeros or ones, or an empty one, that a statement assigns to a name."""
    numpy = name_of(source, "numpy")
    node = statement_at(source, line)
    call = node.value if isinstance(node, ast.Assign) else None
    if numpy is None or not isinstance(call, ast.Call) or not isinstance(node, ast.Assign) or len(node.targets) != 1:
        return []
    if callee(call) not in _FILLED or written(call.func) != f"{numpy}.{callee(call)}" or not call.args:
        return []
    if not stands_alone(source, node) or any(word.arg != "dtype" for word in call.keywords) or len(call.args) > 2:
        return []
    shape, dtype = written_in(source, call.args[0]), passed_argument(call, "dtype") or passed_argument(call, "1")
    kind = written_in(source, dtype) if dtype is not None else '"float64"'
    edits = [*imported(source, file, "tempfile"), over(source, file, call, _mapped(numpy, kind, shape))]
    value = _FILLED[callee(call)]
    return [*edits, line_after(source, file, line, f"{written(node.targets[0])}[:] = {value}")] if value else edits


def mapped_load(source: Source, file: str, line: int) -> list[Edit]:
    """`numpy.load` of one array, mapped: what is not used is not read. An archive of several cannot be."""
    numpy = name_of(source, "numpy")
    node = statement_at(source, line)
    calls = [one for one in walk(node, ast.Call) if written(one.func) == f"{numpy}.load"] if node is not None else []
    if numpy is None or len(calls) != 1 or any(word.arg == "mmap_mode" for word in calls[0].keywords):
        return []
    texts = [one.value for one in walk(calls[0], ast.Constant) if isinstance(one.value, str)]
    if any(text.endswith(".npz") for text in texts) or len(calls[0].args) != 1:
        return []
    # Copied where it is written to, so that the file stays as it is.
    return [add_argument(source, file, calls[0], 'mmap_mode="c"')]


def mapped_prediction(source: Source, file: str, line: int, dtype: str, tail: Sequence[int], rows: int) -> list[Edit]:
    """`y = model.predict(x)` of an array, written batch by batch to a mapped one with that shape of a row."""
    found = _prediction(source, line)
    counter = _free_name(source, _COUNTERS)
    if found is None or counter is None:
        return []
    x, y = written(found.data), written(found.target)
    indent = " " * found.node.col_offset
    cut = f"[{counter} : {counter} + {rows}]"
    shape = f"(len({x}), {', '.join(map(str, tail))})" if tail else f"(len({x}),)"
    text = (
        f"{y} = {_mapped(found.numpy, f'{chr(34)}{dtype}{chr(34)}', shape)}\n"
        f"{indent}for {counter} in range(0, len({x}), {rows}):\n"
        f"{indent}    {y}{cut} = {found.model}.predict_on_batch({x}{cut})"
    )
    return [*imported(source, file, "tempfile"), over(source, file, found.node, text)]


def mapped_batches(
    source: Source, file: str, line: int, dtype: str, tail: Sequence[int], *, indexed: bool, in_tuple: bool
) -> list[Edit]:
    """The same of a data set, whose rows nobody has counted: each batch is written behind the last one. `indexed` says
    that a batch is had by its number, `in_tuple` that it is the first of several parts."""
    found = _prediction(source, line)
    batch, kept = _free_name(source, _BATCHES), _free_name(source, _FILES)
    if found is None or batch is None or kept is None:
        return []
    x, y = written(found.data), written(found.target)
    indent = " " * found.node.col_offset
    each = f"({x}[number] for number in range(len({x})))" if indexed else x
    part = f"{batch}[0]" if in_tuple else batch
    shape = ", ".join(map(str, [-1, *tail]))
    text = (
        f'{kept} = tempfile.TemporaryFile(dir=".")\n'
        f"{indent}for {batch} in {each}:\n"
        f"{indent}    {found.numpy}.asarray({found.model}.predict_on_batch({part})).tofile({kept})\n"
        f'{indent}{y} = {found.numpy}.memmap({kept}, dtype="{dtype}", mode="r+").reshape({shape})'
    )
    return [*imported(source, file, "tempfile"), over(source, file, found.node, text)]


class _Prediction(NamedTuple):
    node: ast.Assign
    target: ast.expr
    data: ast.expr
    model: str
    numpy: str


def _prediction(source: Source, line: int) -> _Prediction | None:
    """A statement that does nothing but give the result of `predict` a name, in a file that imports NumPy."""
    numpy = name_of(source, "numpy")
    node = statement_at(source, line)
    call = node.value if isinstance(node, ast.Assign) else None
    if numpy is None or not isinstance(node, ast.Assign) or not isinstance(call, ast.Call):
        return None
    if callee(call) != "predict" or not isinstance(call.func, ast.Attribute) or not stands_alone(source, node):
        return None
    data = passed_argument(call, "x") or passed_argument(call, "0")
    target = node.targets[0] if len(node.targets) == 1 else None
    if not isinstance(data, ast.Name | ast.Attribute) or not isinstance(target, ast.Name | ast.Attribute):
        return None
    return _Prediction(node, target, data, written_in(source, call.func.value), numpy)


def _free_name(source: Source, names: Sequence[str]) -> str | None:
    known = {one.id for one in walk(source.tree, ast.Name)}
    return next((name for name in names if name not in known), None)


def _mapped(numpy: str, dtype: str, shape: str) -> str:
    return f'{numpy}.memmap(tempfile.TemporaryFile(dir="."), dtype={dtype}, mode="w+", shape={shape})'
