"""A tape that opens below a loop which calls the model and keeps what it gives in lists: the loop, and all up to the
tape, put into its block. Pure.

The tape only sees what is computed while it is open; what the lists hold are constants to it.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping

from whydied.source.calls import method_calls, passed_argument
from whydied.source.edits.edit import Edit, line_before
from whydied.source.edits.programs.early_losses import EarlyLoss
from whydied.source.edits.statement_edits import stands_alone
from whydied.source.location import Location
from whydied.source.text import Source
from whydied.source.training.trained_names import opens, trained, uses
from whydied.source.trees import located, scope_at, walk, within, written

_BLOCK = "    "
_FILLING = ("append", "insert", "extend")


def late_tape(sources: Mapping[str, Source], place: Location) -> EarlyLoss | None:
    """None where the block of the tape calls the model itself, or where something between cannot be moved."""
    source = sources.get(place.file)
    if source is None:
        return None
    scope = scope_at(source.tree, place.line)
    asked = [(one, call) for one, call in method_calls(within(scope), ("gradient",)) if call.args]
    near = [one for one in asked if one[1].lineno <= (place.end_line or place.line)]
    if not near:
        return None
    tape, call = max(near, key=lambda one: one[1].lineno)
    by = passed_argument(call, "1") or passed_argument(call, "sources")
    roots = trained(source, scope, by) if by is not None else set()
    for body in (part for node in [scope, *within(scope)] if isinstance(part := getattr(node, "body", None), list)):
        blocks = [one for one in body if isinstance(one, ast.With) and opens(one, written(tape))]
        if len(blocks) == 1 and roots and not any(uses(one, roots) for one in blocks[0].body):
            return _moved(sources, place, source, body, blocks[0], roots)
    return None


def _moved(
    sources: Mapping[str, Source],
    place: Location,
    source: Source,
    body: list[ast.stmt],
    block: ast.With,
    roots: set[str],
) -> EarlyLoss | None:
    above = body[: body.index(block)]
    read = {one.id for part in block.body for one in walk(part, ast.Name)}
    kept = [(one, name) for one in above if isinstance(one, ast.For | ast.While) for name in _kept(one, roots) & read]
    if not kept:
        return None
    loop, name = kept[0]
    between = above[above.index(loop) :]
    called = next(one for one in walk(loop, ast.stmt) if not hasattr(one, "body") and uses(one, roots))
    return EarlyLoss(
        located(sources, place.file, block.lineno),
        name,
        called.lineno,
        f"the tape opens after line {called.lineno}, which computes what `{name}` holds from the variables",
        "it to be open while the model is called",
        f"Open the tape above the loop on line {loop.lineno}, around all up to the loss.",
        f"Open the tape above the loop on line {loop.lineno}",
        _edits(source, place.file, between, block),
    )


def _kept(loop: ast.For | ast.While, roots: set[str]) -> set[str]:
    """The lists that a loop fills, where it calls what is trained."""
    if not uses(ast.Module(loop.body, []), roots):
        return set()
    return {written(owner) for owner, _ in method_calls(ast.walk(loop), _FILLING)}


def _edits(source: Source, file: str, between: list[ast.stmt], block: ast.With) -> list[Edit]:
    """The statements further to the right, and the header of the block above them."""
    header = Edit(file, (block.lineno, 0), (block.body[0].lineno, 0), "")
    text = source.lines[block.lineno - 1].partition("  #")[0].strip()
    alone = block.body[0].lineno == block.lineno + 1 and all(stands_alone(source, one) for one in between)
    if not alone or len(block.items) != 1:
        return []
    first, last = between[0].lineno, between[-1].end_lineno or between[-1].lineno
    above = line_before(source, file, first, text)
    edits = [
        Edit(file, (number, 0), (number, 0), above.text + _BLOCK if number == first else _BLOCK)
        for number in range(first, last + 1)
        if source.lines[number - 1].strip()
    ]
    return [*edits, header]
