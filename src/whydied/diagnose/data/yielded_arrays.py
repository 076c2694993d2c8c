"""An array that a generator yields where several parts are expected: TensorFlow takes it for one part. Pure.

The array is known by how NumPy prints it, which TensorFlow quotes: numbers without commas between them.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping

from whydied.diagnose.errors.advice import Advice, Way, advised
from whydied.source.edits.edit import over, written_in
from whydied.source.generators import Generator
from whydied.source.text import Source
from whydied.source.trees import nodes_on


def printed_rows(text: str) -> int | None:
    """How many items the first axis of a printed array has; None where it is no array, or is not printed in full."""
    text = text.strip()
    if not (text.startswith("[") and text.endswith("]")) or "," in text or "..." in text:
        return None
    depth, rows = 0, 0
    for at, sign in enumerate(text):
        depth += (sign == "[") - (sign == "]")
        rows += sign == "[" and depth == 2
        if depth == 0 and at < len(text) - 1:
            return None
    if depth:
        return None
    return rows or len(text[1:-1].split())


def as_parts(sources: Mapping[str, Source], found: Generator | None, parts: int) -> Advice:
    """The array as a tuple of its rows, at the `yield` where that is known."""
    source = sources.get(found.file) if found is not None else None
    nodes = nodes_on(source, found.line) if source is not None and found is not None else []
    values = [node.value for node in nodes if isinstance(node, ast.Yield) and node.value is not None]
    if source is None or found is None or len(values) != 1:
        return Advice([f"Yield a tuple of the {parts} parts: `yield tuple(element)`."], [])
    right = f"tuple({written_in(source, values[0])})"
    words = f"Write `yield {right}`: a tuple is taken apart, an array is not."
    return advised(words, "data", Way(f"Write `yield {right}`", [over(source, found.file, values[0], right)]))
