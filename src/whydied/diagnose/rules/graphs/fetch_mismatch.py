"""What a session was asked for is not in its graph.

## What it detects
A fetch that is None, a number, an array, an optimizer, a function; a name that no op of the graph has; a session that
is closed.

## Why it happens
The result of `session.run` was given the name of the tensor (`loss = session.run(loss)`), so the next pass fetches a
number. `minimize` was not called on the optimizer, or the initialiser is a function that was not called. `merge_all`
gives None where no summary was made. A name is misspelt or lacks its output (`:0`).

## Evidence
Every fetch with its type, and as the source writes it; the lines that give that name a value; names of the graph that
are written like the missing one.

## How it is proved
The type of each fetch is known when the run fails: certain.

## Fix
Another name for the result; the op instead of what makes it; the name that exists.

## References
TensorFlow documentation: tf.compat.v1.Session.run.
"""

from __future__ import annotations

import ast
import copy

from whydied.diagnose.case import Case, line_words, prefix
from whydied.diagnose.errors.advice import Advice, Way, advised
from whydied.diagnose.errors.demands.default_graphs import asked_by_name
from whydied.diagnose.errors.exception_words import evidence_of
from whydied.diagnose.errors.quotation import Quotation, quoted
from whydied.diagnose.errors.session_error import session_facts
from whydied.diagnose.finding import Culprit, Finding, Location
from whydied.records import Fetched, Operand
from whydied.source.calls import callee, method_calls, passed_argument
from whydied.source.edits.edit import Change, Edit, line_before
from whydied.source.edits.shapes.feed_entries import result_named
from whydied.source.edits.shapes.value_edits import use_edits
from whydied.source.results import functions_without_result
from whydied.source.training.session_calls import Binding, bindings, calls_any, fetched
from whydied.source.trees import nodes_on, walk, written
from whydied.texts import session_errors

_NO_TENSOR = session_errors.FETCH_NO_TENSOR.pattern
_NAME = session_errors.FETCH_NAME.pattern
_CLOSED = session_errors.CLOSED.pattern
_FUNCTIONS = ("function", "method", "builtin_function_or_method", "partial")

ROLE = "explanation"
_BY_NAME = ("get_tensor_by_name", "get_operation_by_name", "as_graph_element")
YIELDS_TO = ("symbolic-as-value", "other-graph")


def check(case: Case) -> Finding | None:
    for pattern, answer in ((_NO_TENSOR, _no_tensor), (_NAME, _name), (_CLOSED, _closed)):
        said = quoted(case, pattern)
        if said is not None and "EagerTensor" not in said.match[0] and "feed_dict" not in said.link.message:
            return answer(case, said)
    return None


def check_rivals(case: Case) -> list[tuple[str, Finding]]:
    said = quoted(case, _NAME)
    other = asked_by_name(case, said) if said is not None else None
    return [("other-graph", other)] if other is not None else []


def _no_tensor(case: Case, said: Quotation) -> Finding:
    kind = said.match["type"].rpartition(".")[2].strip("'<>")
    value = " ".join(said.match["value"].split())[:60]
    name = _name_of(case, said, kind)
    found = bindings(case.sources, said.place, name) if said.place is not None and name else []
    run = next((one for one in found if calls_any(one.value, ("run", "eval"))), None)
    only = found[0] if len(found) == 1 else _passed_in(case, said, kind)
    what = f"`{name}`" if name else "a fetch"
    place = said.place
    because = ""
    if run is not None:
        place = run.place
        because = f", because {line_words(run.place)} assigns a result of `run` to that name"
        advice = _other_names(case, run.place, name or "")
    else:
        words, because, place = _made_so(case, said, kind, name, only)
        advice = advised(words, "fetch", _fetched_as(case, said, kind, name))
        if only is not None and calls_any(only.value, ("merge_all",)) and (summary := _summary(case, only.place)):
            advice = Advice([f"{summary.title}."], [summary])
    return Finding(
        message=f"{prefix(place)}{what} is {_described(kind, value)}{because}; expected a tensor, an op or its name",
        certainty="certain",
        location=place,
        culprit=Culprit(kind="fetch", name=name, value=None if kind == "NoneType" else value),
        evidence=evidence_of(said.link, said.raised),
        advice=advice.sentences,
        changes=advice.changes,
    )


