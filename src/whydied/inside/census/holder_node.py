"""One step of the way from a variable to an object; runs in the user's process, as long as a census does."""

from __future__ import annotations

from typing import Any

from whydied.inside.census import object_kinds


class Node:
    """One step of a way: the label as the source writes it, and what stands there."""

    __slots__ = (
        "also",
        "attribute",
        "container",
        "file",
        "function",
        "label",
        "length",
        "line",
        "owner",
        "parent",
        "root",
    )

    def __init__(self, parent: Node | None, label: str, root: str = "") -> None:
        self.parent = parent
        self.label = label
        self.root: str = root or (parent.root if parent is not None else "unknown")
        self.file = ""
        self.function = ""
        self.line = 0
        self.container = ""
        self.length: int | None = None
        self.owner: type | None = None
        self.attribute = ""
        self.also: list[str] = []
        """Other names under which a notebook keeps the same."""

    def holds(self, thing: Any, facts: object_kinds.TypeFacts) -> None:
        """Remember the container that stands at this place."""
        self.container = facts.type
        if facts.name in (object_kinds.SEQUENCE, object_kinds.MAPPING):
            base: Any = facts.base
            self.length = int(base.__len__(thing))


def root_node(label: str, root: str, file: str, line: int, function: str) -> Node:
    """A way begins at a name that stands there."""
    node = Node(None, label, root)
    node.file, node.line, node.function = file, line, function
    return node
