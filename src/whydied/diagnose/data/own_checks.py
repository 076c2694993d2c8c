"""Checks of the program's own that failed (`assert`, `raise`), and where their values came from. Pure."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from whydied.diagnose.data.failing_data import Failing
from whydied.source.origins.contents import Contents, Origin
from whydied.source.trees import around, nodes_on, walk


def is_own_check(found: Failing) -> bool:
    nodes = nodes_on(found.sources[found.place.file], found.place.line)
    own = bool(found.link.frames) and found.link.frames[-1].user
    return own and any(isinstance(one, ast.Assert | ast.Raise) for one in nodes)


def judged(found: Failing) -> Iterator[Origin]:
    """What the values of the check came out of, also those of the conditions around a `raise`."""
    contents = Contents(found.sources, found.trails)
    asked = [one for one in found.expressions if isinstance(one, ast.Name)]
    source = found.sources[found.place.file]
    for above in around(source.tree, found.place.line, ast.If):
        asked += walk(above.test, ast.Name)
    for node in asked:
        yield from contents.of(found.place.file, node)
