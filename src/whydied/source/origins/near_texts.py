"""A name in a list of the program that is written a little differently than in another one. Pure."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from difflib import SequenceMatcher
from typing import NamedTuple

from whydied.source.text import Source
from whydied.source.trees import across

_ALIKE = 0.75


class NearText(NamedTuple):
    """`node` is the text in the list called `name`, `other` the line of the other list and `meant` what that has."""

    file: str
    node: ast.Constant
    text: str
    name: str
    meant: str
    other_file: str
    other: int


class _Texts(NamedTuple):
    file: str
    items: list[ast.Constant]
    name: str

    @property
    def values(self) -> set[str]:
        return {str(one.value) for one in self.items}


def near_text(sources: Mapping[str, Source]) -> NearText | None:
    """The only text of a named list that no other list has, where another list of the same texts has one like it, and
    has no name."""
    lists = _lists(sources)
    found: list[NearText] = []
    for one in lists:
        for other in lists:
            if not one.name or other.name or not one.values & other.values:
                continue
            mine, theirs = one.values - other.values, other.values - one.values
            if len(mine) != 1 or len(theirs) != 1:
                continue
            text, meant = mine.pop(), theirs.pop()
            if SequenceMatcher(None, text, meant).ratio() >= _ALIKE:
                node = next(item for item in one.items if item.value == text)
                found.append(NearText(one.file, node, text, one.name, meant, other.file, other.items[0].lineno))
    return found[0] if len({(one.node, one.meant) for one in found}) == 1 else None


def _lists(sources: Mapping[str, Source]) -> list[_Texts]:
    """The lists, tuples and sets of texts, with the name of those that are assigned one."""
    named = {
        id(made.value): made.targets[0].id
        for _, made in across(sources, ast.Assign)
        if len(made.targets) == 1 and isinstance(made.targets[0], ast.Name)
    }
    found = []
    for file, node in across(sources, (ast.List, ast.Tuple, ast.Set)):
        assert isinstance(node, ast.List | ast.Tuple | ast.Set)
        items = [one for one in node.elts if isinstance(one, ast.Constant) and isinstance(one.value, str)]
        if len(items) == len(node.elts) and len(items) > 1:
            found.append(_Texts(file, items, named.get(id(node), "")))
    return found
