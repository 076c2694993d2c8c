"""A tensor or a Keras variable is used as if it were an array or a plain Python value.

## What it detects
An assignment to items of a tensor (`boxes[:, 0] = …`), and a Keras variable as a condition (`if self.bias:`).

## Why it happens
Tensors cannot be changed; NumPy arrays can. Whether a layer has a weight at all is often asked by its truth value,
which Keras variables refuse to have.

## Evidence
The failing statement, the type of the value there, and the line that made it.

## How it is proved
Python or Keras states the refused use: certain.

## Fix
An array, or a new tensor made from the parts; `is not None` for a weight that may be missing.

## Known problems
None known.
"""

from __future__ import annotations

import ast
import re

from whydied.diagnose.case import Case, line_words, prefix
from whydied.diagnose.errors.usage import place_of, root_link, said, text_of
from whydied.diagnose.finding import Culprit, Finding, Location
from whydied.records import Frame, RaisedException
from whydied.source.assignments import item_targets, last_assignment, targets
from whydied.source.edits.edit import Change, Edit, line_before, over, written_in
from whydied.source.edits.statement_edits import statement_at
from whydied.source.trees import across, dotted_name, nodes_at, scope_at, tree_of, written
from whydied.texts import python_errors, tensors

ROLE = "explanation"
YIELDS_TO = ("symbolic-as-value",)
_TYPE = re.compile(r"'(?:[\w.]+\.)?(\w+)'")


def check(case: Case) -> Finding | None:
    link, place = root_link(case), place_of(case)
    if link is None or place is None or link.type != "TypeError":
        return None
    text = text_of(link)
    if python_errors.NOT_ASSIGNABLE.pattern.search(text):
        return _items(case, link, place, text)
    if tensors.VARIABLE_AS_CONDITION.pattern.search(text):
        return _condition(case, link, place)
    return None


def _items(case: Case, link: RaisedException, place: Location, text: str) -> Finding | None:
    told = _TYPE.search(text)
    kind = told[1] if told else ""
    names = list(dict.fromkeys(item_targets(case.sources, place)))
    if ("Tensor" not in kind and "Variable" not in kind) or len(names) != 1:
        return None
    name = names[0]
    made = last_assignment(name, scope_at(tree_of(case.sources, place.file), place.line), place.line)
    value = getattr(made, "value", None)
    words = f"`{name}` is a tensor, which cannot be changed"
    where, whole = place, f"{name}.numpy()"
    if made is not None and value is not None and targets(made) and written(targets(made)[0]) == name:
        where = case.locate(Frame(file=place.file, line=made.lineno, function=place.function or "", user=True))
        words += f", and {line_words(place)} assigns items of it"
        inner = written(value)
        whole = f"{inner}.numpy()" if isinstance(value, (ast.Name, ast.Call, ast.Attribute)) else f"({inner}).numpy()"
    if kind == "EagerTensor":
        advice = [f"Make it an array, which no gradient goes through: `{name} = {whole}`{_on(where, place)}."]
    elif "Variable" in kind:
        cut = next((written(one) for one in _subscripts(case, place)), f"{name}[…]")
        advice = [f"Write `{cut}.assign(…)` instead of the assignment."]
        words = f"`{name}` is a variable, and its items are not assigned with `=`"
        return _finding(link, place, words, name, advice, _assigned(case, place))
    else:
        advice = []
    advice.append(
        f"{'To keep it a tensor, build' if advice else 'Build'} a new one from its parts with `tf.concat` or "
        f"`tf.where`, or use `tf.tensor_scatter_nd_update({name}, indices, updates)`."
    )
    return _finding(link, where, words, name, advice, _as_array(case, where, place, name, whole, kind))


def _as_array(case: Case, where: Location, place: Location, name: str, whole: str, kind: str) -> list[Change]:
    """The eager tensor as an array: where it is made, else above the line that assigns its items."""
    source = case.sources.get(where.file)
    if source is None or kind != "EagerTensor":
        return []
    made = statement_at(source, where.line)
    if where == place:
        edit: Edit | None = line_before(source, place.file, place.line, f"{name} = {whole}")
    elif isinstance(made, ast.Assign) and written(made.value) != whole:
        text = written_in(source, made.value)
        plain = isinstance(made.value, (ast.Name, ast.Call, ast.Attribute))
        edit = over(source, where.file, made.value, f"{text}.numpy()" if plain else f"({text}).numpy()")
    else:
        edit = None
    return [Change(title=f"Make `{name}` an array", kind="expression", edits=[edit])] if edit is not None else []


def _assigned(case: Case, place: Location) -> list[Change]:
    """`v[0] = x` as `v[0].assign(x)`."""
    source = case.sources.get(place.file)
    node = statement_at(source, place.line) if source is not None else None
    if source is None or not isinstance(node, ast.Assign) or len(node.targets) != 1:
        return []
    cut, value = written_in(source, node.targets[0]), written_in(source, node.value)
    edit = over(source, place.file, node, f"{cut}.assign({value})")
    return [Change(title=f"Write `{cut}.assign(…)`", kind="expression", edits=[edit])]


def _on(where: Location, place: Location) -> str:
    return f" on {line_words(where)}" if where != place else ""


def _subscripts(case: Case, place: Location) -> list[ast.Subscript]:
    every = [one for node in nodes_at(case.sources, place) for one in targets(node)]
    return [one for one in every if isinstance(one, ast.Subscript)]


def _condition(case: Case, link: RaisedException, place: Location) -> Finding | None:
    tests = [node.test for node in nodes_at(case.sources, place) if isinstance(node, (ast.If, ast.While, ast.IfExp))]
    parts = [
        one
        for test in tests
        for one in (test.values if isinstance(test, ast.BoolOp) else [test])
        if dotted_name(one.operand if isinstance(one, ast.UnaryOp) else one)
    ]
    if len(parts) != 1:
        return None
    negated = isinstance(parts[0], ast.UnaryOp)
    name = written(parts[0].operand if isinstance(parts[0], ast.UnaryOp) else parts[0])
    # An attribute that is None in one branch is asked whether it is there.
    optional = any(
        isinstance(node.value, ast.Constant) and node.value.value is None and name in map(written, node.targets)
        for _, node in across(case.sources, ast.Assign)
    )
    right = f"{name} is {'' if negated else 'not '}None"
    if optional:
        advice = [f"Write `{right}` instead of `{written(parts[0])}`."]
    else:
        advice = [f"Write `{right}` to ask whether there is one, or `tf.cond({name} …, …)` to depend on its value."]
    words = f"`{name}` is a Keras variable, which has no truth value"
    source = case.sources.get(place.file)
    edits = [over(source, place.file, parts[0], right)] if source is not None else []
    changes = [Change(title=f"Write `{right}`", kind="expression", edits=edits)] if edits else []
    return _finding(link, place, words, name, advice, changes)


def _finding(
    link: RaisedException, place: Location, words: str, name: str, advice: list[str], changes: list[Change]
) -> Finding:
    return Finding(
        message=f"{prefix(place)}{words}",
        certainty="certain",
        location=place,
        culprit=Culprit(kind="tensor", name=name),
        evidence=[said(link)],
        advice=advice,
        changes=changes,
    )
