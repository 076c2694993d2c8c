"""What a model that fails while it is built was to be trained on: what the program passes to a `fit` that it has not
reached, in the function at work, in one that called it, or in a cell of the notebook that has not run; runs in the
user's process, after an exception.

Invariant: a value counts only where nothing between the failing line and the `fit` gives its name another one.
"""

from __future__ import annotations

import ast
import json
import os
from collections.abc import Iterator
from typing import Any, NamedTuple

from whydied.inside.errors.framework.data_elements import elements_of
from whydied.inside.errors.framework.looked_values import looked_at
from whydied.inside.errors.framework.value_sources import function_at
from whydied.inside.errors.stack_steps import Step
from whydied.inside.guest import guard, live_source, lookup
from whydied.inside.guest.value_facts import describe
from whydied.records import Party
from whydied.source.calls import passed_argument
from whydied.source.text import parsed
from whydied.source.trees import nodes_on, stored_in, within, written

ENV_NOTEBOOK = "WHYDIED_NOTEBOOK"
"""The same as `inside.notebook.cells.ENV_NOTEBOOK`, which needs this room."""
LARGEST_NOTEBOOK = 50_000_000


class _Fit(NamedTuple):
    """A `fit` that is still to come: the model as the source writes it, its x, and the names that are given other
    values before it."""

    owner: str
    data: ast.expr
    changed: frozenset[str]


def planned(users: list[Step]) -> list[Party]:
    """The data of the `fit` of this model, else of the only one; the shape is that of all rows, or of a batch."""
    for step in users:
        fits = [*_below(step), *_in_later_cells(step)]
        owners = _models(step)
        own = [one for one in fits if one.owner in owners]
        chosen = own[:1] or (fits[:1] if len({one.owner for one in fits}) == 1 else [])
        for fit in chosen:
            if _root(fit.data) in fit.changed:
                return []
            value = lookup.evaluate(fit.data, step.frame)
            if describe(value).shape is not None:
                return [looked_at("planned", value, fit.data, [step])]
            given = [party for party in elements_of(value, fit.data, [step]) if party.role == "element"]
            if len(given) == 1 and given[0].shape:
                return [Party(role="planned", text=given[0].text, type=given[0].type, shape=given[0].shape)]
    return []


def _root(node: ast.expr) -> str:
    while isinstance(node, ast.Attribute | ast.Subscript):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def _models(step: Step) -> set[str]:
    """What the failing statement makes or adds a layer to."""
    source = live_source.source(step.file or "")
    found: set[str] = set()
    for node in nodes_on(source, step.line) if source is not None else ():
        if isinstance(node, ast.Assign):
            found |= {written(target) for target in node.targets}
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "add":
            found.add(written(node.func.value))
    return found


def _below(step: Step) -> list[_Fit]:
    """In the function or module of a step, behind its line."""
    source = live_source.source(step.file or "")
    if source is None:
        return []
    scope = function_at(source.tree, step.line, step.function) or source.tree
    _, last = source.span(step.line)
    return list(_fits(scope, last, frozenset()))


def _fits(scope: ast.AST, last: int, changed: frozenset[str]) -> Iterator[_Fit]:
    nodes = list(within(scope))
    stored = [one for one in nodes if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)]
    for node in sorted(nodes, key=lambda one: getattr(one, "lineno", 0)):
        called = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "fit"
        if not called or not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            continue
        data = passed_argument(node, "x") or passed_argument(node, "0")
        if data is not None and node.lineno > last:
            between = frozenset(one.id for one in stored if last < one.lineno < node.lineno)
            yield _Fit(written(node.func.value), data, changed | between)


def _in_later_cells(step: Step) -> list[_Fit]:
    """In the cells behind the one that failed, as the file of the notebook has them."""
    source, path = live_source.source(step.file or ""), os.environ.get(ENV_NOTEBOOK, "")
    if source is None or not step.is_module or not path or os.path.exists(step.file or ""):
        return []
    changed = frozenset(
        one.id
        for one in within(source.tree)
        if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store) and one.lineno > source.span(step.line)[1]
    )
    found: list[_Fit] = []
    texts = _cells(path)
    behind = next((at for at, text in enumerate(texts) if text.strip() == source.exact.strip()), len(texts))
    for text in texts[behind + 1 :]:
        try:
            tree = parsed(text)
        except (SyntaxError, ValueError, RecursionError):
            continue
        found += _fits(tree, 0, changed)
        changed |= stored_in(tree)
    return found


def _cells(path: str) -> list[str]:
    """The code of a notebook's cells; of lines for IPython alone nothing is left."""
    try:
        if os.path.getsize(path) > LARGEST_NOTEBOOK:
            return []
        with open(path, encoding="utf-8") as file:
            cells: list[Any] = json.load(file)["cells"]
        return [_text(one["source"]) for one in cells if one["cell_type"] == "code"]
    except Exception as error:
        if guard.is_the_users(error):
            raise
        return []


def _text(source: str | list[str]) -> str:
    lines = source if isinstance(source, str) else "".join(source)
    return "\n".join("" if line.lstrip().startswith(("%", "!")) else line for line in lines.split("\n"))
