"""What a tape or an optimizer is to train, by the names that the source has for it. Pure."""

from __future__ import annotations

import ast

from whydied.source.bindings import bindings
from whydied.source.calls import callee
from whydied.source.text import Source
from whydied.source.trees import walk, written

MAKERS = frozenset({"Variable", "get_variable"})
_ALL_OF = frozenset({"trainable_variables", "trainable_weights", "variables", "weights"})


def trained(source: Source, scope: ast.AST, given: ast.expr | None) -> set[str]:
    """What is to be trained, as written: `w`, and `model` for `model.trainable_variables`; without a list all that the
    file makes a variable of."""
    if isinstance(given, ast.Name):
        listed = [one.value for one in bindings(given.id, scope) if one.kind == "assignment" and not one.place]
        last = listed[-1] if listed else None
        given = last if isinstance(last, ast.List | ast.Tuple | ast.Attribute | ast.BinOp) else given
    if given is None:
        made = [one for one in walk(source.tree, ast.Assign) if isinstance(one.value, ast.Call)]
        return {written(one.targets[0]) for one in made if callee(one.value) in MAKERS}  # type: ignore[arg-type]
    found: set[str] = set()
    for one in walk(given, ast.Attribute | ast.Name):  # type: ignore[arg-type]
        if isinstance(one, ast.Attribute) and one.attr in _ALL_OF:
            owner = written(one.value)
            found.add(owner if owner != "self" else written(one))
        elif isinstance(one, ast.Attribute | ast.Name):
            found.add(written(one))
    return found - {"self", "list", "tuple"}


def uses(node: ast.AST, roots: set[str]) -> bool:
    """Whether a tree reads a variable, or calls the object that it is an attribute of, or a method of that."""
    parts = [one.split(".") for one in roots]
    owners = {".".join(one[:at]) for one in parts for at in range(1, len(one))}
    for one in walk(node, ast.expr):
        called = one.func if isinstance(one, ast.Call) else None
        subject = called.value if isinstance(called, ast.Attribute) else called
        if written(one) in roots or (subject is not None and written(subject) in owners):
            return True
    return False


def opens(node: ast.With, tape: str) -> bool:
    """Whether a block opens the tape of a name."""
    return any(item.optional_vars is not None and written(item.optional_vars) == tape for item in node.items)