def _other_names(case: Case, place: Location, name: str) -> Advice:
    """Other names for all results of a run that take those of what it fetches: the next one would fail as well."""
    source = case.sources.get(place.file)
    nodes = nodes_on(source, place.line) if source is not None else []
    statement = next((one for one in nodes if isinstance(one, ast.Assign)), None)
    if source is None or statement is None:
        return Advice([f"Use another name for the result: `{name}_value = …run(…)`."], [])
    asked = {one.id for one in walk(statement.value, ast.Name)}
    bound = [one for one in walk(statement.targets[0], ast.Name) if one.id in asked]
    edits = [_renamed(case, place, one.id) for one in bound]
    whole = [each for one in edits for each in one or []] if all(edits) else None
    target = copy.deepcopy(statement.targets[0])
    for one in walk(target, ast.Name):
        one.id = f"{one.id}_value" if one.id in asked else one.id
    several = "other names for the results" if len(bound) > 1 else "another name for the result"
    return advised(f"Use {several}: `{written(target).strip('()')} = …run(…)`.", "name", whole)


def _renamed(case: Case, place: Location, name: str) -> list[Edit] | None:
    """Another name for what a run gives, where it is plain and not taken."""
    source, new = case.sources.get(place.file), f"{name}_value"
    if source is None or not name.isidentifier() or any(one.id == new for one in walk(source.tree, ast.Name)):
        return None
    return result_named(source, place.file, place.line, name, new)


def _fetched_as(case: Case, said: Quotation, kind: str, name: str | None) -> list[Edit] | None:
    """What a function or an iterator gives, in its place."""
    code = "{x}()" if kind in _FUNCTIONS else "{x}.get_next()" if "Iterator" in kind else ""
    place = said.place
    source = case.sources.get(place.file) if place is not None else None
    if not code or not name or source is None or place is None:
        return None
    return use_edits(source, place.file, place.line, name, code, ["run"])


def _summary(case: Case, place: Location) -> Change | None:
    """A summary of the loss that is minimised, above the line that merges what there is."""
    source = case.sources.get(place.file)
    calls = [call for _, call in method_calls(ast.walk(source.tree), ("minimize",))] if source is not None else []
    losses = {
        written(given) for call in calls if (given := passed_argument(call, "0") or passed_argument(call, "loss"))
    }
    merges = [one for one in nodes_on(source, place.line) if isinstance(one, ast.Call)] if source is not None else []
    found = [one.func.value for one in merges if callee(one) == "merge_all" and isinstance(one.func, ast.Attribute)]
    loss = losses.pop() if len(losses) == 1 else ""
    if source is None or len(found) != 1 or not loss.replace(".", "").isidentifier():
        return None
    # Below the last line that gives the loss its value only.
    if not any(made.place.line < place.line for made in bindings(case.sources, place, loss)):
        return None
    text = f'{written(found[0])}.scalar("{loss.rpartition(".")[2]}", {loss})'
    title = f"Add a summary, `{text}`, before {line_words(place)}"
    return Change(title=title, kind="statement", edits=[line_before(source, place.file, place.line, text)])


def _made_so(
    case: Case, said: Quotation, kind: str, name: str | None, only: Binding | None
) -> tuple[str, str, Location | None]:
    """What the fetch is by the one line that makes it: the advice, the reason, the place."""
    place = only.place if only is not None else said.place
    call = only.value if only is not None and isinstance(only.value, ast.Call) else None
    if kind.endswith("Optimizer"):
        op = f"`{written(call)}.minimize(…)`" if call is not None else f"`{name or 'optimizer'}.minimize(…)`"
        at = f" on {line_words(only.place)}" if only is not None else ""
        return f"Fetch the op that `minimize` returns: {op}{at}, with the loss as its argument.", "", place
    if kind in _FUNCTIONS:
        return f"Call it: `{name or 'f'}()` gives the op to run.", ", which was not called", said.place
    if kind == "NoneType" and call is not None and callee(call) == "merge_all":
        return (
            f"Create a summary (`tf.summary.scalar(…)`) before {line_words(place) if place else 'merge_all'}, or leave "
            f"`{name}` out of the fetches.",
            ": `merge_all` found no summary in the graph",
            place,
        )
    if kind == "NoneType" and call is not None:
        empty = [one for one in functions_without_result(case.sources) if one.name == callee(call)]
        if len(empty) == 1:
            return (
                f"Return the tensor from `{empty[0].name}` (line {empty[0].line}).",
                f": `{empty[0].name}` returns nothing",
                place,
            )
    if "Iterator" in kind:
        return f"Fetch what it gives: `{name or 'iterator'}.get_next()`, created once before the loop.", "", said.place
    made = f" (assigned on {line_words(only.place)})" if only is not None and only.place != said.place else ""
    what = f"`{name}`" if name else "it"
    return f"Leave {what} out of the fetches: it is not part of the graph{made}.", "", said.place


