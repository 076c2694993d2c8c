"""Edits that make a tensor of a Python number which a function is given. Pure."""

from __future__ import annotations

import ast

from whydied.source.calls import bound_arguments, callee
from whydied.source.edits.call_edits import calls_at
from whydied.source.edits.edit import Edit, over, written_in
from whydied.source.edits.import_edits import name_of
from whydied.source.text import Source
from whydied.source.trees import Function, walk

_COUNTING = (ast.Mod, ast.FloorDiv)


def function_named(source: Source, name: str) -> Function | None:
    """The only function of a name."""
    found = [node for node in ast.walk(source.tree) if isinstance(node, Function) and node.name == name]
    return found[0] if len(found) == 1 else None


def as_tensor(
    source: Source, file: str, line: int, function: Function | None, parameter: str, dtype: str
) -> Edit | None:
    """What the only call of a function in a statement gives for a parameter, as a tensor: of a type where the function
    computes with it, of its own where that counts with it (`step % every`). A parameter that the function does anything
    else with must stay a number: a shape or an index is one."""
    calls = calls_at(source, line, function.name) if function is not None else []
    tensorflow = name_of(source, "tensorflow")
    if function is None or len(calls) != 1 or tensorflow is None:
        return None
    given = bound_arguments(calls[0], function).get(parameter)
    counts, computes = _uses(function, parameter)
    if given is None or counts == computes:
        return None
    kind = f", {tensorflow}.{dtype}" if computes else ""
    return over(source, file, given, f"{tensorflow}.constant({written_in(source, given)}{kind})")


def _uses(function: Function, parameter: str) -> tuple[bool, bool]:
    """Whether all that is done with a parameter is to count with it, and whether it is to compute with it; to print it
    is allowed in both."""
    operations = walk(function, ast.BinOp)
    operands = {id(part): isinstance(node.op, _COUNTING) for node in operations for part in (node.left, node.right)}
    printed = {id(part) for call in walk(function, ast.Call) if callee(call) == "print" for part in call.args}
    uses = [node for node in walk(function, ast.Name) if node.id == parameter and id(node) not in printed]
    kinds = {operands.get(id(use)) for use in uses}
    return kinds == {True}, kinds == {False}
