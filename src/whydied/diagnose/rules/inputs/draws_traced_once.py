"""Random numbers are drawn while a function is traced, and are the same for all elements and all epochs.

## What it detects
A check of the program's own (`assert`, `raise`) that fails on data out of a `Dataset.map`, or on what a `tf.function`
gives, where the function draws with `np.random`, `random` or a generator of NumPy.

## Why it happens
TensorFlow runs the Python code of such a function once, to make a graph of it. A number that Python draws in there is a
constant of the graph: each element is turned, shifted or masked in the same way, in each epoch.

## Evidence
The way from the failing check back to the call that has the function traced, and the draws in the function and in the
program's functions that it calls.

## How it is proved
That the draws are constants follows from where they stand; that the check failed of it is an inference: likely.

## Fix
`tf.random.uniform` and its siblings, which are ops and draw in each step; or `tf.numpy_function` around the Python
code.

## Known problems
Data that are the same in all epochs fail nothing by themselves: without a check nothing is told.

## References
TensorFlow documentation: tf.data.Dataset.map; Better performance with tf.function.
"""

from __future__ import annotations

import ast

from whydied.diagnose.case import Case, line_words, prefix
from whydied.diagnose.data.failing_data import Failing, failing
from whydied.diagnose.data.own_checks import is_own_check, judged
from whydied.diagnose.errors.usage import said
from whydied.diagnose.finding import Culprit, Evidence, Finding
from whydied.source.calls import callee
from whydied.source.edits.edit import Change
from whydied.source.edits.programs.draw_edits import drawn_by_tensorflow
from whydied.source.training.traced_draws import Traced, traced_draws
from whydied.source.trees import written

ROLE = "explanation"
YIELDS_TO = ("contract-broken",)


def check(case: Case) -> Finding | None:
    found = failing(case)
    if found is None or not is_own_check(found):
        return None
    traced = list(traced_draws(found.sources, found.trails))
    behind = _behind(found) if traced else set()
    seen = [one for one in traced if id(one.by) in behind or id(one.function) in behind]
    return _finding(found, seen[0]) if len(seen) == 1 else None


def _behind(found: Failing) -> set[int]:
    """The calls and functions that the values of the check came out of."""
    origins: set[int] = set()
    for origin in judged(found):
        origins.add(id(origin.node))
        if isinstance(origin.node, ast.Call) and (own := found.trails.called(origin.node)) is not None:
            origins.add(id(own[1]))
    return origins


def _finding(found: Failing, traced: Traced) -> Finding:
    file, draw = min(traced.draws, key=lambda one: (one[0], one[1].lineno))
    place = found.located(file, draw.lineno)
    more = len(traced.draws) - 1
    others = f" (and {more} more draw{'s' if more > 1 else ''})" if more else ""
    name = getattr(traced.function, "name", "")
    what = f"`{name}`" if name else "the lambda"
    by_map = isinstance(traced.by, ast.Call)
    way = f"`{callee(traced.by)}`" if isinstance(traced.by, ast.Call) else f"`{written(traced.by)}`"
    where = line_words(found.located(traced.file, traced.by.lineno))
    edits = drawn_by_tensorflow(found.sources, traced.draws)
    title = "Draw with `tf.random` instead, in each step"
    editable = edits is not None and all(found.is_editable(one.file) for one in edits)
    return Finding(
        message=f"{prefix(place)}`{written(draw)}`{others} is drawn once, while {way} on {where} traces {what}: all "
        f"{'elements and epochs' if by_map else 'steps'} get the same value",
        certainty="likely",
        location=place,
        culprit=Culprit(kind="expression", name=written(draw)),
        evidence=[
            said(found.link),
            *(
                Evidence(fact="drawn while it is traced", value=f"{written(one)}, line {one.lineno}", source="source")
                for _, one in traced.draws[:4]
            ),
        ],
        advice=[f"{title}; or call the Python code through `tf.numpy_function`."],
        changes=[Change(title=title, kind="expression", edits=edits)] if edits is not None and editable else [],
    )
