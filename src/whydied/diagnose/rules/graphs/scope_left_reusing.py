"""A variable scope was told to reuse its variables, and is still to do so when new ones are made.

## What it detects
`get_variable` refuses a variable that the graph does not have, after `get_variable_scope().reuse_variables()` outside
of any `with variable_scope(…)`: mostly one of those that an optimizer keeps for each variable (`w/Adam`).

## Why it happens
`reuse_variables` has an effect until its scope ends. Outside of a block that is the scope of the whole graph, which
never ends: from that line on nothing new can be made, also not by `minimize`.

## Evidence
The name of the refused variable, and the only line that makes the scope reuse.

## How it is proved
TensorFlow says that the scope reuses; that this line made it do so is read from the source: likely.

## Fix
A block around what is to share its variables: `with tf.variable_scope(tf.get_variable_scope()):` ends the reuse and
keeps the names. Or a scope with `reuse=tf.AUTO_REUSE` around what makes new variables.

## Known problems
A `with` block in the caller of the function that reuses is not seen.

## References
TensorFlow documentation: tf.compat.v1.VariableScope, tf.compat.v1.get_variable_scope.
"""

from __future__ import annotations

import ast

from whydied.diagnose.case import Case, line_words, prefix
from whydied.diagnose.errors.exception_words import evidence_of
from whydied.diagnose.errors.quotation import Quotation, quoted
from whydied.diagnose.errors.session_error import v1
from whydied.diagnose.finding import Culprit, Finding
from whydied.source.calls import callee
from whydied.source.edits.edit import Change, Edit
from whydied.source.edits.statement_edits import around_statements, statement_at
from whydied.source.text import Source
from whydied.source.trees import Function, across, around, function_at, located, walk, written
from whydied.texts import session_errors

_NOT_MADE = session_errors.VARIABLE_NOT_MADE.pattern
_UPDATES = ("minimize", "apply_gradients")
_LOOPS = (ast.For, ast.While)

ROLE = "explanation"


def check(case: Case) -> Finding | None:
    said = quoted(case, _NOT_MADE)
    found = _reusing(case) if said is not None else []
    if said is None or said.place is None or len(found) != 1:
        return None
    file, call = found[0]
    place = located(case.sources, file, call.lineno)
    scope = f"{v1(case, 'variable_scope')}({v1(case, 'get_variable_scope()')}"
    ended = _ended(case.sources[file], file, call, f"with {scope}):")
    changes = [
        Change(title=title, kind="statement", edits=edits)
        for title, edits in (
            (f"End the reuse with `with {scope}):` around what shares its variables", ended),
            (
                f"Make the new variables in `with {scope}, reuse={v1(case, 'AUTO_REUSE')}):`",
                _free(case, said, f"with {scope}, reuse={v1(case, 'AUTO_REUSE')}):"),
            ),
        )
        if edits
    ]
    return Finding(
        message=f"{prefix(place)}`{written(call)}` makes the scope of the whole graph reuse its variables from here "
        f"on, so {line_words(said.place)} cannot make `{said.match['name']}`; expected the reuse to end with what is "
        "shared",
        certainty="likely",
        location=place,
        culprit=Culprit(kind="scope", name=written(call.func).rpartition(".")[0]),
        evidence=evidence_of(said.link, said.raised)[:1],
        advice=[f"{one.title}." for one in changes]
        or [f"Put what is to share its variables into `with {scope}):`; the reuse ends with the block."],
        changes=changes,
    )


def _reusing(case: Case) -> list[tuple[str, ast.Call]]:
    """The calls that make the scope reuse which is the current one, outside of any scope of their function."""
    return [
        (file, call)
        for file, call in across(case.sources, ast.Call)
        if isinstance(call.func, ast.Attribute)
        and call.func.attr == "reuse_variables"
        and isinstance(call.func.value, ast.Call)
        and callee(call.func.value) == "get_variable_scope"
        and not _scoped(case.sources[file], call.lineno)
    ]


def _scoped(source: Source, line: int) -> bool:
    function = function_at(source.tree, line)
    return any(
        function_at(source.tree, block.lineno) is function
        for block in around(source.tree, line, ast.With)
        for item in block.items
        if isinstance(item.context_expr, ast.Call) and callee(item.context_expr).endswith("variable_scope")
    )


def _ended(source: Source, file: str, call: ast.Call, header: str) -> list[Edit]:
    """A block from the reuse to the end of its function; around the outermost loop, where it is made in one."""
    function = function_at(source.tree, call.lineno)
    nodes = around(source.tree, call.lineno, _LOOPS)
    loops = [one for one in nodes if function_at(source.tree, one.lineno) is function]
    if loops:
        return around_statements(source, file, loops[0], loops[0], header)
    if not isinstance(function, Function):
        return []
    first = next((one for one in function.body if one.lineno <= call.lineno <= (one.end_lineno or 0)), None)
    return around_statements(source, file, first, function.body[-1], header) if first is not None else []


def _free(case: Case, said: Quotation, header: str) -> list[Edit]:
    """A block around each statement that updates variables in the failing function, else around the one that failed."""
    place = said.place
    source = case.sources.get(place.file) if place is not None else None
    if place is None or source is None:
        return []
    function = function_at(source.tree, place.line)
    updates = [
        call.lineno
        for call in walk(function or source.tree, ast.Call)
        if isinstance(call.func, ast.Attribute) and call.func.attr in _UPDATES
    ]
    lines = updates if any(statement_at(source, line) is statement_at(source, place.line) for line in updates) else []
    nodes = [statement_at(source, line) for line in lines or [place.line]]
    plain = [one for one in dict.fromkeys(nodes) if one is not None and not hasattr(one, "body")]
    return [edit for one in plain for edit in around_statements(source, place.file, one, one, header)]
