"""A column or key is asked for that an earlier statement has removed.

## What it detects
A `KeyError` of a name that an earlier statement of the program took out of the same table or dictionary: `pop`, `del`,
`drop`, `set_index`, `rename`; also where it is the same statement, that ran before.

## Why it happens
`pop`, `del` and `inplace=True` change the table itself, so what ran once cannot run again: a cell of a notebook that is
run twice, a function that gets the same table twice, a loop.

## Evidence
The names that the table has at the failure, recorded; the line that takes the name out, from the source.

## How it is proved
The name is not there, and a line that ran before removes it: likely. Certain where the same table is known to have gone
through that line: a statement of the same cell or module above the failing one.

## Fix
One of the two lines, or a copy of the table.

## Known problems
What is removed by a name that is put together at run time is not seen.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple

from whydied.diagnose.case import Case, prefix
from whydied.diagnose.data.failing_data import Failing, fact, failing, words_at
from whydied.diagnose.errors.usage import said
from whydied.diagnose.finding import Culprit, Evidence, Finding
from whydied.source.bindings import module_files
from whydied.source.calls import callee
from whydied.source.origins.trails import root_name
from whydied.source.statements import in_loop_body
from whydied.source.trees import enclosing, function_at, nodes_on, tree_of, walk, written

ROLE = "explanation"
_TAKING = frozenset({"drop", "pop", "set_index", "rename", "get_dummies"})


class _Removal(NamedTuple):
    """A statement that takes a key out of something; `how` is its verb, `from_text` what it is taken out of."""

    file: str
    line: int
    how: str
    from_text: str


def check(case: Case) -> Finding | None:
    found = failing(case, "KeyError")
    if found is None:
        return None
    for key in _keys(found):
        if key in _present(found):
            continue
        removal = _removal(found, key)
        if removal is not None:
            return _finding(found, key, removal)
    return None


def _keys(found: Failing) -> list[str]:
    """The names in the failing statement that the exception speaks of."""
    texts = [one.value for one in found.expressions if isinstance(one, ast.Constant) and isinstance(one.value, str)]
    return list(dict.fromkeys(text for text in texts if repr(text) in found.link.message))


def _present(found: Failing) -> set[str]:
    """The names that what was asked has at the failure."""
    names = {key.strip("'\"") for key in found.link.keys}
    holders = _holders(found)
    for one in found.data:
        if one.text in holders:
            names |= set(one.columns)
    return names


def _holders(found: Failing) -> set[str]:
    """What the failing statement asks, as it is written."""
    owners = [node.value for node in found.expressions if isinstance(node, ast.Subscript)]
    owners += [
        node.func.value
        for node in found.expressions
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and callee(node) in _TAKING
    ]
    return {written(one) for one in owners}


def _removal(found: Failing, key: str) -> _Removal | None:
    """The last statement before the failing one that takes the key out of the same thing; else the failing one, where
    it does that itself and can have run before."""
    place = found.place
    names = _names(found)
    before: list[_Removal] = []
    for file in module_files(found.sources, place.file):
        tree = tree_of(found.sources, file)
        for one in _removals(file, tree, key):
            same = function_at(tree, one.line) is function_at(tree_of(found.sources, place.file), place.line)
            earlier = file != place.file or (one.line < place.line and same)
            if earlier and root_name(_parsed(one.from_text)) in names:
                before.append(one)
    if before:
        return before[-1]
    own = [one for one in _removals(place.file, tree_of(found.sources, place.file), key) if one.line == place.line]
    if own and (_ran_before(found) or in_loop_body(tree_of(found.sources, place.file), place.line)):
        return own[0]
    return None


def _names(found: Failing) -> set[str]:
    """The names under which the thing goes: its own, what a loop takes it from, and what was passed for it."""
    names: set[str] = set()
    for text in _holders(found):
        node = found.expression(text)
        root = root_name(node) if node is not None else ""
        names.add(root)
        for step in found.trails.trail(found.place.file, found.place.line, node) if node is not None else []:
            if step.in_loop and isinstance(step.value, ast.Tuple | ast.List):
                names |= {root_name(one) for one in step.value.elts}
            elif isinstance(step.value, ast.Name):
                names.add(step.value.id)
            if step.name:
                names.add(step.name)
    return names - {""}


def _parsed(text: str) -> ast.AST:
    return ast.parse(text, mode="eval").body


def _removals(file: str, tree: ast.AST, key: str) -> Iterator[_Removal]:
    for node in walk(tree, (ast.Call, ast.Delete)):
        if isinstance(node, ast.Delete):
            for target in node.targets:
                if isinstance(target, ast.Subscript) and getattr(target.slice, "value", None) == key:
                    yield _Removal(file, node.lineno, "del", written(target.value))
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and _takes(node, tree, key):
            yield _Removal(file, node.lineno, callee(node), written(_subject(node)))


def _subject(call: ast.Call) -> ast.expr:
    assert isinstance(call.func, ast.Attribute)
    return call.args[0] if callee(call) == "get_dummies" and call.args else call.func.value


def _takes(call: ast.Call, tree: ast.AST, key: str) -> bool:
    """Whether a call names the key, and changes the thing itself or gives the changed one the same name."""
    if callee(call) not in _TAKING or not any(_names_key(one, key) for one in _given(call)):
        return False
    if callee(call) == "pop":
        return True
    inplace = next((one.value for one in call.keywords if one.arg == "inplace"), None)
    if isinstance(inplace, ast.Constant) and inplace.value is True:
        return True
    root = root_name(_subject(call))
    return any(
        root in {written(target) for target in node.targets}
        for node in walk(tree, ast.Assign)
        if any(one is call for one in ast.walk(node.value))
    )


def _given(call: ast.Call) -> list[ast.expr]:
    if callee(call) == "get_dummies":
        return [one.value for one in call.keywords if one.arg == "columns"]
    return [*call.args, *(one.value for one in call.keywords if one.arg in ("columns", "labels", "keys", "item"))]


def _names_key(node: ast.expr, key: str) -> bool:
    if isinstance(node, ast.Constant):
        return bool(node.value == key)
    if isinstance(node, ast.Dict):
        return any(isinstance(one, ast.Constant) and one.value == key for one in node.keys)
    return isinstance(node, ast.List | ast.Tuple | ast.Set) and any(_names_key(one, key) for one in node.elts)


def _ran_before(found: Failing) -> bool:
    """Whether the failing statement stands in a function that the program calls in several places or in a loop."""
    name = enclosing(tree_of(found.sources, found.place.file), found.place.line)
    if name == "<module>":
        return False
    calls = [
        (file, call)
        for file, source in found.sources.items()
        for call in walk(source.tree, ast.Call)
        if callee(call) == name
    ]
    looped = any(in_loop_body(found.sources[file].tree, call.lineno) for file, call in calls)
    return len(calls) > 1 or looped


def _finding(found: Failing, key: str, removal: _Removal) -> Finding:
    place = found.located(removal.file, removal.line)
    again = (removal.file, removal.line) == (found.place.file, found.place.line)
    failing_removes = any(
        (isinstance(node, ast.Call) and callee(node) in _TAKING) or isinstance(node, ast.Delete)
        for node in nodes_on(found.sources[found.place.file], found.place.line)
    )
    verb = {"del": "`del`", "rename": "`rename`"}.get(removal.how, f"`{removal.how}`")
    if again:
        words = f"{verb} takes `{key}` out of `{removal.from_text}` itself, and this line ran before with the same one"
        advice = f"Work on a copy (`{removal.from_text} = {removal.from_text}.copy()` before it), or let it run once."
    else:
        asked = words_at(found.place.file, found.place.line)
        words = f"{verb} has taken `{key}` out of `{removal.from_text}`, and {asked} asks for it again"
        if failing_removes:
            advice = f"Leave out one of the two: {words_at(removal.file, removal.line)} or {asked}."
        else:
            advice = f"Read `{key}` before {words_at(removal.file, removal.line)} removes it, or keep what it returns."
    if found.place.cell is not None and failing_removes:
        advice += " In a notebook, first run the cell again that makes the table."
    return Finding(
        message=f"{prefix(place)}{words}",
        certainty="likely",
        location=place,
        culprit=Culprit(kind="column", name=key),
        evidence=[said(found.link), *_columns(found)],
        advice=[advice],
    )


def _columns(found: Failing) -> list[Evidence]:
    names = [name for text in _holders(found) if (one := found.looked(text)) is not None for name in one.columns]
    return [fact("columns", ", ".join(names))] if names else []
