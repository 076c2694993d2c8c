"""Changes of earlier statements with which the failing expression gives a value: the assignments that made its values,
and the user's own call of the function that it stands in; runs in the user's process, and the trials in copies of it.

The statements from a changed one to the failing expression are run again, those of them that its values go through. As
they are they must lead to the same exception; what follows the expression is tried as well (`onward`).

Invariant: only what computes is run (`own_code`), in a copy for each question.
"""

from __future__ import annotations

import ast
import itertools
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from whydied.inside.guest.value_facts import describe
from whydied.inside.trials.computing import Scope
from whydied.inside.trials.onward import Place, blocks_to, execute, run_on
from whydied.inside.trials.own_code import OwnCode
from whydied.inside.trials.replaced import code_of
from whydied.inside.trials.variants import Variant, changed, whole_forms
from whydied.source.bindings import Binding, bindings
from whydied.source.origins.reaching import reaching
from whydied.source.trees import function_at

MOST_MAKERS = 4
MOST_CHANGES = 24
MOST_RERUN = 10
MOST_ABOVE = 2
LARGEST_BYTES = 64 << 20
RAISED = "raised"


class Changed(NamedTuple):
    """One change of an earlier statement; `place` is where its text stands, `ask` tries it and says what the failing
    expression gave."""

    variant: Variant
    place: Place
    line: int
    ask: Callable[[], str]


class Trial(NamedTuple):
    """Changes of one statement: `control` answers "as before" where the statements as they are lead to the same
    exception."""

    control: Callable[[], str]
    changes: list[Changed]


class _Failed(Exception):
    """Raised before the failing expression."""


def trials(
    place: Place,
    own: OwnCode,
    kind: type[BaseException],
    words: Callable[[Any], str],
    *,
    slips_only: bool = False,
) -> Iterator[Trial]:
    """The nearest statements first. `slips_only` are a number in quotes and a call that was left out."""
    current: Place | None = place
    for above in range(MOST_ABOVE + 1):
        if current is None:
            return
        if above and not slips_only:
            yield from _of_call(current, own, kind, words)
        for assignment, rerun in _makers(current, own):
            trial = _of_maker(current, assignment, rerun, own, kind, words)
            slips = [one for one in trial.changes if _is_slip(one.variant)]
            trial = trial._replace(changes=slips) if slips_only else trial
            if trial.changes:
                yield trial
        current = current.above


def _is_slip(variant: Variant) -> bool:
    return isinstance(variant.part, ast.Constant) or variant.text == f"{ast.unparse(variant.part)}()"


def _of_call(place: Place, own: OwnCode, kind: type[BaseException], words: Callable[[Any], str]) -> Iterator[Trial]:
    """The user's own call of the function that failed, with other arguments."""
    node = place.node
    if not isinstance(node, ast.Call) or not own.only_computes(node, place.names(), place.source):
        return
    scope = Scope(place.frame, place.names())
    offered = changed(node, scope)[:MOST_CHANGES]

    def again() -> Any:
        return eval(compile(code_of(node), "<whydied>", "eval"), place.names())

    def ask(variant: Variant) -> str:
        names = place.names()
        with scope.graph(node):
            value = eval(compile(variant.code, "<whydied>", "eval"), names)
            run_on(place, value, names, own)
        return words(value)

    yield Trial(_control(again, kind), [Changed(one, place, place.line, _question(ask, one)) for one in offered])


def _of_maker(
    place: Place,
    assignment: ast.Assign,
    rerun: list[ast.stmt],
    own: OwnCode,
    kind: type[BaseException],
    words: Callable[[Any], str],
) -> Trial:
    names = place.names()
    target = assignment.targets[0]
    value = names.get(target.id) if isinstance(target, ast.Name) else None
    scope = Scope(place.frame, names)
    offered = [*whole_forms(assignment.value, value, scope), *changed(assignment.value, scope)]
    offered = sorted({one.text: one for one in reversed(offered)}.values(), key=lambda one: one.cost)[:MOST_CHANGES]

    def led(first: ast.expr) -> tuple[Any, dict[str, Any]]:
        """The value of the failing expression, with another one assigned."""
        names = place.names()
        try:
            for statement in rerun:
                mine = statement is assignment
                execute(ast.Assign(targets=assignment.targets, value=first) if mine else statement, names)
                # A function of the program's own looks for a name in its module.
                known = place.frame.f_globals
                known.update({name: names[name] for name in _stored(statement) if name in known and name in names})
        except Exception as error:
            raise _Failed from error
        return _value(place.node, names), names

    def ask(variant: Variant) -> str:
        assert isinstance(variant.code, ast.Expression)
        with scope.graph(place.node):
            value, names = led(variant.code.body)
            run_on(place, value, names, own)
        return words(value)

    return Trial(
        _control(lambda: led(assignment.value), kind),
        [
            Changed(one, place, assignment.lineno, _question(ask, one))
            for one in offered
            if isinstance(one.code, ast.Expression)
        ],
    )


