"""A statement takes another number of values than it is given.

## What it detects
An unpacking (`a, b = f()`, `for a, b in x`) of too many or too few values, or of something that is a single value.

## Why it happens
A function returns another number of values than its caller takes; `evaluate` gives the loss alone where the model has
no metrics; a loop over a dictionary or a list forgets `.items()` or `enumerate`; a grey picture has no colour axis.

## Evidence
The number of names in the statement against what it was given: the `return` of the function, the type that was looped
over, the shape.

## How it is proved
Both numbers are in the source or were recorded: certain.

## Fix
As many names as values; `.items()`, `enumerate`, metrics for `compile`.

## Known problems
A function with several `return` statements of different lengths is told by the exception alone.
"""

from __future__ import annotations

import ast

from whydied.diagnose.case import Case, prefix
from whydied.diagnose.data.failing_data import Failing, failing, words_at
from whydied.diagnose.errors.usage import said
from whydied.diagnose.finding import Culprit, Evidence, Finding, Location
from whydied.source.calls import callee, passed_argument
from whydied.source.edits.call_edits import add_argument
from whydied.source.edits.edit import Change, over
from whydied.source.trees import across, nodes_on, tree_of, within, written
from whydied.texts import python_errors

ROLE = "explanation"
YIELDS_TO = ("none-result",)
_TOLD = (python_errors.UNPACKED_TOO_FEW, python_errors.UNPACKED_TOO_MANY, python_errors.NOT_UNPACKED)


def check(case: Case) -> Finding | None:
    found = failing(case, "ValueError", "TypeError")
    if found is None or not _is_told(found.link.message):
        return None
    for node in (
        nodes_on(found.sources[found.place.file], found.place.line) if found.place.file in found.sources else []
    ):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Tuple | ast.List):
            finding = _assigned(found, node.targets[0], node.value)
        elif isinstance(node, ast.For) and isinstance(node.target, ast.Tuple | ast.List):
            finding = _looped(found, node.target, node.iter)
        else:
            continue
        if finding is not None:
            return finding
    return None


def _is_told(message: str) -> bool:
    return any(text.search(message) for text in _TOLD)


def _finding(
    found: Failing, place: Location, words: str, advice: str, changes: list[Change], name: str, known: list[Evidence]
) -> Finding:
    return Finding(
        message=f"{prefix(place)}{words}",
        certainty="certain",
        location=place,
        culprit=Culprit(kind="expression", name=name),
        evidence=[said(found.link), *known],
        advice=[advice],
        changes=changes if found.is_editable(place.file) else [],
    )


def _assigned(found: Failing, target: ast.Tuple | ast.List, value: ast.expr) -> Finding | None:
    wanted = len(target.elts)
    if isinstance(value, ast.Call):
        own = found.trails.called(value)
        if own is not None:
            return _of_function(found, target, value, *own)
        if callee(value) == "evaluate" and python_errors.NOT_UNPACKED.search(found.link.message):
            return _of_evaluate(found, value)
        if callee(value) == "evaluate":
            return _of_metrics(found, target)
    if isinstance(value, ast.Attribute) and value.attr == "shape":
        one = found.looked(written(value.value)) or found.operand(written(value.value)) or found.operand(written(value))
        shape = one.shape if one is not None else None
        if shape is not None and len(shape) != wanted:
            name = written(value.value)
            size = f"({', '.join(map(str, shape))})"
            words = f"`{name}` has {len(shape)} axes, {size}, and {wanted} are taken out of its shape"
            more = "add the missing axis before" if len(shape) < wanted else "take all of its axes"
            advice = (
                f"Read `{name}` with {wanted} axes ({more}), or take only the first: `{name}.shape[:{len(shape)}]`."
            )
            known = [Evidence(fact=f"`{name}`", value=f"of shape {size}", source="ExceptionRaised")]
            return _finding(found, found.place, words, advice, [], name, known)
    return None


def _of_function(
    found: Failing,
    target: ast.Tuple | ast.List,
    call: ast.Call,
    file: str,
    function: ast.FunctionDef | ast.AsyncFunctionDef,
) -> Finding | None:
    returns = [one for one in within(function) if isinstance(one, ast.Return) and one.value is not None]
    if len(returns) != 1 or returns[0].value is None:
        return None
    value, wanted = returns[0].value, len(target.elts)
    given = len(value.elts) if isinstance(value, ast.Tuple | ast.List) else 1
    if given == wanted or any(isinstance(one, ast.Starred) for one in (*target.elts, *getattr(value, "elts", ()))):
        return None
    if given == 1 and not isinstance(value, ast.Name | ast.Tuple | ast.List | ast.Constant):
        return None
    line = returns[0].lineno
    words = (
        f"`{function.name}` returns {_count(given)} ({words_at(file, line)}: `{written(value)}`), and {_count(wanted)} "
        f"are taken: `{written(target)}`"
    )
    advice = f"Take as many as it returns, or return {wanted} on {words_at(file, line)}."
    known = [Evidence(fact="returned", value=f"{written(value)}, {words_at(file, line)}", source="source")]
    return _finding(found, found.place, words, advice, [], written(target), known)


