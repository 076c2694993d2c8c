"""What a tape or an optimizer is to train, by the names that the source has for it. Pure."""

from __future__ import annotations

import ast
from typing import NamedTuple

from whydied.source.bindings import bindings
from whydied.source.calls import callee
from whydied.source.text import Source
from whydied.source.trees import last_name, walk, written

MAKERS = frozenset({"Variable", "get_variable"})
_OF_PREDICTIONS = frozenset({"compute_loss", "compiled_loss", "compute_metrics"})
"""Methods of Keras that a model has of its own, and that get what it gave."""
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


class Known(NamedTuple):
    """The functions and methods of a file, and the attributes that it assigns."""

    functions: list[ast.FunctionDef]
    attributes: frozenset[str]


def known(tree: ast.Module) -> Known:
    stored = [one for one in walk(tree, ast.Attribute) if isinstance(one.ctx, ast.Store)]
    return Known(walk(tree, ast.FunctionDef), frozenset(written(one) for one in stored))


def uses(node: ast.AST, roots: set[str], file: Known | None = None) -> bool:
    """Whether a tree reads a variable, or calls the object that it is an attribute of, or a method of that. With what
    is known of the file its functions are looked into: one that gets what a model gave need not call it again."""
    parts = [one.split(".") for one in roots]
    owners = {".".join(one[:at]) for one in parts for at in range(1, len(one))}
    for one in walk(node, ast.expr):
        called = one.func if isinstance(one, ast.Call) else None
        subject = called.value if isinstance(called, ast.Attribute) else called
        owner = written(subject) if subject is not None else ""
        if written(one) in roots or (file is None and owner in owners):
            return True
        if file is not None and called is not None and _reaches(called, owner, owners, roots, file):
            return True
    return False


def _reaches(called: ast.expr, owner: str, owners: set[str], roots: set[str], file: Known) -> bool:
    """Whether a call is one of an object that is trained, or of a function that uses it; of a method that is not known
    it may be."""
    name = last_name(called)
    if owner in owners and (not isinstance(called, ast.Attribute) or written(called) in owners):
        return True
    if owner not in owners and not isinstance(called, ast.Name):
        return False
    own = {f"self{one.removeprefix(owner)}" for one in roots if one.startswith(f"{owner}.")}
    found = [one for one in file.functions if one.name == name]
    rest = file._replace(functions=[one for one in file.functions if one.name != name])
    wanted = own if owner in owners else roots
    if found or owner not in owners:
        return any(uses(part, wanted, rest) for one in found for part in one.body)
    return name not in _OF_PREDICTIONS and written(called) not in file.attributes


def opens(node: ast.With, tape: str) -> bool:
    """Whether a block opens the tape of a name."""
    return any(item.optional_vars is not None and written(item.optional_vars) == tape for item in node.items)
