"""A layer or model that is made and called in one expression, taken apart: it keeps its name, and what it gives gets
another. Pure.

Invariant: the name is given a value once. What asks it for an attribute means the layer, everything else its output.
"""

from __future__ import annotations

import ast

from whydied.source.edits.edit import Edit, line_after, over, written_in
from whydied.source.text import Source
from whydied.source.trees import around, scope_at, within

_OUTPUTS = ("outputs", "output", "features", "encoded")
_OF_TENSORS = frozenset({"shape", "dtype", "ndim"})


def called_later(source: Source, file: str, node: ast.Call) -> list[tuple[str, list[Edit]]]:
    """`x = Layer(…)(inputs)` as `x = Layer(…)` and `outputs = x(inputs)`, which everything uses that takes a tensor.
    The name of the output, and the edits."""
    made = next((one for one in around(source.tree, node.lineno, ast.Assign) if one.value is node), None)
    if made is None or len(made.targets) != 1 or not isinstance(made.targets[0], ast.Name):
        return []
    name = made.targets[0].id
    scope = scope_at(source.tree, node.lineno)
    used = [one for one in within(scope) if isinstance(one, ast.Name) and one.id == name]
    if sum(isinstance(one.ctx, ast.Store) for one in used) != 1:
        return []
    of_layer = {
        id(one.value) for one in within(scope) if isinstance(one, ast.Attribute) and one.attr not in _OF_TENSORS
    }
    # What stands above is another value of the name, and a result may mean either.
    tensors = [one for one in used if isinstance(one.ctx, ast.Load) and id(one) not in of_layer]
    taken = {one.id for one in ast.walk(source.tree) if isinstance(one, ast.Name)}
    output = next((one for one in _OUTPUTS if one not in taken), "")
    if not output or any(one.lineno <= node.lineno for one in tensors):
        return []
    given = ", ".join(
        [*(written_in(source, one) for one in node.args), *(written_in(source, one) for one in node.keywords)]
    )
    edits = [over(source, file, node, written_in(source, node.func))]
    edits.append(line_after(source, file, node.lineno, f"{output} = {name}({given})"))
    edits += [over(source, file, one, output) for one in tensors]
    return [(output, edits)]