def _count(number: int) -> str:
    return "one value" if number == 1 else f"{number} values"


def _of_evaluate(found: Failing, call: ast.Call) -> Finding | None:
    compiled = [one for one in across(found.sources, ast.Call) if callee(one[1]) == "compile"]
    without = [one for one in compiled if passed_argument(one[1], "metrics") is None and len(one[1].args) < 3]
    if len(without) != 1 or len(compiled) != 1:
        return None
    file, made = without[0]
    place = found.located(file, made.lineno)
    edit = add_argument(found.sources[file], file, made, 'metrics=["accuracy"]')
    changes = [Change(title='Add `metrics=["accuracy"]`', kind="argument", edits=[edit])] if edit is not None else []
    words = (
        f"`compile` has no metrics, so `evaluate` on {words_at(found.place.file, found.place.line)} gives the loss "
        "alone, and two values are taken"
    )
    advice = 'Write `metrics=["accuracy"]` here, or take one value.'
    return _finding(found, place, words, advice, changes, "metrics", [])


def _free_names(names: list[str], found: Failing, target: ast.Tuple | ast.List) -> list[str]:
    """Names that mean nothing else in the file: a metric is often a function of the program's own."""
    taken = {one.id for one in ast.walk(tree_of(found.sources, found.place.file)) if isinstance(one, ast.Name)}
    taken |= {one.name for _, one in across(found.sources, ast.FunctionDef)}
    taken -= {one.id for one in target.elts if isinstance(one, ast.Name)}
    return [f"{name}_value" if name in taken else name for name in names]


def _of_metrics(found: Failing, target: ast.Tuple | ast.List) -> Finding | None:
    """`evaluate` gives the loss and one value for each metric of the only `compile`."""
    compiled = [one for one in across(found.sources, ast.Call) if callee(one[1]) == "compile"]
    metrics = passed_argument(compiled[0][1], "metrics") if len(compiled) == 1 else None
    if not isinstance(metrics, ast.List | ast.Tuple) or len(metrics.elts) + 1 == len(target.elts):
        return None
    file, call = compiled[0]
    given = _free_names([_metric(one) for one in metrics.elts], found, target)
    right = ", ".join(["loss", *given])
    words = (
        f"`evaluate` gives the loss and one value for each of the {len(given)} metrics of "
        f"{words_at(file, call.lineno)}, and {_count(len(target.elts))} are taken: `{written(target).strip('()')}`"
    )
    source = found.sources[found.place.file]
    changes = [Change(title=f"Take `{right}`", kind="name", edits=[over(source, found.place.file, target, right)])]
    known = [Evidence(fact="metrics", value=f"{written(metrics)}, {words_at(file, call.lineno)}", source="source")]
    plain = all(name.isidentifier() for name in given)
    advice = f"Take {len(given) + 1} values: `{right}`."
    return _finding(found, found.place, words, advice, changes if plain else [], written(target), known)


def _metric(node: ast.expr) -> str:
    """A name for a metric's value."""
    if isinstance(node, ast.Constant):
        return str(node.value)
    return (callee(node) if isinstance(node, ast.Call) else written(node).rpartition(".")[2]).lower()


def _looped(found: Failing, target: ast.Tuple | ast.List, iterated: ast.expr) -> Finding | None:
    text = written(iterated)
    one = found.looked(text) or found.operand(text)
    source = found.sources[found.place.file]
    kind = one.type.rpartition(".")[2] if one is not None else ""
    right = ""
    if kind in ("dict", "OrderedDict", "defaultdict", "Counter") and len(target.elts) == 2:
        right, why = f"{text}.items()", "a loop over a dictionary gives its keys alone"
    elif kind in ("list", "tuple", "ndarray", "Series") and len(target.elts) == 2 and _is_counter(target.elts[0]):
        right, why = f"enumerate({text})", "a loop gives the items without their numbers"
    elif kind == "DataFrame":
        right, why = f"{text}.iterrows()", "a loop over a table gives the names of its columns"
    if not right:
        return None
    words = f"`{text}` is a {kind}: {why}, and `{written(target)}` takes {len(target.elts)} values"
    changes = [
        Change(title=f"Write `{right}`", kind="expression", edits=[over(source, found.place.file, iterated, right)])
    ]
    known = [Evidence(fact=f"`{text}`", value=kind, source="ExceptionRaised")]
    return _finding(found, found.place, words, f"Write `{right}`.", changes, text, known)


def _is_counter(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id in (
        "i",
        "j",
        "k",
        "n",
        "idx",
        "index",
        "at",
        "number",
        "step",
        "row",
        "count",
    )
