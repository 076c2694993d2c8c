"""A loss that was computed before the tape that should have seen it opened, and the computation put where the tape sees
it. Pure.

`minimize` opens its tape around the callable that it is given: one that only returns a value from outside gives no
gradient. A block `with tf.GradientTape()` that uses what was computed from the variables above it gives none either.
Names are followed through the assignments of the function, and a parameter to the call that passed it.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from whydied.source.bindings import bindings
from whydied.source.calls import bound_arguments, callee, method_calls, own_names, passed_argument
from whydied.source.edits.edit import Edit, line_before, over, written_in
from whydied.source.edits.statement_edits import left_out, lines_of, stands_alone, statement_at, without_statement
from whydied.source.location import Location
from whydied.source.text import Source
from whydied.source.training.trained_names import MAKERS, known, opens, trained, uses
from whydied.source.trees import Function, around, function_at, located, nodes_at, scope_at, walk, within, written

_LONGEST = 100
_DEEPEST = 6
_Callable = ast.Lambda | Function


class EarlyLoss(NamedTuple):
    """`name` was computed on `made`, before the tape; `place` is where the computation belongs."""

    place: Location
    name: str
    made: int
    words: str
    expected: str
    advice: str
    title: str
    edits: list[Edit]


def early_loss(sources: Mapping[str, Source], place: Location, callers: Sequence[Location] = ()) -> EarlyLoss | None:
    """What was computed too early for the line at which there was no gradient."""
    source = sources.get(place.file)
    if source is None:
        return None
    minimised = [call for _, call in method_calls(nodes_at(sources, place), ("minimize", "compute_gradients"))]
    for call in minimised:
        loss = passed_argument(call, "loss") or passed_argument(call, "0")
        return _of_callable(sources, place, call, loss, callers) if loss is not None else None
    return _of_block(sources, place)


def _of_callable(
    sources: Mapping[str, Source], place: Location, call: ast.Call, loss: ast.expr, callers: Sequence[Location]
) -> EarlyLoss | None:
    source, scope = sources[place.file], scope_at(sources[place.file].tree, call.lineno)
    function = _callable(source, scope, loss, call.lineno)
    if function is None or own_names(function):
        return None
    given = passed_argument(call, "var_list") or passed_argument(call, "1")
    roots = trained(source, scope, given)
    read = _read(function)
    if uses(function, roots):
        return None
    shown = written(loss) if isinstance(loss, ast.Name | ast.Attribute) else "the callable"
    shown = f"`{shown}`" if shown != "the callable" else shown
    for name in read:
        chain = _computing(source, scope, name.id, max(call.lineno, function.lineno), roots)
        if chain:
            edits, text = _put_into(source, place.file, scope, function, name, chain)
            return EarlyLoss(
                located(sources, place.file, function.lineno),
                name.id,
                chain[-1].lineno,
                f"{shown} uses `{name.id}` of line {chain[-1].lineno}, computed before `minimize` opened its tape",
                "the computation inside the callable",
                f"Compute it in the callable{f': `{text}`' if text else ''}.",
                f"Compute `{name.id}` inside the callable{f': `{text}`' if text else ''}",
                edits,
            )
        if isinstance(scope, Function) and name.id in own_names(scope) and callers:
            return _of_parameter(sources, place, scope, function, name, callers[0])
    return None


def _callable(source: Source, scope: ast.AST, loss: ast.expr, line: int) -> _Callable | None:
    """The lambda or the function that a loss is."""
    if isinstance(loss, ast.Lambda):
        return loss
    for where in (scope, source.tree):
        found = [one for one in bindings(written(loss), where) if where is not scope or one.line <= line]
        if found:
            last = found[-1]
            made = last.node if last.kind == "definition" else last.value
            return made if isinstance(made, _Callable) else None
    return None


def _read(function: _Callable) -> list[ast.Name]:
    """The variables from outside that a callable reads, without what it calls."""
    called = {id(one.func) for one in walk(function, ast.Call)}
    names = [one for one in walk(function, ast.Name) if id(one) not in called]
    own = {one.id for one in names if isinstance(one.ctx, ast.Store)} | own_names(function)
    return [one for one in names if isinstance(one.ctx, ast.Load) and one.id not in own]


def _computing(
    source: Source, scope: ast.AST, name: str, before: int, roots: set[str], deep: int = _DEEPEST
) -> list[ast.Assign]:
    """The statements that compute a name from the variables, in their order; none where it does not depend on them."""
    made = [one for one in bindings(name, scope) if one.kind == "assignment" and one.line < before]
    if not made and scope is not source.tree:
        made = [one for one in bindings(name, source.tree) if one.kind == "assignment"]
    last = made[-1] if made else None
    if last is None or not isinstance(last.node, ast.Assign) or last.place or deep == 0:
        return []
    is_whole = len(last.node.targets) == 1 and isinstance(last.node.targets[0], ast.Name)
    if not is_whole or not any(isinstance(one, ast.Call | ast.BinOp) for one in walk(last.node.value, ast.expr)):
        return []
    if isinstance(last.node.value, ast.Call) and callee(last.node.value) in MAKERS:
        return []
    inner: dict[int, ast.Assign] = {}
    for one in walk(last.node.value, ast.Name):
        if one.id not in roots and one.id != name:
            found = _computing(source, scope, one.id, last.node.lineno, roots, deep - 1)
            inner |= {step.lineno: step for step in found}
    direct = uses(last.node.value, roots)
    return [*(inner[line] for line in sorted(inner)), last.node] if direct or inner else []


def _put_into(
    source: Source, file: str, scope: ast.AST, function: _Callable, name: ast.Name, chain: list[ast.Assign]
) -> tuple[list[Edit], str]:
    """The computation inside of a callable, and its text where that is short."""
    old = _unused(source, file, scope, function, chain)
    value = written_in(source, chain[-1].value)
    if len(chain) == 1 and len(value) <= _LONGEST and "\n" not in value:
        is_all = isinstance(function, ast.Lambda) and function.body is name
        is_all = is_all or any(one.value is name for one in walk(function, ast.Return))
        text = value if is_all or isinstance(chain[-1].value, ast.Call) else f"({value})"
        shown = f"lambda: {value}" if isinstance(function, ast.Lambda) and is_all else ""
        return [*old, over(source, file, name, text)], shown
    if not all(stands_alone(source, one) for one in chain):
        return [], ""
    lines = [line for one in chain for line in lines_of(source, one)]
    if not isinstance(function, ast.Lambda):
        first = function.body[0]
        indent = source.lines[first.lineno - 1][: first.col_offset]
        return [*old, line_before(source, file, first.lineno, f"\n{indent}".join(lines))], ""
    statement = statement_at(source, function.lineno)
    if statement is None or not stands_alone(source, statement):
        return [], ""
    body = "\n".join(f"    {line}" for line in [*lines, f"return {written_in(source, function.body)}"])
    indent = source.lines[statement.lineno - 1][: statement.col_offset]
    if isinstance(statement, ast.Assign) and statement.value is function and isinstance(statement.targets[0], ast.Name):
        text = f"def {statement.targets[0].id}():\n{body}".replace("\n", f"\n{indent}")
        return [*old, over(source, file, statement, text)], ""
    taken = {one.id for one in walk(source.tree, ast.Name)}
    made = next(one for one in ("loss", "compute_loss", "loss_of_step") if one not in taken)
    text = f"def {made}():\n{body}\n".replace("\n", f"\n{indent}")
    return [*old, line_before(source, file, statement.lineno, text.rstrip()), over(source, file, function, made)], ""


def _unused(source: Source, file: str, scope: ast.AST, function: _Callable, chain: list[ast.Assign]) -> list[Edit]:
    """The statements left out that nothing but the callable needs."""
    inside = {id(one) for part in [function, *chain] for one in ast.walk(part)}
    names = {written(one.targets[0]) for one in chain}
    used = any(one.id in names and id(one) not in inside for one in walk(scope, ast.Name))
    if used or not all(stands_alone(source, one) for one in chain):
        return []
    found = [left_out(source, file, one) for one in chain]
    return [one for one in found if one is not None]


def _of_parameter(
    sources: Mapping[str, Source],
    place: Location,
    scope: Function,
    function: _Callable,
    name: ast.Name,
    caller: Location,
) -> EarlyLoss | None:
    """The loss was passed in, computed: the caller passes a callable instead."""
    calls = [one for one in nodes_at(sources, caller) if isinstance(one, ast.Call) and callee(one) == scope.name]
    given = bound_arguments(calls[0], scope).get(name.id) if len(calls) == 1 else None
    if given is None or bindings(name.id, scope):
        return None
    source, outer = sources[place.file], sources[caller.file]
    value: ast.expr = given
    if isinstance(given, ast.Name):
        made = [one for one in bindings(given.id, scope_at(outer.tree, caller.line)) if one.line < caller.line]
        value = made[-1].value if made and made[-1].value is not None and not made[-1].place else given
    if not isinstance(value, ast.Call | ast.BinOp | ast.UnaryOp):
        return None
    text = f"lambda: {written_in(outer, value)}"
    inside = {id(one) for one in ast.walk(function)}
    asked = [one for one in walk(scope, ast.Name) if one.id == name.id and id(one) not in inside]
    edits = [over(outer, caller.file, given, text), over(source, place.file, name, f"{name.id}()")]
    edits += [over(source, place.file, one, f"{name.id}()") for one in asked]
    return EarlyLoss(
        located(sources, caller.file, value.lineno),
        name.id,
        value.lineno,
        f"`{written(value)}` is computed here, before `minimize` opens its tape",
        "a callable that computes it",
        f"Pass `{text}`, and call it where `{scope.name}` uses `{name.id}`.",
        f"Pass `{text}`",
        edits,
    )


def _of_block(sources: Mapping[str, Source], place: Location) -> EarlyLoss | None:
    """What the block of a tape uses was computed from the variables above the block."""
    source = sources[place.file]
    scope = scope_at(source.tree, place.line)
    asked = [(one, call) for one, call in method_calls(within(scope), ("gradient", "jacobian")) if len(call.args) > 1]
    asked = [(one, call) for one, call in asked if call.lineno <= (place.end_line or place.line)]
    if not asked:
        return None
    tape, call = max(asked, key=lambda one: one[1].lineno)
    blocks = [one for one in within(scope) if isinstance(one, ast.With) and opens(one, written(tape))]
    block = max((one for one in blocks if one.lineno < call.lineno), key=lambda one: one.lineno, default=None)
    roots = trained(source, scope, call.args[1])
    target = written(call.args[0])
    file = known(source.tree)
    if block is None or any(uses(part, roots, file) for part in block.body):
        return None
    # What several tapes need, late_tapes puts into the block.
    if any(opens(block, written(other)) for other, _ in asked if written(other) != written(tape)):
        return None
    if not any(
        one.lineno >= block.lineno and block in around(source.tree, one.lineno, ast.With)
        for one in [made.node for made in bindings(target, scope) if isinstance(made.node, ast.Assign)]
    ):
        return None
    stored = {one.id for part in block.body for one in walk(part, ast.Name) if isinstance(one.ctx, ast.Store)}
    read = [one.id for part in block.body for one in walk(part, ast.Name) if one.id not in stored]
    chains = {name: chain for name in read if (chain := _computing(source, scope, name, block.lineno, roots))}
    added = {written(one.target) for one in within(scope) if isinstance(one, ast.AugAssign)}
    if len(chains) != 1 or added & {written(one.targets[0]) for one in next(iter(chains.values()))}:
        return None
    name, chain = next(iter(chains.items()))
    # Where other statements run what is trained, too, those belong into the block as well.
    above = [one for one in within(scope) if isinstance(one, ast.Assign) and one.lineno < block.lineno]
    if any(uses(one.value, roots, file) for one in above if one not in chain):
        return None
    if function_at(source.tree, chain[0].lineno) is not function_at(source.tree, block.lineno):
        return None
    return EarlyLoss(
        located(sources, place.file, chain[-1].lineno),
        name,
        chain[-1].lineno,
        f"`{name}` is computed above the block of the tape (line {block.lineno}), which uses it",
        f"it inside the `with` block (lines {block.lineno} to {block.end_lineno})",
        f"Move this line into the `with … as {written(tape)}:` block.",
        f"Compute `{name}` inside the tape",
        _moved(source, place.file, block, chain),
    )


def _moved(source: Source, file: str, block: ast.With, chain: list[ast.Assign]) -> list[Edit]:
    """Statements as the first ones of a block."""
    if not all(stands_alone(source, one) for one in [*chain, block.body[0]]):
        return []
    first = block.body[0]
    indent = source.lines[first.lineno - 1][: first.col_offset]
    text = f"\n{indent}".join(line for one in chain for line in lines_of(source, one))
    return [*(without_statement(source, file, one) for one in chain), line_before(source, file, first.lineno, text)]
