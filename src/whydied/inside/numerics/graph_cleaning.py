"""Takes our nodes out of a GraphDef again; runs in the user's process.

Invariant: what is left is the graph as the program made it. Works on protos only.
"""

from __future__ import annotations

from typing import Any

from whydied.inside.numerics.hidden_ops import SCOPE

_OURS = SCOPE + "/"
_EDGE = "^" + _OURS


def strip(graph_def: Any) -> None:
    """Strip a GraphDef with its library."""
    _strip_nodes(graph_def.node)
    for function in graph_def.library.function:
        strip_function(function)


def strip_function(function: Any) -> None:
    _strip_nodes(function.node_def)
    for key in [key for key, node in function.control_ret.items() if is_ours(node)]:
        del function.control_ret[key]
        names = [name for name in function.signature.control_output if name != key]
        del function.signature.control_output[:]
        function.signature.control_output.extend(names)


def _strip_nodes(nodes: Any) -> None:
    ours = [number for number, node in enumerate(nodes) if is_ours(node.name)]
    for number in reversed(ours):
        del nodes[number]
    for node in nodes if ours else ():
        if any(name.startswith(_EDGE) for name in node.input):
            names = [name for name in node.input if not name.startswith(_EDGE)]
            del node.input[:]
            node.input.extend(names)


def is_ours(name: str) -> bool:
    return name.startswith(_OURS)
