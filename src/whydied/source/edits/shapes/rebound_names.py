"""A loop or an assignment that takes the name of a placeholder, given a name of its own. Pure.

Invariant: what the loop or the lines below use the name for is the new value, except as the key of a feed: only a
placeholder is one.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping

from whydied.source.edits.edit import Change, Edit, over
from whydied.source.location import Location
from whydied.source.text import Source
from whydied.source.trees import scope_at, walk, within


def own_name(sources: Mapping[str, Source], place: Location | None, name: str) -> list[Change]:
    """Another name for what a statement binds; empty where the name is bound by several statements, or by a function's
    parameters."""
    source = sources.get(place.file) if place is not None else None
    if source is None or place is None or not name.isidentifier():
        return []
    scope = scope_at(source.tree, place.line)
    loop = next(
        (one for one in within(scope) if isinstance(one, ast.For) and one.lineno == place.line and _binds(one, name)),
        None,
    )
    new = f"{name}_value"
    taken = {one.id for one in walk(source.tree, ast.Name)} | {one.arg for one in walk(source.tree, ast.arg)}
    while new in taken:
        new = f"{new}_"
    here: list[ast.AST] = list(within(scope))
    if loop is not None:
        # The iterator is evaluated before the name is bound.
        here = [node for part in [loop.target, *loop.body] for node in ast.walk(part)]
    else:
        line = place.line
        made = [one for one in here if isinstance(one, ast.Assign) and one.lineno == line and _binds(one, name)]
        later = [
            one
            for one in here
            if isinstance(one, ast.Name) and one.id == name and isinstance(one.ctx, ast.Store) and one.lineno > line
        ]
        if len(made) != 1 or later:
            return []
        value = {id(node) for node in ast.walk(made[0].value)}
        here = [node for node in here if getattr(node, "lineno", 0) >= line and id(node) not in value]
    keys = {id(key) for node in here if isinstance(node, ast.Dict) for key in node.keys}
    used = [one for one in here if isinstance(one, ast.Name) and one.id == name and id(one) not in keys]
    edits: list[Edit] = [over(source, place.file, one, new) for one in used]
    return [Change(title=f"Call it `{new}` there", kind="name", edits=edits)] if edits else []


def _binds(node: ast.For | ast.Assign, name: str) -> bool:
    targets = [node.target] if isinstance(node, ast.For) else node.targets
    return any(one.id == name for target in targets for one in walk(target, ast.Name) if isinstance(one.ctx, ast.Store))