def _name_of(case: Case, said: Quotation, kind: str) -> str | None:
    """The fetch of that type as the source writes it."""
    facts = session_facts(case)
    bad = [one for one in facts.fetches if one.node is None and _is(one.type, kind)] if facts is not None else []
    if bad and bad[0].text:
        return bad[0].text
    there = fetched(case.sources, said.place) if said.place is not None else set()
    by_type = [one for one in said.link.operands if _is_of(one, kind) and one.text in there]
    return by_type[0].text if by_type else None


def _passed_in(case: Case, said: Quotation, kind: str) -> Binding | None:
    """The assignment that a value comes from which was passed to the function of the failing line."""
    facts = session_facts(case)
    for fetch in facts.fetches if facts is not None else ():
        for source in fetch.sources if fetch.node is None and _is(fetch.type, kind) else ():
            if source.kind != "parameter" and source.frame is not None:
                try:
                    value: ast.expr | None = ast.parse(source.text, mode="eval").body
                except SyntaxError:
                    value = None
                return Binding(case.locate(source.frame), value, False)
    return None


def _is(kind: str, wanted: str) -> bool:
    return kind.rpartition(".")[2] == wanted


def _is_of(operand: Operand, kind: str) -> bool:
    return _is(operand.type, kind)


def _described(kind: str, value: str) -> str:
    if kind == "NoneType":
        return "None"
    shown = value if not value.startswith("<") else f"{'an' if kind[:1] in 'AEIOUaeiou' else 'a'} {kind}"
    return f"not a tensor but {shown}" if shown != value else f"not a tensor but {value} ({kind})"


def _name(case: Case, said: Quotation) -> Finding:
    name = said.match["name"]
    facts = session_facts(case)
    lost: list[Fetched] = [one for one in facts.fetches if one.near] if facts is not None else []
    near = lost[0].near if lost else list(said.link.near)
    advice = _near(case, said, name, near)
    return Finding(
        message=f"{prefix(said.place)}'{name}' is not in the graph; expected the name of an op, or of an op with its "
        "output (`loss:0`)",
        certainty="certain",
        location=said.place,
        culprit=Culprit(kind="fetch", name=name, near=near),
        evidence=evidence_of(said.link, said.raised),
        advice=advice.sentences,
        changes=advice.changes,
    )


def _near(case: Case, said: Quotation, name: str, near: list[str]) -> Advice:
    """The name that exists, where there is just one, as the fetch writes it: with an output or without."""
    if not near:
        return Advice(["List the names that exist with `[op.name for op in graph.get_operations()]`."], [])
    words = f"Did you mean {' or '.join(f'`{one}`' for one in near)}?"
    place = said.place
    source = case.sources.get(place.file) if place is not None else None
    if source is None or place is None or len(near) != 1:
        return Advice([words], [])
    edits = use_edits(source, place.file, place.line, repr(name), f'"{near[0]}"', ["run", *_BY_NAME])
    return advised(words, "name", Way(f"Write `{near[0]}`", edits))


def _closed(case: Case, said: Quotation) -> Finding:
    facts = session_facts(case)
    opened = case.locate(facts.opened) if facts is not None and facts.opened is not None else None
    name = facts.session if facts is not None and facts.session else None
    what = f"`{name}`" if name else "the session"
    where = f", opened on {line_words(opened)}," if opened is not None else ""
    block = opened is not None and (opened.source or "").lstrip().startswith("with ")
    return Finding(
        message=f"{prefix(said.place)}{what}{where} was closed before this line; expected an open session",
        certainty="certain",
        location=said.place,
        culprit=Culprit(kind="session", name=name),
        evidence=evidence_of(said.link, said.raised),
        advice=[
            f"Move this line into the `with` block of {line_words(opened)}: the session is closed where that ends."
            if block and opened is not None
            else "Close the session after this line, or open another one for it."
            if opened is not None
            else "Move this line into the `with` block of the session, or close the session after it."
        ],
    )