def _value(node: ast.AST, names: dict[str, Any]) -> Any:
    if isinstance(node, ast.expr):
        return eval(compile(code_of(node), "<whydied>", "eval"), names)
    assert isinstance(node, ast.stmt)
    execute(node, names)
    return None


def _control(again: Callable[[], Any], kind: type[BaseException]) -> Callable[[], str]:
    def ask() -> str:
        try:
            again()
        except kind:
            return "as before"
        except Exception:
            return ""
        return ""

    return ask


def _question(ask: Callable[[Variant], str], variant: Variant) -> Callable[[], str]:
    def asked() -> str:
        try:
            return ask(variant)
        except Exception:
            return RAISED

    return asked


def _makers(place: Place, own: OwnCode) -> Iterator[tuple[ast.Assign, list[ast.stmt]]]:
    """The assignments that the values of an expression come from, the nearest first, each with the statements that have
    to be run again."""
    statement = place.statement
    if statement is None or not isinstance(place.node, ast.expr | ast.For):
        return
    node = place.node.iter if isinstance(place.node, ast.For) else place.node
    if not own.only_computes(node, place.names(), place.source):
        return
    found: dict[int, ast.Assign] = {}
    waiting = [node]
    for _ in range(MOST_RERUN):
        if not waiting:
            break
        using = waiting.pop(0)
        for name in _loaded(using):
            made = _assignment(name, place, using.lineno)
            if made is not None and id(made) not in found:
                found[id(made)] = made
                waiting.append(made.value)
    for made in itertools.islice(found.values(), MOST_MAKERS):
        rerun = _rerun(made, statement, place, own)
        if rerun is not None:
            yield made, rerun


def _assignment(name: str, place: Place, line: int) -> ast.Assign | None:
    """The only statement that can have given a name its value at a line: one of the same function, or of the module."""
    scope = place.scope
    is_global = function_at(place.source.tree, line) is None
    found = reaching(name, place.source.tree if is_global else scope, line)
    if found.from_before and not found.bindings and isinstance(scope, ast.FunctionDef) and not is_global:
        if name in place.frame.f_code.co_varnames:
            return None
        only = bindings(name, place.source.tree)
        return _plain(only[0]) if len(only) == 1 else None
    return _plain(found.bindings[0]) if len(found.bindings) == 1 and not found.from_before else None


def _plain(binding: Binding) -> ast.Assign | None:
    node = binding.node
    return node if isinstance(node, ast.Assign) and len(node.targets) == 1 else None


def _rerun(made: ast.Assign, statement: ast.stmt, place: Place, own: OwnCode) -> list[ast.stmt] | None:
    """The statements from an assignment to the failing one that use what it makes; None where they cannot be run again
    with the values that are left."""
    scope = place.scope
    path = blocks_to(scope, statement)
    start = blocks_to(scope, made)
    if not path:
        return None
    if not start:
        before = [one for block in path for one in block.statements[: block.at]]
        headers = [block.owner for block in path[1:]]
    else:
        level = len(start) - 1
        if level >= len(path) or path[level].statements is not start[level].statements:
            return None
        if start[level].at >= path[level].at:
            return None
        before = list(path[level].statements[start[level].at + 1 : path[level].at])
        before += [one for block in path[level + 1 :] for one in block.statements[: block.at]]
        headers = [block.owner for block in path[level + 1 :]]
    found: list[ast.stmt] = [made]
    made_anew = _stored(made)
    for one in before:
        if made_anew & _loaded(one):
            found.append(one)
            made_anew |= _stored(one)
    loops = [one for one in headers if isinstance(one, ast.For | ast.With)]
    if any(made_anew & _loaded(one.iter if isinstance(one, ast.For) else one.items[0].context_expr) for one in loops):
        return None
    if len(found) > MOST_RERUN or not _is_fresh(found, statement, place, local=bool(start)):
        return None
    names = place.names()
    if any((describe(names[name]).size_bytes or 0) > LARGEST_BYTES for name in made_anew if name in names):
        return None
    return found if all(own.only_computes(one, names, place.source) for one in found) else None


def _is_fresh(rerun: list[ast.stmt], statement: ast.stmt, place: Place, *, local: bool) -> bool:
    """Whether all that the statements use has the value still that it had, or gets it anew."""
    made_anew: set[str] = set()
    for one in rerun:
        for name in _loaded(one) - made_anew:
            if one is rerun[0] and not local:
                continue
            then, now = (reaching(name, place.scope, line) for line in (one.lineno, statement.lineno))
            if [id(each.node) for each in then.bindings] != [id(each.node) for each in now.bindings]:
                return False
        made_anew |= _stored(one)
    return True


def _loaded(node: ast.AST) -> set[str]:
    return {one.id for one in ast.walk(node) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load)}


def _stored(node: ast.AST) -> set[str]:
    return {one.id for one in ast.walk(node) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)}
