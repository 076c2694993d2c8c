"""`optimizer.minimize(loss, variables)` for an optimizer that takes gradients: the loss on a tape. Pure.

What is not plain gives no edits: a loss that another block made, or a call whose result is used.
"""

from __future__ import annotations

import ast

from whydied.source.edits.edit import Edit, over, written_in
from whydied.source.edits.import_edits import name_of
from whydied.source.edits.statement_edits import around_statements
from whydied.source.text import Source
from whydied.source.trees import walk, written


def loss_on_tape(source: Source, file: str, call: ast.Call) -> list[Edit]:
    """The statements from the one that makes the loss on, inside of a tape, and the call with gradients."""
    module = name_of(source, "tensorflow")
    loss = _given(call, "loss", 0)
    variables = _given(call, "var_list", 1)
    block, at = _block(source, call)
    if module is None or loss is None or variables is None or not isinstance(call.func, ast.Attribute) or at < 0:
        return []
    base, listed = written_in(source, call.func.value), written_in(source, variables)
    statement = block[at]
    text = f"{base}.apply_gradients(zip(tape.gradient({{loss}}, {listed}), {listed}))"
    header = f"with {module}.GradientTape() as tape:"
    made = [
        number
        for number, one in enumerate(block[:at])
        if isinstance(one, ast.Assign) and written(one.targets[0]) == written(loss)
    ]
    called = isinstance(loss, ast.Name) and not made and _is_function(source, loss.id)
    if isinstance(loss, ast.Lambda) or (isinstance(loss, ast.Name) and called):
        value = written_in(source, loss.body) if isinstance(loss, ast.Lambda) else f"{loss.id}()"
        indent = " " * statement.col_offset
        head = f"{header}\n{indent}    loss = {value}\n{indent}"
        return [over(source, file, statement, head + text.format(loss="loss"))]
    if not made or not isinstance(loss, ast.Name):
        return []
    wrapped = around_statements(source, file, block[made[-1]], block[at - 1], header)
    return [*wrapped, over(source, file, statement, text.format(loss=loss.id))] if wrapped else []


def _given(call: ast.Call, name: str, position: int) -> ast.expr | None:
    word = next((one.value for one in call.keywords if one.arg == name), None)
    return word if word is not None or position >= len(call.args) else call.args[position]


def _block(source: Source, call: ast.Call) -> tuple[list[ast.stmt], int]:
    """The block whose statement is nothing but the call, and its place there."""
    for node in ast.walk(source.tree):
        for name in ("body", "orelse", "finalbody"):
            found = getattr(node, name, None)
            block: list[ast.stmt] = found if isinstance(found, list) else []
            for at, one in enumerate(block):
                if isinstance(one, ast.Expr) and one.value is call:
                    return block, at
    return [], -1


def _is_function(source: Source, name: str) -> bool:
    return any(one.name == name for one in walk(source.tree, ast.FunctionDef))
