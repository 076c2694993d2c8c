"""Pictures that a program divides by 255 all at once, left as they are and scaled by the model's first layer. Pure.

Only for an array that nothing but calls of Keras and splits of the data reads, and for a program with one model whose
beginning is plain.
"""

from __future__ import annotations

import ast

from whydied.source.calls import callee
from whydied.source.edits.edit import Edit, over, start_of, written_in
from whydied.source.edits.import_edits import name_of
from whydied.source.edits.statement_edits import left_out, statement_at
from whydied.source.text import Source
from whydied.source.trees import walk, written

_READS = frozenset({"fit", "evaluate", "predict", "train_test_split", "len", "print"})
_INPUTS = frozenset({"Input", "InputLayer"})


def scaled_in_model(source: Source, file: str, line: int) -> list[Edit]:
    """`x = <array> / 255.0` without the division, and `Rescaling(1 / 255.0)` as the model's first layer."""
    node = statement_at(source, line)
    keras = name_of(source, "keras")
    if node is None or keras is None:
        return []
    taken = _undivided(source, file, node)
    layer = _first_layer(source, file, f"{keras}.layers.Rescaling(1 / {taken[1]})") if taken is not None else None
    return [taken[0], layer] if taken is not None and layer is not None else []


def _undivided(source: Source, file: str, node: ast.stmt) -> tuple[Edit, str] | None:
    """The edit that leaves the division out, and its number as written."""
    if isinstance(node, ast.AugAssign) and isinstance(node.op, ast.Div) and isinstance(node.value, ast.Constant):
        edit = left_out(source, file, node) if is_only_fed(source, written(node.target)) else None
        return (edit, written_in(source, node.value)) if edit is not None else None
    if not isinstance(node, ast.Assign) or len(node.targets) != 1 or not is_only_fed(source, written(node.targets[0])):
        return None
    value = node.value
    if (
        not isinstance(value, ast.BinOp)
        or not isinstance(value.op, ast.Div)
        or not isinstance(value.right, ast.Constant)
    ):
        return None
    return over(source, file, value, written_in(source, value.left)), written_in(source, value.right)


def is_only_fed(source: Source, name: str) -> bool:
    """Whether a name is read only by calls that train or split, and for its shape."""
    if not name.isidentifier():
        return False
    allowed: set[int] = set()
    for node in walk(source.tree, (ast.Call, ast.Attribute, ast.Assign)):
        if isinstance(node, ast.Call) and callee(node) in _READS:
            given = [*node.args, *(word.value for word in node.keywords)]
            parts = [part for one in given for part in (one.elts if isinstance(one, ast.Tuple | ast.List) else [one])]
            allowed |= {id(one.value if isinstance(one, ast.Subscript) else one) for one in parts}
        elif isinstance(node, ast.Attribute) and node.attr in ("shape", "dtype", "nbytes"):
            allowed.add(id(node.value))
        elif isinstance(node, ast.Assign) and written(node.targets[0]) == name:
            allowed |= {id(one) for one in walk(node.value, ast.Name)}
    reads = [one for one in walk(source.tree, ast.Name) if one.id == name and isinstance(one.ctx, ast.Load)]
    return bool(reads) and all(id(one) in allowed for one in reads)


def _first_layer(source: Source, file: str, layer: str) -> Edit | None:
    """A layer at the beginning of the only model: of the list of a `Sequential`, before its first `add`, or around the
    only use of an `Input`."""
    models = [call for call in walk(source.tree, ast.Call) if callee(call) in ("Sequential", "Model")]
    if len(models) != 1:
        return None
    model = models[0]
    if callee(model) == "Model":
        return _of_input(source, file, layer)
    if model.args and isinstance(model.args[0], ast.List) and model.args[0].elts:
        elements = model.args[0].elts
        at = 1 if isinstance(elements[0], ast.Call) and callee(elements[0]) in _INPUTS else 0
        return _before(source, file, elements[at], layer) if at < len(elements) else None
    added = [call for call in walk(source.tree, ast.Call) if callee(call) == "add" and call.args]
    layers = [call for call in added if not (isinstance(call.args[0], ast.Call) and callee(call.args[0]) in _INPUTS)]
    layers.sort(key=lambda call: call.lineno)
    if model.args or not layers:
        return None
    return _before(source, file, layers[0], f"{written_in(source, layers[0].func)}({layer})", gap="\n")


def _before(source: Source, file: str, node: ast.expr, text: str, gap: str = ", ") -> Edit:
    start = start_of(source, node)
    alone = not source.lines[start[0] - 1][: start[1]].strip()
    if gap == "\n" or alone:
        text += f"{gap.rstrip()}\n{' ' * start[1]}" if gap != "\n" else f"\n{' ' * start[1]}"
    else:
        text += gap
    return Edit(file, start, start, text)


def _of_input(source: Source, file: str, layer: str) -> Edit | None:
    made = [
        one.targets[0].id
        for one in walk(source.tree, ast.Assign)
        if isinstance(one.value, ast.Call) and callee(one.value) == "Input" and isinstance(one.targets[0], ast.Name)
    ]
    uses = [
        call.args[0]
        for call in walk(source.tree, ast.Call)
        if isinstance(call.func, ast.Call) and call.args and isinstance(call.args[0], ast.Name)
        if call.args[0].id in made
    ]
    return over(source, file, uses[0], f"{layer}({written(uses[0])})") if len(made) == len(uses) == 1 else None
