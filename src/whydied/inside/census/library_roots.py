"""What modules of libraries keep in their own variables: where the census goes on when the names of the program do not
explain the memory; runs in the user's process, inside a census.

Invariant: the longest containers come first, because what grows is long, and the time may end before the rest.
"""

from __future__ import annotations

import sys
from itertools import islice
from types import ModuleType
from typing import Any

from whydied.inside.census import object_kinds
from whydied.inside.census.holder_node import Node
from whydied.inside.census.holder_paths import is_user_path
from whydied.inside.census.object_kinds import TypeFacts, type_facts
from whydied.inside.guest.ownership import Ownership

COUNTED = (
    frozenset({object_kinds.TENSOR, object_kinds.VARIABLE, object_kinds.KERAS_VARIABLE, object_kinds.ARRAY})
    | object_kinds.ALWAYS_LISTED
)
"""Libraries have hundreds of thousands of small objects for their own use."""
LARGEST_ROOTS = 4000
LARGEST_GLOBALS = 20_000
_ENTERED = frozenset({object_kinds.SEQUENCE, object_kinds.MAPPING, object_kinds.INSTANCE}) | COUNTED


def roots(ownership: Ownership) -> list[tuple[Any, Node]]:
    """Variables of modules that are not the program's, each value once, with the names that lead to them."""
    found: dict[int, tuple[int, Any, str, ModuleType]] = {}
    # More than a hundred thousand variables in a process with TensorFlow: what is done for each has to be little.
    entered: dict[int, TypeFacts | None] = {}
    for module_name, module in list(sys.modules.items()):
        if type(module) is not ModuleType or module_name == "__main__" or module_name.startswith("whydied"):
            continue
        file = module.__dict__.get("__file__")
        if isinstance(file, str) and is_user_path(file, ownership):
            continue
        for name, value in list(islice(module.__dict__.items(), LARGEST_GLOBALS)):
            kind = id(type(value))
            if kind not in entered:
                facts = type_facts(type(value))
                entered[kind] = facts if facts.name in _ENTERED else None
            known = entered[kind]
            if known is not None and id(value) not in found and type(name) is str and name[:2] != "__":
                sized = known.name in (object_kinds.SEQUENCE, object_kinds.MAPPING)
                length = known.base.__len__(value) if sized else 0  # type: ignore[attr-defined]
                found[id(value)] = (length, value, f"{module_name}.{name}", module)
    ranked = sorted(found.values(), key=lambda one: -one[0])[:LARGEST_ROOTS]
    return [(value, _node(name, module)) for _, value, name, module in ranked]


def _node(name: str, module: ModuleType) -> Node:
    node = Node(None, name, "library")
    # As it is: to resolve thousands of links would take longer than all the rest.
    file = module.__dict__.get("__file__")
    node.file = file if isinstance(file, str) else ""
    node.line, node.function = 1, "<module>"
    return node
