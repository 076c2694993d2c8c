"""A large shuffle buffer holds decoded pictures.

## What it detects
`shuffle` behind a `map` that decodes pictures (or makes tensors as large), with a buffer that takes at least 1 GiB:
the buffer's size times the size to which the pictures are resized. Where that size is not in the source, a buffer of
at least 10,000; where the buffer is as long as the list of files, pictures of at least 512 KiB each.

## Why it matters
The buffer is filled before the first batch, with pictures as float32, which are some fifty times as large as their
files.

## When it stays silent
The shuffle comes before the decoding, the buffer is small, or its size is not in the source.

## Fix
Shuffle the file names or records first, then decode: move `shuffle` in front of `map`.

## References
https://www.tensorflow.org/guide/data_performance
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from whydied import words
from whydied.lint.pipelines import chain, decoding
from whydied.lint.static_rule import Hit
from whydied.lint.unit import Unit
from whydied.source.calls import callee, passed_argument

SAME_FAULT = ("pipeline-buffer-too-large",)
LEAST_BYTES = 1 << 30
LEAST_ELEMENTS = 10_000
LARGE_PICTURE_BYTES = 512 << 10


def check(unit: Unit) -> Iterator[Hit]:
    for call in unit.calls:
        if not isinstance(call.func, ast.Attribute) or callee(call) != "shuffle":
            continue
        number = unit.number(passed_argument(call, "buffer_size") or passed_argument(call, "0"))
        whole = _is_length(unit, passed_argument(call, "buffer_size") or passed_argument(call, "0"))
        if number is None and not whole:
            continue
        steps = chain(unit, call)[:-1]
        found = [(step, made) for step in steps if (made := decoding(unit, step)) is not None]
        if not found:
            continue
        step, made = found[-1]
        behind = steps[steps.index(step) + 1 :]
        batch = next((unit.number(passed_argument(one.call, "0")) for one in behind if one.name == "batch"), 1)
        if number is None:
            if made.element_bytes is None or made.element_bytes < LARGE_PICTURE_BYTES or batch != 1:
                continue
            told = f"holds all elements decoded, {words.size(int(made.element_bytes))} each"
        elif made.element_bytes is not None and batch is not None:
            size = number * made.element_bytes * batch
            if size < LEAST_BYTES:
                continue
            told = f"of {number:,.0f} can take {words.size(int(size))} of decoded elements"
        elif number >= LEAST_ELEMENTS:
            told = f"holds {number:,.0f} decoded elements"
        else:
            continue
        line = unit.place(step.call.func.end_lineno or step.call.lineno)[1]
        yield Hit(
            call.args[0] if call.args else call,
            f"the shuffle buffer {told}",
            f"Move `shuffle` in front of the `map` in line {line}, so that it holds what is not decoded yet.",
        )


def _is_length(unit: Unit, node: ast.expr | None) -> bool:
    """`len(paths)`, by name or written out: the buffer holds the whole data set."""
    if isinstance(node, ast.Name):
        bound = unit.scopes.reaching(node)
        node = bound[0].value if len(bound) == 1 and bound[0].kind == "assign" and not bound[0].place else None
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "len"
