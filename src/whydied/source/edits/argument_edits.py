"""Edits that take arguments of a call out, or put all of them in another order. Pure."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from whydied.source.edits.edit import Edit, Point, end_of, over, start_of, written_in
from whydied.source.text import Source


def drop_argument(source: Source, file: str, call: ast.Call, part: ast.expr | ast.keyword) -> Edit:
    """An argument with the comma that belongs to it."""
    parts: list[ast.expr | ast.keyword] = sorted([*call.args, *call.keywords], key=lambda one: start_of(source, one))
    at = parts.index(part)
    if at > 0:
        return Edit(file, end_of(source, parts[at - 1]), end_of(source, part), "")
    following = start_of(source, parts[1]) if parts[1:] else _close(source, call)
    return Edit(file, start_of(source, part), following, "")


def drop_keyword(source: Source, file: str, call: ast.Call, word: str) -> Edit | None:
    found = next((one for one in call.keywords if one.arg == word), None)
    return drop_argument(source, file, call, found) if found is not None else None


def reorder(source: Source, file: str, call: ast.Call, order: Sequence[str]) -> list[Edit] | None:
    """The positional arguments in another order, each as it is written; None where they are not these."""
    texts = {ast.unparse(one): written_in(source, one) for one in call.args}
    if len(order) != len(call.args) or set(order) != set(texts):
        return None
    return [over(source, file, one, texts[text]) for one, text in zip(call.args, order, strict=True)]


def _close(source: Source, call: ast.Call) -> Point:
    line, column = end_of(source, call)
    return line, column - 1
