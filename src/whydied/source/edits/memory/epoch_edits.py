"""Edits of what is gathered over an epoch and never emptied: it is emptied once the epoch has read it. Pure."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from itertools import pairwise

from whydied.source.edits.edit import Edit, line_before
from whydied.source.edits.programs.definition_edits import last_statement
from whydied.source.holder_fills import HolderFill, HolderName
from whydied.source.statements import loops_in
from whydied.source.text import Source
from whydied.source.trees import Function, around, function_at, holds, walk

_ENDS = "on_epoch_end"


def emptied(sources: Mapping[str, Source], fill: HolderFill, name: str) -> list[Edit]:
    """`items.clear()` below what reads the items of an inner loop in each turn of the outer one, or at the end of the
    callback of an epoch that reads what the callback of a batch gathered."""
    source, holder = sources.get(fill.file), HolderName.of(name)
    if source is None or holder is None:
        return []
    return _in_loops(source, fill, name, holder) or _in_callback(source, fill, name, holder)


def _in_loops(source: Source, fill: HolderFill, name: str, holder: HolderName) -> list[Edit]:
    function = function_at(source.tree, fill.line)
    loops = [
        loop
        for loop in loops_in(source.tree)
        if holds(loop, fill.line) and loop.lineno < fill.line and function_at(source.tree, loop.lineno) is function
    ]
    loops.sort(key=lambda loop: loop.lineno)
    for outer, inner in pairwise(loops):
        if inner not in outer.body:
            continue
        after = outer.body[outer.body.index(inner) + 1 :]
        reading = [one for one in after if _reads(one, holder)]
        if not reading or any(_makes(one, holder) for one in outer.body):
            continue
        last = after.index(reading[-1])
        if last + 1 < len(after):
            return [line_before(source, fill.file, after[last + 1].lineno, f"{name}.clear()")]
        end = (reading[-1].end_lineno or 0, len(source.lines[(reading[-1].end_lineno or 1) - 1]))
        return [Edit(fill.file, end, end, f"\n{' ' * reading[-1].col_offset}{name}.clear()")]
    return []


def _in_callback(source: Source, fill: HolderFill, name: str, holder: HolderName) -> list[Edit]:
    for owner in around(source.tree, fill.line, ast.ClassDef):
        for method in owner.body:
            if not isinstance(method, Function) or method.name != _ENDS or holds(method, fill.line):
                continue
            leaves = bool(walk(method, ast.Return))
            edit = last_statement(source, fill.file, method, f"{name}.clear()") if _reads(method, holder) else None
            return [edit] if edit is not None and not leaves else []
    return []


def _reads(node: ast.AST, holder: HolderName) -> bool:
    return any(holder.is_written(one) for one in ast.walk(node) if isinstance(one, ast.Name | ast.Attribute))


def _makes(node: ast.AST, holder: HolderName) -> bool:
    stored = [one for one in ast.walk(node) if isinstance(one, ast.Name | ast.Attribute) and holder.is_written(one)]
    return any(isinstance(one.ctx, ast.Store) for one in stored)
