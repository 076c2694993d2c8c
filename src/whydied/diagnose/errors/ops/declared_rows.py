"""An Input that was declared with the shape of a whole array, its rows included, seen as the array is passed. Pure.

The shape is followed to where it is written: through parameters, to `build(x.shape)`. What is declared instead is the
shape of a row; where the layers behind the Input want an axis more (Conv1D, LSTM), the data get it, too. Each was tried
on the layers and the targets.
"""

from __future__ import annotations

import ast
from typing import NamedTuple

from whydied.diagnose.case import Case
from whydied.diagnose.errors import error_edits
from whydied.diagnose.errors.advice import Advice, Way, advised
from whydied.diagnose.errors.framework_error import FrameworkError, Shape, layer_words, shape_words
from whydied.diagnose.errors.layer_changes import plan_passes
from whydied.diagnose.errors.model_ends import declared, input_layer
from whydied.records import Frame, LayerFacts, Party
from whydied.source.calls import callee
from whydied.source.edits.edit import Edit, over, written_in
from whydied.source.origins.trails import Trails, expression
from whydied.source.text import Source
from whydied.source.trees import enclosing


class DeclaredRows(NamedTuple):
    """`text` is the shape that was declared, and `frame` the line that writes it."""

    text: str
    frame: Frame
    entrance: LayerFacts
    advice: Advice


def declared_rows(case: Case, error: FrameworkError, party: Party) -> DeclaredRows | None:
    entrance, wanted, whole = input_layer(error), error.facts.wanted, party.shape
    asked = wanted.shape if wanted is not None else None
    if not error.facts.call or entrance is None or not whole or asked is None or [*asked[1:]] != whole:
        return None
    rows = [one.shape for one in error.of_role("y") if one.shape]
    if not rows or any(one[:1] != whole[:1] for one in rows) or whole[0] in (None, 1):
        return None
    found = _written(case, entrance)
    one_row: Shape = [None, *whole[1:]]
    inner = next((shape for shape in (one_row, [*one_row, 1]) if plan_passes(error, entrance.name, shape)), None)
    if found is None or inner is None:
        return None
    frame, source, node = found
    added = len(inner) > len(one_row)
    text, now = written_in(source, node), _without_rows(source, node, added)
    data = error_edits.passed(error, party, "{x}[..., None]") if added else []
    declares: list[Edit] | None = None
    if now and data is not None:
        declares = [over(source, frame.file, node, now), *data]
    words = f"`{text}` has the {whole[0]} rows of `{party.text}` in it, which an input shape must not have: declare "
    words += f"`{now or shape_words(inner[1:])}`"
    if added:
        words += f", and pass `{party.text}[..., None]`{error_edits.beside(error, party)}, as "
        words += f"{layer_words(_taker(error))} takes an axis more"
    title = f"Declare `{now}`" + (f", and pass `{party.text}[..., None]`" if added else "")
    return DeclaredRows(text, frame, entrance, advised(f"{words}.", "input-shape", Way(title, declares, frame)))


def _taker(error: FrameworkError) -> LayerFacts:
    return next(one for one in error.facts.layers if one.type != "InputLayer")


def _written(case: Case, entrance: LayerFacts) -> tuple[Frame, Source, ast.expr] | None:
    """The expression of the declared shape: where it is a name, the one that the name stands for."""
    written = declared(case, entrance)
    if written is None or written.frame.file not in case.project:
        return None
    file, line = written.frame.file, written.frame.line
    node = expression(case.project, file, line, written.text)
    if isinstance(node, ast.Name):
        steps = Trails(case.project, []).trail(file, line, node)
        named = [one for one in steps if not isinstance(one.value, ast.Name)]
        if not named or named[0].place or named[0].in_loop:
            return None
        file, line, node = named[0].file, named[0].line, named[0].value
    if node is None:
        return None
    source = case.project[file]
    first, last = source.span(line)
    frame = Frame(
        file=file, line=first, end_line=last, function=enclosing(source.tree, line), user=True,
        source=source.text(first, last).strip()[:300],
    )  # fmt: skip
    return frame, source, node


def _without_rows(source: Source, node: ast.expr, added: bool) -> str:
    """The expression of a shape without its first size, and with an axis of size 1 behind the others."""
    if isinstance(node, ast.Tuple | ast.List):
        sizes = [written_in(source, one) for one in node.elts[1:]]
        return f"({', '.join([*sizes, *(['1'] if added else [])])}{',' if len(sizes) + added == 1 else ''})"
    is_shape = isinstance(node, ast.Attribute) and node.attr == "shape"
    if is_shape or (isinstance(node, ast.Call) and callee(node) == "shape"):
        return f"(*{written_in(source, node)}[1:], 1)" if added else f"{written_in(source, node)}[1:]"
    return ""
