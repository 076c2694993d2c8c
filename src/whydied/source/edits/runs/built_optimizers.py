"""Edits that let optimizers make their variables before the first call of the function that updates with them. Pure.

An optimizer that is first used in a later call of a `tf.function` would make them there. Written at the end of the
constructor, where the optimizer and the variables are attributes of one object, or above the call.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import NamedTuple

from whydied.source.assignments import assigned
from whydied.source.calls import bound_arguments, callee, method_calls, own_names
from whydied.source.edits.edit import Edit, line_before
from whydied.source.edits.programs.definition_edits import last_statement, method_in
from whydied.source.location import Location
from whydied.source.origins.trails import root_name
from whydied.source.text import Source
from whydied.source.trees import Function, around, function_at, nodes_on, scope_at, stored_in, walk, within, written

_UPDATES = ("apply_gradients", "apply", "minimize")


class Built(NamedTuple):
    """Where it is written, in words, and the edits."""

    where: str
    edits: list[Edit]


def built_first(sources: Mapping[str, Source], file: str, line: int, callers: list[Location]) -> list[Built]:
    """The ways to build all optimizers of the function around a line; `callers` are the lines that led there."""
    source = sources[file]
    function = function_at(source.tree, line)
    if function is None:
        return []
    updates = [(owner, _variables(call, function)) for owner, call in method_calls(within(function), _UPDATES)]
    known = [(owner, variables) for owner, variables in updates if variables is not None]
    if not known or len(known) != len(updates):
        return []
    found: list[Built] = []
    owner = next((one for one in walk(source.tree, ast.ClassDef) if function in one.body), None)
    begin = method_in(owner, "__init__") if owner is not None else None
    texts = [_text(source, one, variables, {}) for one, variables in known]
    own = all(root_name(one) == "self" and _is_of_self(variables) for one, variables in known)
    lines = [text for text in texts if text]
    if begin is not None and own and len(lines) == len(texts):
        edit = last_statement(source, file, begin, "\n".join(dict.fromkeys(lines)))
        found += [Built("in `__init__`", [edit])] if edit is not None else []
    above = _above_call(sources, known, function, callers)
    return [*found, *([above] if above is not None else [])]


def _variables(call: ast.Call, function: Function) -> ast.expr | None:
    """The variables that a call updates, without the names of the function's own."""
    given: ast.expr | None = call.args[1] if callee(call) in ("minimize", "apply") and len(call.args) > 1 else None
    if callee(call) == "apply_gradients" and call.args:
        pairs = call.args[0]
        if isinstance(pairs, ast.Call) and callee(pairs) == "zip" and len(pairs.args) == 2:
            given = pairs.args[1]
    if isinstance(given, ast.Name):
        made = assigned(given.id, function)
        given = made[0].value if len(made) == 1 else given if not made else None
    if given is None or {one.id for one in walk(given, ast.Name)} & stored_in(function):
        return None
    return given


def _is_of_self(node: ast.expr) -> bool:
    return {one.id for one in walk(node, ast.Name)} == {"self"}


def _text(source: Source, owner: ast.expr, variables: ast.expr, given: Mapping[str, ast.expr]) -> str:
    """The statement that builds an optimizer, or each that a container has."""
    of = written(_replaced(variables, given))
    if not isinstance(owner, ast.Subscript):
        return f"{written(_replaced(owner, given))}.build({of})"
    made = [
        one.value
        for one in walk(source.tree, ast.Assign)
        if any(written(target) == written(owner.value) for target in one.targets)
    ]
    every = written(_replaced(owner.value, given))
    if len(made) != 1 or not isinstance(made[0], ast.Dict | ast.DictComp | ast.List | ast.Tuple | ast.ListComp):
        return ""
    every += ".values()" if isinstance(made[0], ast.Dict | ast.DictComp) else ""
    return f"for optimizer in {every}:\n    optimizer.build({of})"


def _replaced(node: ast.expr, given: Mapping[str, ast.expr]) -> ast.expr:
    """An expression with the arguments of a call in the place of the parameters."""
    if not given:
        return node

    class Arguments(ast.NodeTransformer):
        def visit_Name(self, name: ast.Name) -> ast.expr:
            return given.get(name.id, name)

    replaced: ast.expr = Arguments().visit(ast.parse(written(node), mode="eval").body)
    return replaced


def _above_call(
    sources: Mapping[str, Source],
    known: list[tuple[ast.expr, ast.expr]],
    function: Function,
    callers: list[Location],
) -> Built | None:
    """Above the outermost loop around the call of the function that does not make what is built."""
    for place in callers:
        source = sources.get(place.file)
        nodes = nodes_on(source, place.line) if source is not None else []
        calls = [one for one in nodes if isinstance(one, ast.Call) and callee(one) == function.name]
        if source is None or len(calls) != 1:
            continue
        given = bound_arguments(calls[0], function)
        subject = calls[0].func.value if isinstance(calls[0].func, ast.Attribute) else None
        if subject is not None and "self" in {one.arg for one in function.args.args[:1]}:
            given = {**given, "self": subject}
        parameters = own_names(function)
        texts = []
        names: set[str] = set()
        for owner, variables in known:
            # The key of a container is not asked for.
            used = {
                one.id
                for part in (owner.value if isinstance(owner, ast.Subscript) else owner, variables)
                for one in walk(part, ast.Name)
            }
            if any(name in parameters and name not in given for name in used):
                return None
            texts.append(_text(source, owner, variables, given))
            names |= {one.id for name in used for one in walk(given.get(name, ast.Name(name)), ast.Name)}
        if not all(texts):
            return None
        scope = scope_at(source.tree, place.line)
        loops = [one for one in around(source.tree, place.line, (ast.For, ast.While)) if one in list(within(scope))]
        free = [one for one in loops if not names & stored_in(ast.Module([one], []))]
        at = free[0].lineno if free else place.line
        indent = source.lines[source.span(at)[0] - 1]
        space = indent[: len(indent) - len(indent.lstrip())]
        text = "\n".join(dict.fromkeys(texts)).replace("\n", f"\n{space}")
        where = "above the loop" if free else "above the call"
        return Built(where, [line_before(source, place.file, at, text)])
    return None
