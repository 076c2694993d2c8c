"""A generator, a `map`, a `zip` or a view stands where a list or an array is needed.

## What it detects
An exception that names such an object (`object of type 'generator' has no len()`, `'map' object is not
subscriptable`, `<class 'dict_values'>`), with the expression that makes it: in the failing line, or before it as an
element of a list, an argument, a result, a value of a dict, an item of a loop.

## Why it happens
`(f(x) for x in rows)` and `map(f, rows)` compute nothing and have no length, no positions and no shape; they look like
the list `[f(x) for x in rows]`. An argument that stands alone, as in `rows.append(f(x) for x in row)`, does not even
need the parentheses. A `range`, a `set` and the views of a dict have a length, and still no positions or operators.

## Evidence
The type that the exception names, and the way of the values through the source back to what makes that type.

## How it is proved
Where the exception names the function that the generator stands in, and it has one, that one is it: certain. Else the
only expression behind the failing line that makes such a type: likely.

## Fix
A list: brackets around the expression, or `list(…)`.

## Known problems
Functions of the program that `yield` are not told: they are often endless on purpose.

## References
Python documentation: Generator expressions; Dictionary view objects.
"""

from __future__ import annotations

import ast
import re

from whydied.diagnose.case import Case, line_words, prefix
from whydied.diagnose.data.failing_data import Failing, failing
from whydied.diagnose.errors.usage import said, text_of
from whydied.diagnose.finding import Culprit, Evidence, Finding
from whydied.records import RaisedException
from whydied.source.calls import callee
from whydied.source.edits.edit import Change, Edit, over, written_in
from whydied.source.edits.shapes.value_edits import in_words_of
from whydied.source.origins.contents import Contents, Origin
from whydied.source.trees import across, walk, within, written
from whydied.texts import python_errors, shapes_and_types

ROLE = "explanation"
YIELDS_TO = ("list-used-as-array", "not-picklable", "shared-generator", "api-removed")
_TYPES = ("TypeError", "ValueError", "AttributeError", "UnrecognizedDataTypeError")
_KIND = python_errors.LAZY.pattern
_MOST_EXPRESSIONS = 12
_LAZY = ("generator", "map", "filter", "zip", "dict_values")
_OF_ITERATORS = ("next", "send", "close", "throw")
"""A list has none of them either: code of Python 2."""
_VIEWS = {"dict_keys": "keys", "dict_values": "values", "dict_items": "items"}


def check(case: Case) -> Finding | None:
    found = failing(case)
    if found is None or case.uncaught is None:
        return None
    for link in case.uncaught.chain:
        for kind, maker in _told(link):
            named = _in_named(found, maker, kind)
            made = [named] if named is not None else _behind(found, kind)
            if len(made) == 1:
                return _finding(found, kind or "iterator", made[0], certain=named is not None)
    return None


def _told(link: RaisedException) -> list[tuple[str, str]]:
    """The types that an exception names, each with the function that it stands in; "" where it is only said that no
    list was given."""
    text = text_of(link)
    missing = python_errors.OBJECT_WITHOUT_ATTRIBUTE.search(text)
    if link.type not in _TYPES or (missing is not None and missing[2] in _OF_ITERATORS):
        return []
    found = [(one["quoted"] or one["shown"] or one["held"], one["maker"] or "") for one in _KIND.finditer(text)]
    return found or ([("", "")] if shapes_and_types.NO_SEQUENCE.search(text) else [])


def _in_named(found: Failing, maker: str, kind: str) -> Origin | None:
    """The only generator expression of the function that a generator is named after."""
    names = maker.split(".<locals>.")
    owner = names[-2].rpartition(".")[2] if len(names) > 1 and names[-1] == "<genexpr>" else ""
    functions = [one for one in across(found.sources, ast.FunctionDef) if one[1].name == owner]
    made = [
        Origin(file, node)
        for file, function in functions
        for node in within(function)
        if isinstance(node, ast.GeneratorExp) and not _is_used_up(found, file, node)
    ]
    return made[0] if kind == "generator" and len(made) == 1 else None


def _behind(found: Failing, kind: str) -> list[Origin]:
    """What makes a value of that type, behind what the failing line uses."""
    contents = Contents(found.sources, found.trails)
    made: dict[tuple[str, int, int], Origin] = {}
    asked = [
        one for one in found.expressions if isinstance(one, ast.Name | ast.Attribute | ast.Call | ast.GeneratorExp)
    ]
    loaded = [one for one in asked if not isinstance(getattr(one, "ctx", None), ast.Store)]
    seen = {one.text for one in found.link.operands if one.type.rpartition(".")[2] == kind}
    loaded = [one for one in loaded if written(one) in seen] or loaded
    for node in loaded[:_MOST_EXPRESSIONS]:
        for one in contents.of(found.place.file, node):
            if not one.is_held and _makes(one.node, kind) and not _is_used_up(found, one.file, one.node):
                made.setdefault((one.file, one.node.lineno, one.node.col_offset), one)
    return list(made.values())


