"""Checks of the program's own that failed (`assert`, `raise`), and where their values came from. Pure."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from whydied.diagnose.data.failing_data import Failing
from whydied.source.origins.contents import Contents, Origin
from whydied.source.trees import around, nodes_on, walk

_MOST = 1_000


def is_own_check(found: Failing) -> bool:
    nodes = nodes_on(found.sources[found.place.file], found.place.line)
    own = bool(found.link.frames) and found.link.frames[-1].user
    # What an `assert` computes may fail of something else, in a library that is no Python.
    asserts = found.link.type == "AssertionError"
    return own and any(isinstance(one, ast.Raise) or (asserts and isinstance(one, ast.Assert)) for one in nodes)


def judged(found: Failing) -> Iterator[Origin]:
    """What the values of the check came out of, also those of the conditions around a `raise`: of a function of the
    program's own that gives one, what it was given, too."""
    contents = Contents(found.sources, found.trails)
    asked: list[ast.expr] = [one for one in found.expressions if isinstance(one, ast.Name)]
    source = found.sources[found.place.file]
    for above in around(source.tree, found.place.line, ast.If):
        asked += walk(above.test, ast.Name)
    waiting = [(found.place.file, one) for one in asked]
    seen: set[int] = set()
    while waiting and len(seen) < _MOST:
        for one in contents.of(*waiting.pop(0)):
            node = one.node
            if id(node) in seen:
                continue
            seen.add(id(node))
            yield one
            if isinstance(node, ast.Call) and found.trails.called(node) is not None:
                waiting += [(one.file, part) for part in (*node.args, *(word.value for word in node.keywords))]
