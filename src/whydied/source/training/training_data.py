"""What the user's source calls the data that it trains with. Pure."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from whydied.source.calls import callee
from whydied.source.container_parts import item_in, part
from whydied.source.location import Location
from whydied.source.text import Source
from whydied.source.trees import across, nodes_at, written


def loss_target(sources: Mapping[str, Source], place: Location) -> str | None:
    """The first argument of the outermost call that is given two values: `loss(y, model(x, training=True))`. In
    `model(x, True)` the second is none."""
    for node in nodes_at(sources, place):
        if isinstance(node, ast.Call) and len(node.args) >= 2 and not isinstance(node.args[1], ast.Constant):
            first = node.args[0]
            if isinstance(first, ast.Name | ast.Attribute | ast.Subscript):
                return written(first)
    return None


def sliced(sources: Mapping[str, Source], position: int, items: str) -> str | None:
    """What stands in the one `from_tensor_slices` of the program for x (0) or y (1), or an item of that."""
    found = [
        call.args[0] for _, call in across(sources, ast.Call) if call.args and callee(call) == "from_tensor_slices"
    ]
    if len(found) != 1:
        return None
    given = part(found[0], position) if isinstance(found[0], ast.Tuple) else found[0] if position == 0 else None
    return item_in(written(given), items) if given is not None else None
