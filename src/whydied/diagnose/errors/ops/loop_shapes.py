"""A variable of a graph's loop (`tf.while_loop`, `tf.scan`) that a round gives back with another shape. Pure."""

from __future__ import annotations

import ast

from whydied.diagnose.case import line_words
from whydied.diagnose.errors.advice import Advice, Way, either, nothing, source_at
from whydied.diagnose.errors.framework_error import FrameworkError, Shape, shape_words
from whydied.diagnose.errors.misfit import Misfit
from whydied.records import Frame, Party
from whydied.shapes.changes import changes
from whydied.source.edits.call_edits import calls_at, set_argument
from whydied.source.edits.edit import Edit
from whydied.source.edits.shapes.value_edits import written
from whydied.source.text import tree_or_empty

_LONGEST = 60
LOOP, ARRAY = "While", "TensorArrayWrite"
"""What stands for the op of such an error: a loop, or an array of tensors, as `tf.scan` and `tf.map_fn` keep them."""


def loop_words(found: Misfit) -> str:
    entered, left = _ends(found)
    name = _name(entered) or _name(left)
    what = f"`{name}`" if name else "a variable of the loop"
    at = _line(left)
    where = f" ({line_words(at)})" if at is not None else ""
    if found.error.facts.op == ARRAY:
        what = f"`{name}`" if name else "a value"
        first = shape_words(entered.shape)
        return f"{what} {shape_words(left.shape)}{where} does not have the shape of its first value, {first}"
    return (
        f"{what} enters the loop with the shape {shape_words(entered.shape)} and has {shape_words(left.shape)} after "
        f"one round{where}, but a variable of a loop keeps its shape"
    )


def loop_changes(found: Misfit) -> Advice:
    """The sizes that may differ declared open, or the value that a round gives with the axes of what it began with."""
    entered, left = _ends(found)
    first, last = entered.shape, left.shape
    if first is None or last is None:
        return nothing()
    if len(first) == len(last):
        if found.error.facts.op == ARRAY:
            return nothing()
        if first[:1] == [1] and not _is_own(found.error):
            rows = "as many rows as the batch has" if last[0] is None else f"the {last[0]} rows of the batch"
            words = f"make the first state with {rows}: the loop is that of a recurrent layer"
            return either("operand", [Way(words, None)])
        return _open_sizes(found.error, entered, _opened(first, last))
    for change in changes(last):
        if len(change.shape) == len(first) and all(
            one is None or two is None or one == two for one, two in zip(change.shape, first, strict=True)
        ):
            name, made = _name(left), _line(left)
            value = _value_made(found.error, made)
            text = change.code.format(x=name or _shown(value))
            words = f"`{text}` gives it the axes of its first value, {shape_words(first)}"
            source = source_at(found.error.sources, made)
            edits = None
            if source is not None and made is not None and value is not None:
                edits = written(source, made.file, value, change.code)
            return either("operand", [Way(words, edits, made)])
    return nothing()


def _is_own(error: FrameworkError) -> bool:
    """Whether the program calls the loop itself, and can say that its sizes vary."""
    lines = [one for one in [error.facts.place, *error.link.frames] if one is not None and one.user]
    return any(
        calls_at(source, one.line, name)
        for one in lines
        for name in ("while_loop", "scan")
        if (source := source_at(error.sources, one)) is not None
    )


def _ends(found: Misfit) -> tuple[Party, Party]:
    assert found.first is not None
    assert found.second is not None
    return found.first, found.second


def _opened(first: Shape, last: Shape) -> Shape:
    return [one if one == two else None for one, two in zip(first, last, strict=True)]


def _open_sizes(error: FrameworkError, entered: Party, shape: Shape) -> Advice:
    words = (
        f"declare that its sizes vary: `shape_invariants`, with `tf.TensorShape({_listed(shape)})` for it and the "
        "shapes of the other variables as they are"
    )
    return either("operand", [Way(words, _declared(error, entered, shape))])


def _declared(error: FrameworkError, entered: Party, shape: Shape) -> list[Edit] | None:
    """The argument of `tf.while_loop`, with the recorded shapes of all variables."""
    place = error.facts.place
    source = source_at(error.sources, place)
    calls = calls_at(source, place.line, "while_loop") if source is not None and place is not None else []
    variables = error.of_role("loop")
    mine = [n for n, one in enumerate(variables) if one.shape == entered.shape and one.sources == entered.sources]
    if len(calls) != 1 or source is None or place is None or len(mine) != 1:
        return None
    if any(one.shape is None for one in variables) or any(word.arg == "shape_invariants" for word in calls[0].keywords):
        return None
    prefix = ast.unparse(calls[0].func).rpartition(".")[0]
    kind = f"{prefix}.TensorShape" if prefix else "tf.TensorShape"
    shapes = [shape if n == mine[0] else one.shape or [] for n, one in enumerate(variables)]
    text = ", ".join(f"{kind}({_listed(one)})" for one in shapes)
    edit = set_argument(source, place.file, calls[0], "shape_invariants", None, f"[{text}]")
    return [edit] if edit is not None else None


def _value_made(error: FrameworkError, made: Frame | None) -> ast.expr | None:
    """What the line assigns or returns that made the value of a round: in the body of the loop, or in a function that
    it calls."""
    source = source_at(error.sources, made)
    if source is None or made is None:
        return None
    found = [
        node.value
        for node in ast.walk(source.tree)
        if isinstance(node, ast.Assign | ast.Return) and made.line <= node.lineno <= (made.end_line or made.line)
    ]
    value = found[0] if len(found) == 1 else None
    # Of several values that are returned the right one is not known.
    return value if not isinstance(value, ast.Tuple | ast.List) else None


def _shown(value: ast.expr | None) -> str:
    text = ast.unparse(value) if value is not None else "it"
    if len(text) > _LONGEST:
        text = f"{ast.unparse(value.func)}(…)" if isinstance(value, ast.Call) else "it"
    return text


def _line(party: Party) -> Frame | None:
    return next((one.frame for one in party.sources if one.frame is not None), None)


def _name(party: Party) -> str:
    """The variable that the line assigns which made a tensor."""
    frame = _line(party)
    body = tree_or_empty(frame.source.strip()).body if frame is not None else []
    target = body[0].targets[0] if len(body) == 1 and isinstance(body[0], ast.Assign) else None
    return ast.unparse(target) if isinstance(target, ast.Name | ast.Attribute) else ""


def _listed(shape: Shape) -> str:
    return f"[{', '.join(str(size) for size in shape)}]"
