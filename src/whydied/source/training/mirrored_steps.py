"""How many steps the data of a validation have, written like those of the training in the same call: `len(train)` for
`train.for_fit()` is `len(valid)` for `valid.for_fit()`. Pure.

Invariant: both data are written alike but for names, and what differs is what the steps are computed from.
"""

from __future__ import annotations

import ast

from whydied.source.calls import passed_argument
from whydied.source.trees import walk, written


def mirrored_steps(call: ast.Call) -> str | None:
    """What `validation_steps` of a call of `fit` would be; None where the training does not say it by its data."""
    data = passed_argument(call, "x") or passed_argument(call, "0")
    others, steps = passed_argument(call, "validation_data"), passed_argument(call, "steps_per_epoch")
    if data is None or others is None or steps is None:
        return None
    mine, theirs = walk(data, ast.Name), walk(others, ast.Name)
    swapped = {one.id: other.id for one, other in zip(mine, theirs, strict=False) if one.id != other.id}
    if len(mine) != len(theirs) or not swapped or _swapped(data, swapped) != written(others):
        return None
    anew = _swapped(steps, swapped)
    return anew if anew != written(steps) else None


def _swapped(node: ast.expr, names: dict[str, str]) -> str:
    class Names(ast.NodeTransformer):
        def visit_Name(self, name: ast.Name) -> ast.Name:
            return ast.Name(names.get(name.id, name.id), name.ctx)

    return written(Names().visit(ast.parse(written(node), mode="eval").body))
