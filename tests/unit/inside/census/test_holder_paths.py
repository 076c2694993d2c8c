"""Who holds a group: what several holders have in common."""

from __future__ import annotations

from pathlib import Path

import pytest

from whydied.inside.census import holder_paths
from whydied.inside.census.object_counts import Group, Node, root_node
from whydied.inside.guest.ownership import Ownership


class _Search:
    """As a tree search that keeps two arrays for each position."""

    def __init__(self) -> None:
        self.priors: dict[bytes, object] = {}
        self.allowed: dict[bytes, object] = {}


def _place(variable: str, attribute: str) -> Node:
    node = Node(root_node(variable, "local", __file__, 1, "arena"), f".{attribute}")
    node.owner, node.attribute, node.container, node.length = _Search, attribute, "dict", 9
    return node


def test_the_same_attribute_of_several_objects_is_one_holder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(holder_paths, "class_file", lambda owner, ownership: __file__)
    monkeypatch.setattr(holder_paths, "_class_place", lambda owner, ownership: (__file__, 15, "_Search"))
    pairs = [(name, attribute) for name in ("first", "second") for attribute in ("priors", "allowed")]
    group = Group.__new__(Group)
    group.places = {_place(*pair): 10.0 for pair in pairs}
    found = holder_paths.holders(group, Ownership.__new__(Ownership))
    assert sorted((one.path, one.share) for one in found) == [("self.allowed", 0.5), ("self.priors", 0.5)]
    assert Path(found[0].file) == Path(__file__)
