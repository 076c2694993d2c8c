"""The layer on the way to another that took the axes which that one needs. Pure.

A layer that flattens or pools for good is meant to stand once, at the end. Where it stands in the loop that makes the
layers, each round but the first gets what the one before it flattened.
"""

from __future__ import annotations

import ast

import msgspec

from whydied.diagnose.case import line_words
from whydied.diagnose.errors.advice import Advice, Way, either, nothing, source_at
from whydied.diagnose.errors.framework_error import FrameworkError, Shape, axes_words, layer_words
from whydied.diagnose.errors.layer_changes import accepts
from whydied.records import LayerFacts
from whydied.source.edits.edit import Edit, end_of, written_in
from whydied.source.text import Source
from whydied.source.trees import around

_ENDS = ("Flatten", *(f"Global{kind}Pooling{rank}D" for kind in ("Average", "Max") for rank in (1, 2, 3)))


def lost_axes(error: FrameworkError, given: Shape) -> Advice:
    """The layer that took the axes, where the layer at work would accept what went into it."""
    taker = _taker(error, given)
    layer, wanted = error.facts.layer, error.facts.wanted
    if taker is None or layer is None or wanted is None or taker.made is None or layer.made is None:
        return nothing()
    before = taker.input_shape or []
    if not accepts(wanted, before):
        return nothing()
    takes = f"{layer_words(taker)} leaves {axes_words(len(taker.output_shape or []))} of {len(before)}"
    source = source_at(error.sources, taker.made)
    loop = _loop(source, taker.made.line, layer.made.line) if source is not None else None
    if loop is None or source is None:
        return nothing()
    where = line_words(msgspec.structs.replace(taker.made, line=loop.lineno))
    words = (
        f"{takes}, and stands in the loop of {where}: the next round gets what it gave. Move it, and what follows it, "
        "behind the loop"
    )
    return either("layer", [Way(words, _behind(source, taker.made.file, loop, taker.made.line), taker.made)])


def _taker(error: FrameworkError, given: Shape) -> LayerFacts | None:
    """The last layer on the way that flattened or pooled, behind which no layer has more axes."""
    for layer in reversed(error.facts.layers):
        if layer.type in _ENDS and len(layer.input_shape or []) > len(layer.output_shape or []) == len(given):
            return layer
        if len(layer.output_shape or []) != len(given):
            return None
    return None


def _loop(source: Source, line: int, other: int) -> ast.For | None:
    """The innermost loop that both lines stand in."""
    loops = [one for one in around(source.tree, line, ast.For) if one.lineno < other <= (one.end_lineno or 0)]
    return loops[-1] if loops else None


def _behind(source: Source, file: str, loop: ast.For, line: int) -> list[Edit] | None:
    """The statements from a line on to the end of a loop, written behind it."""
    at = next((n for n, one in enumerate(loop.body) if one.lineno <= line <= (one.end_lineno or one.lineno)), None)
    moved = [written_in(source, one) for one in loop.body[at:]] if at else []
    if not at or loop.orelse or any("\n" in one for one in moved):
        return None
    start = (loop.body[at].lineno, loop.col_offset)
    return [Edit(file, start, end_of(source, loop.body[-1]), f"\n{' ' * loop.col_offset}".join(moved))]