def _makes(node: ast.expr, kind: str) -> bool:
    if not kind:
        return any(_makes(node, one) for one in _LAZY)
    if kind == "generator":
        return isinstance(node, ast.GeneratorExp)
    if kind == "set" and isinstance(node, ast.Set | ast.SetComp):
        return True
    if not isinstance(node, ast.Call):
        return False
    if kind in _VIEWS:
        return isinstance(node.func, ast.Attribute) and node.func.attr == _VIEWS[kind] and not node.args
    return isinstance(node.func, ast.Name) and node.func.id == kind


def _is_used_up(found: Failing, file: str, node: ast.expr) -> bool:
    """Whether what it is passed to goes through it at once: `sum(x for x in row)`."""
    for call in walk(found.sources[file].tree, ast.Call):
        if node in call.args and isinstance(call.func, ast.Name):
            return found.trails.called(call) is None and call.func.id in _GOING_THROUGH
        if node in call.args and callee(call) in ("join", "extend", "update", "fromiter"):
            return True
    return any(one.iter is node for one in walk(found.sources[file].tree, (ast.For, ast.comprehension)))  # type: ignore[attr-defined]


_GOING_THROUGH = frozenset(
    {
        *("sum", "max", "min", "any", "all", "list", "tuple", "set", "dict", "sorted", "frozenset", "Counter", "len"),
        *("next", "enumerate", "zip", "map", "filter", "deque"),
    }
)


def _finding(found: Failing, kind: str, made: Origin, *, certain: bool) -> Finding:
    source = found.sources[made.file]
    where = found.located(made.file, made.node.lineno)
    text = written_in(source, made.node)
    right, needed = _listed(found, made, text, kind)
    article = f"an {kind}" if kind[0] in "aeiou" else f"a {kind}"
    shown = re.sub(r"\s+", " ", text.strip())
    shown = shown if len(shown) <= 60 else f"{shown[:57]}…"
    same = (where.file, where.line) == (found.place.file, found.place.line)
    use = "" if same else f", and {line_words(found.place)} needs its values"
    words = f"`{shown}` is {article} and not a list{use}"
    edit = over(source, made.file, made.node, right)
    right_words = right.removeprefix("(").removesuffix(")") if right.startswith("([") else right
    title = f"Write `{right_words}`" if "\n" not in right and len(right) <= 80 else "Make a list of it"
    return Finding(
        message=f"{prefix(where)}{words}",
        certainty="certain" if certain else "likely",
        location=where,
        culprit=Culprit(kind="expression", name=shown),
        evidence=[said(found.link), Evidence(fact="type in the exception", value=kind, source="ExceptionRaised")],
        advice=[f"{title}: a list has a length and positions, and can be read more than once."],
        changes=[Change(title=title, kind="expression", edits=[*needed, edit])] if found.is_editable(made.file) else [],
    )


def _listed(found: Failing, made: Origin, text: str, kind: str) -> tuple[str, list[Edit]]:
    """The list in its place; an array where what an array has was asked of it. A generator that is the only argument of
    a call has the brackets of the call."""
    source, node = found.sources[made.file], made.node
    # The order of a set is another one in each run.
    right = f"sorted({text})" if kind == "set" else f"list({text})"
    if isinstance(node, ast.GeneratorExp):
        right = f"[{text[1:-1] if text.startswith('(') and _encloses(text) else text}]"
    calls = [one for one in walk(source.tree, ast.Call) if one.args == [node]]
    alone = [one for one in calls if (one.func.end_lineno, one.func.end_col_offset) == (node.lineno, node.col_offset)]
    missing = python_errors.OBJECT_WITHOUT_ATTRIBUTE.search(text_of(found.link))
    needed: list[Edit] = []
    if missing is not None and not hasattr(list, missing[2]):
        right, needed = in_words_of(source, made.file, f"np.array({right})", right)
    return (f"({right})" if alone else right), needed


def _encloses(text: str) -> bool:
    """Whether the first bracket closes at the end."""
    depth = 0
    for at, one in enumerate(text):
        depth += (one in "([{") - (one in ")]}")
        if depth == 0:
            return at == len(text) - 1
    return False
