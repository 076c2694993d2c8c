"""Where a program cuts its data into batches whose last one may be smaller, and where it writes their size for
something else that goes with them. Pure: text in, nodes out."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from whydied.source.calls import callee, passed_argument
from whydied.source.edits.call_edits import set_argument
from whydied.source.edits.edit import Edit, over, written_in
from whydied.source.edits.import_edits import name_of
from whydied.source.numbers import constants
from whydied.source.text import Source
from whydied.source.training.batch_sizes import batch_size_of, rows_of
from whydied.source.trees import walk, within, written

_NOT_SIZES = ("batch", "padded_batch", "range", "arange", "shuffle", "prefetch", "fit", "print", "min", "max", "repeat")
_SPREAD = ("randn", "rand")


class Cut(NamedTuple):
    """A call that makes batches, and the edit with which it makes whole ones only."""

    file: str
    call: ast.Call
    edits: list[Edit]


def cuts(sources: Mapping[str, Source], size: int) -> Iterator[Cut]:
    """`.batch(size)` without `drop_remainder`, and loops by slices of that size."""
    for file, source in sources.items():
        known = constants(source.tree)
        for call in walk(source.tree, ast.Call):
            given = batch_size_of(call) if isinstance(call.func, ast.Attribute) else None
            if callee(call) in ("batch", "padded_batch") and given is not None:
                if rows_of(given, source.tree, known) == size and passed_argument(call, "drop_remainder") is None:
                    edit = set_argument(source, file, call, "drop_remainder", None, "True")
                    yield Cut(file, call, [edit] if edit is not None else [])
            elif callee(call) == "range" and len(call.args) == 3 and rows_of(call.args[2], source.tree, known) == size:
                step = written_in(source, call.args[2])
                if written(call.args[0]) == "0" and not _is_short(source, call):
                    end = f"{written_in(source, call.args[1])} - {step} + 1"
                    yield Cut(file, call, [over(source, file, call.args[1], end)])


def _is_short(source: Source, call: ast.Call) -> bool:
    """Whether a range ends before the last, smaller batch already."""
    return isinstance(call.args[1], ast.BinOp)


class Fixed(NamedTuple):
    """A size of a shape, or an argument, that is the batch size as the program writes it. `library` is what it is
    passed to: `tf`, `np`, or a function of the program (empty)."""

    node: ast.expr
    library: str


def fixed_sizes(source: Source, scope: ast.AST, size: int) -> list[Fixed]:
    """Those of a function, by place."""
    known = constants(source.tree)
    tensorflow, numpy = name_of(source, "tensorflow"), name_of(source, "numpy")
    found: dict[ast.expr, Fixed] = {}
    for call in within(scope):
        if not isinstance(call, ast.Call) or callee(call) in _NOT_SIZES:
            continue
        root = written(call.func).partition(".")[0]
        library = "tf" if tensorflow and root == tensorflow else "np" if numpy and root == numpy else ""
        for given in [*call.args, *(word.value for word in call.keywords if word.arg != "batch_size")]:
            part = given.elts[0] if isinstance(given, ast.Tuple | ast.List) and given.elts else given
            if isinstance(part, ast.Constant) and part is given and callee(call) not in _SPREAD:
                # A number by itself may be any other size.
                continue
            if isinstance(part, ast.Constant | ast.Name | ast.Attribute) and rows_of(part, source.tree, known) == size:
                found[part] = Fixed(part, library)
    return sorted(found.values(), key=lambda one: (one.node.lineno, one.node.col_offset))


def sized_by(source: Source, file: str, fixed: list[Fixed], name: str) -> list[Edit]:
    """The sizes as many as a value of the same function has rows."""
    tensorflow = name_of(source, "tensorflow")
    rows = f"{tensorflow}.shape({name})[0]" if tensorflow else f"len({name})"
    return [over(source, file, one.node, f"len({name})" if one.library == "np" else rows) for one in fixed]
