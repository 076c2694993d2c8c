"""A tape that opens below the statements that call the model: they, and all up to the tape, put into its block. Pure.

The tape only sees what is computed while it is open; what was computed above is a constant to it.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping

from whydied.source.assignments import targets
from whydied.source.calls import method_calls, passed_argument
from whydied.source.edits.edit import Edit, line_before
from whydied.source.edits.statement_edits import stands_alone
from whydied.source.edits.tapes.early_losses import EarlyLoss
from whydied.source.location import Location
from whydied.source.text import Source
from whydied.source.training.trained_names import known, opens, trained, uses
from whydied.source.trees import located, scope_at, walk, within, written

_FILLING = ("append", "insert", "extend")
_OF_PYTHON = frozenset({"sum", "list", "tuple", "zip", "enumerate", "range", "len"})
_NUMPY = frozenset({"np", "numpy"})
_LONGEST = 80


def late_tape(sources: Mapping[str, Source], place: Location) -> EarlyLoss | None:
    """None where the block of the tape calls the model itself, or where something between cannot be moved."""
    source = sources.get(place.file)
    if source is None:
        return None
    scope = scope_at(source.tree, place.line)
    asked = [(one, call) for one, call in method_calls(within(scope), ("gradient", "jacobian")) if call.args]
    near = [one for one in asked if one[1].lineno <= (place.end_line or place.line)]
    if not near:
        return None
    tape, _ = max(near, key=lambda one: one[1].lineno)
    for body in (part for node in [scope, *within(scope)] if isinstance(part := getattr(node, "body", None), list)):
        blocks = [one for one in body if isinstance(one, ast.With) and _within_it(one, written(tape))]
        if len(blocks) == 1:
            return _moved(sources, place, source, body, blocks[0], [(written(one), call) for one, call in near])
    return None


def _within_it(block: ast.With, tape: str) -> bool:
    """Whether a block opens a tape, or holds nothing but a block that does."""
    inner = block.body[0]
    return opens(block, tape) or (len(block.body) == 1 and isinstance(inner, ast.With) and _within_it(inner, tape))


def _inside(block: ast.With) -> list[ast.stmt]:
    inner = block.body[0]
    return _inside(inner) if len(block.body) == 1 and isinstance(inner, ast.With) else block.body


def _moved(
    sources: Mapping[str, Source],
    place: Location,
    source: Source,
    body: list[ast.stmt],
    block: ast.With,
    asked: list[tuple[str, ast.Call]],
) -> EarlyLoss | None:
    scope = scope_at(source.tree, place.line)
    by = [
        passed_argument(call, "1") or passed_argument(call, "sources") for one, call in asked if _within_it(block, one)
    ]
    roots = {name for one in by if one is not None for name in trained(source, scope, one)}
    file = known(source.tree)
    inside = _inside(block)
    if not roots or any(uses(one, roots, file) for one in inside):
        return None
    above = body[: body.index(block)]
    calling = [one for one in above if uses(one, roots, file)]
    running = [one for one in _computing(above, inside, calling) if one in calling]
    if not running:
        return None
    first, last = running[0], running[-1]
    between = above[above.index(first) :]
    edits = _edits(source, place.file, between, block, inside)
    if isinstance(first, ast.For | ast.While):
        called = next(one for one in walk(first, ast.stmt) if not hasattr(one, "body") and uses(one, roots, file))
        names = _names(inside)
        name = next((written(one) for one, _ in method_calls(ast.walk(first), _FILLING) if written(one) in names), "")
        name = name or min(_stored(first) & names, default="the loss")
        return EarlyLoss(
            located(sources, place.file, block.lineno),
            name,
            called.lineno,
            f"the tape opens after line {called.lineno}, which computes what `{name}` holds from the variables",
            "it to be open while the model is called",
            f"Open the tape above the loop on line {first.lineno}, around all up to the loss.",
            f"Open the tape above the loop on line {first.lineno}",
            edits,
        )
    text = next((written(one) for one in walk(first, ast.Call) if uses(one, roots, file)), written(first))
    shown = text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
    lines = f"line {first.lineno}" if first is last else f"lines {first.lineno} to {last.end_lineno}"
    return EarlyLoss(
        located(sources, place.file, first.lineno),
        text,
        first.lineno,
        f"`{shown}` runs before the tape opens (line {block.lineno}), which only sees what runs in its block",
        "it inside the block",
        f"Put {lines} into the block: open the tape above line {first.lineno}.",
        f"Open the tape above line {first.lineno}",
        edits,
    )


def _computing(above: list[ast.stmt], inside: list[ast.stmt], calling: list[ast.stmt]) -> list[ast.stmt]:
    """The statements above a block that compute what it reads, in their order."""
    wanted, found = _names(inside), []
    for one in reversed(above):
        if _stored(one) & wanted:
            found.append(one)
            wanted |= _names([one]) if one in calling or _keeps_gradients(one) else set()
    return found[::-1]


def _keeps_gradients(statement: ast.stmt) -> bool:
    """Whether a statement calls nothing that may leave TensorFlow: NumPy, or functions that are not known."""
    called = [written(one.func) for one in walk(statement, ast.Call)]
    return all(one in _OF_PYTHON or ("." in one and one.partition(".")[0] not in _NUMPY) for one in called)


def _names(statements: list[ast.stmt]) -> set[str]:
    return {written(part) for one in statements for part in walk(one, (ast.Name, ast.Attribute))}


def _stored(statement: ast.stmt) -> set[str]:
    """The names that a statement gives a value to, and the lists that it fills."""
    stored = [part for one in walk(statement, ast.stmt) for target in targets(one) for part in walk(target, ast.expr)]
    found = {written(one) for one in stored if isinstance(getattr(one, "ctx", None), ast.Store)}
    return found | {written(owner) for owner, _ in method_calls(ast.walk(statement), _FILLING)}


def _edits(source: Source, file: str, between: list[ast.stmt], block: ast.With, inside: list[ast.stmt]) -> list[Edit]:
    """The statements further to the right, and the header of the block above them."""
    start, end = block.lineno, inside[0].lineno
    header = [one.partition("  #")[0].rstrip() for one in source.lines[start - 1 : end - 1]]
    if not header or not header[-1].endswith(":") or not all(stands_alone(source, one) for one in between):
        return []
    deeper = " " * (inside[0].col_offset - block.col_offset)
    first, last = between[0].lineno, between[-1].end_lineno or between[-1].lineno
    above = line_before(source, file, first, "\n".join([header[0].lstrip(), *header[1:]]))
    edits = [
        Edit(file, (number, 0), (number, 0), above.text + deeper if number == first else deeper)
        for number in range(first, last + 1)
        if source.lines[number - 1].strip()
    ]
    return [*edits, Edit(file, (start, 0), (end, 0), "")]
