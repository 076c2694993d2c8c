"""A name is read from the logs of a training that Keras did not log under it.

## What it detects
A `KeyError` in a file name of `ModelCheckpoint` (`{val_acc:.2f}`), in a callback's `logs["acc"]`, or in
`history.history["val_loss"]`; None of `logs.get("acc")` that is compared, formatted or counted with.

## Why it happens
Names that begin with `val_` are logged only where `fit` gets validation data that are not None; without a single batch
of training data only those are logged (`skip` behind `batch` leaves out batches, not rows); a metric is logged under
the name that it is compiled with, and in Keras 3 that is `accuracy` where older versions logged `acc`.

## Evidence
The mapping that was asked, with the names in it, recorded in the frame that asked; the line that writes the name.

## How it is proved
The name was asked of a mapping that has `loss` among its names and not this one: certain. That a `skip` left all
batches out is read from the source: likely.

## Fix
The logged name, validation data for `fit`, or the metric in `compile(metrics=[…])`.

## Known problems
None known.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import NamedTuple

from whydied.diagnose.case import Case, line_words, prefix
from whydied.diagnose.data.failing_data import failing
from whydied.diagnose.data.makers import is_like, maker_place, makers_of
from whydied.diagnose.errors.advice import Way, either
from whydied.diagnose.errors.calls.metric_changes import measured
from whydied.diagnose.errors.usage import place_of, root_link, said
from whydied.diagnose.finding import Certainty, Culprit, Evidence, Finding, Location
from whydied.records import CallBegan, Frame, RaisedException
from whydied.source.bindings import part_of
from whydied.source.calls import callee
from whydied.source.edits.call_edits import only_call, set_argument
from whydied.source.edits.edit import Change, over, written_in
from whydied.source.edits.name_edits import replace_text, replace_text_on
from whydied.source.origins.trails import Trails
from whydied.source.trees import across, nodes_on, walk, written

ROLE = "explanation"
_VALIDATION = "val_"
_MOST_STAGES = 8
_QUOTES = "'\""
_SHORT = {"acc": "accuracy", "mae": "mean_absolute_error", "mse": "mean_squared_error", "lr": "learning_rate"}


class _Asked(NamedTuple):
    """A name that the logs were asked for, with those that they have. `at` is the line that asked."""

    link: RaisedException
    name: str
    logged: list[str]
    near: list[str]
    at: Location | None
    certainty: Certainty = "certain"


def check(case: Case) -> Finding | None:
    link = root_link(case)
    if link is not None and link.type == "KeyError" and link.wanted:
        empty = _of_another_call(case, link, link.wanted.strip(_QUOTES))
        if empty is not None:
            return empty
    asked = _by_key(case, link) if link is not None else None
    asked = asked or _by_get(case)
    if asked is None:
        return None
    link, name, logged = asked.link, asked.name, asked.logged
    if not {"loss", "val_loss"} & set(logged) or not name.isidentifier() or not case.records.all(CallBegan):
        # A dictionary of the program's own has such names too: Keras must have trained something.
        return None
    nothing = _untrained(case, link, name, logged) or _given_none(case, link, name, logged)
    if nothing is not None:
        return nothing
    raised_at = asked.at
    named = _written_on(case, name, raised_at)
    place = named or raised_at
    near = _meant(name, logged, asked.near)
    where = f" on {line_words(named)}" if named is not None and named != raised_at else ""
    if near:
        words = f"Keras logs `{near}`, not `{name}`"
        advice = [f"Write `{near}` instead of `{name}`{where}."]
        changes = _renamed(case, name, near, place)
    elif name.startswith(_VALIDATION) and not any(one.startswith(_VALIDATION) for one in logged):
        words = f"`{name}` is not logged: without validation data Keras logs only {', '.join(logged)}"
        bare = name.removeprefix(_VALIDATION)
        out = _taken_out(case, name, place)
        instead = f"write `{bare}` instead of `{name}`" if bare in logged and not out else f"take `{name}` out"
        advice = [f"Pass `validation_data` or `validation_split` to `fit`, or {instead}{where}."]
        changes = [*_validated(case), *(out or (_renamed(case, name, bare, place) if bare in logged else []))]
    else:
        words = f"`{name}` is not logged; Keras logs {', '.join(logged)}"
        ways = measured(case, name.removeprefix(_VALIDATION))
        monitored = _monitored(case, name, logged, place)
        ways += [
            Way(f"write `{monitored}` instead of `{name}`{where}", one.edits)
            for one in (_renamed(case, name, monitored, place) if monitored else [])
        ]
        told = either("metric", ways)
        changes = told.changes
        advice = told.sentences or [f"Use one of these names{where}, or name the metric in `compile(metrics=[…])`."]
    evidence = [said(link), Evidence(fact="logged", value=", ".join(logged), source="ExceptionRaised")]
    if where and raised_at is not None:
        evidence.append(Evidence(fact="asked for on", value=line_words(raised_at), source="ExceptionRaised"))
    return Finding(
        message=f"{prefix(place)}{words}",
        certainty=asked.certainty,
        location=place,
        culprit=Culprit(kind="key", name=name, near=[near] if near else []),
        evidence=evidence,
        advice=advice,
        changes=changes,
    )


def _by_key(case: Case, link: RaisedException) -> _Asked | None:
    """`logs["acc"]`, a text that is formatted with the logs."""
    if link.type != "KeyError" or not link.wanted:
        return None
    keys, near = ([one.strip(_QUOTES) for one in names] for names in (link.keys, link.near))
    return _Asked(link, link.wanted.strip(_QUOTES), keys, near, place_of(case))


def _by_get(case: Case) -> _Asked | None:
    """`logs.get("acc")`, which is None where the name is not among the logs, and was used as a number or a list."""
    found = failing(case, "TypeError", "ValueError", "AttributeError")
    for made in makers_of(found) if found is not None else []:
        if found is None or made.type != "NoneType" or not made.wanted or not made.keys:
            continue
        keys = [one.strip(_QUOTES) for one in made.keys]
        name = made.wanted.strip(_QUOTES)
        near = [one for one in keys if is_like(name, one)]
        certainty: Certainty = "likely" if made.others else "certain"
        return _Asked(found.link, name, keys, near, maker_place(found, made), certainty)
    return None


def _monitored(case: Case, name: str, logged: list[str], place: Location | None) -> str | None:
    """The name that the same callback monitors, where that is logged: of the call that the text is in, or that gets the
    variable that holds it."""
    source = case.sources.get(place.file) if place is not None else None
    if source is None or place is None:
        return None
    nodes = nodes_on(source, place.line)
    kept = {written(one.targets[0]) for one in nodes if isinstance(one, ast.Assign)}
    calls = [
        one
        for one in walk(source.tree, ast.Call)
        if one in nodes or {written(given) for given in (*one.args, *(word.value for word in one.keywords))} & kept
    ]
    found = {
        str(word.value.value)
        for call in calls
        for word in call.keywords
        if word.arg == "monitor" and isinstance(word.value, ast.Constant)
    }
    return next(iter(found), None) if len(found) == 1 and found <= set(logged) - {name} else None


def _untrained(case: Case, link: RaisedException, name: str, logged: list[str]) -> Finding | None:
    """Only what was validated was logged: the data of the training gave no batch."""
    if name.startswith(_VALIDATION) or not all(one.startswith(_VALIDATION) for one in logged):
        return None
    fit = _fit_call(case)
    if fit is None:
        return None
    place, node = fit
    given = node.args[0] if node.args else next((one.value for one in node.keywords if one.arg == "x"), None)
    text = written(given) if given is not None else "the data"
    skipped = _skipped_batches(case, place, given) if given is not None else None
    where = skipped[0] if skipped is not None else place
    words = f"the data of the training, `{text}`, gave no batch, so Keras logs only {', '.join(logged)}"
    if skipped is not None:
        words = f"`{skipped[1]}` comes after `batch`, so it leaves out as many batches, not rows: {words}"
    return Finding(
        message=f"{prefix(where)}{words}",
        certainty="likely" if skipped is not None else "certain",
        location=where,
        culprit=Culprit(kind="data", name=text),
        evidence=[said(link), Evidence(fact="logged", value=", ".join(logged), source="ExceptionRaised")],
        advice=[
            "Split the rows before they are batched."
            if skipped is not None
            else f"Check how `{text}` is made: it has to give at least one batch."
        ],
    )


def _skipped_batches(case: Case, place: Location, given: ast.expr) -> tuple[Location, str] | None:
    """A `skip` on the way of a data set, behind its `batch`."""
    calls = list(_stages(case, place, given))
    names = [callee(call) for _, call in calls]
    if "skip" not in names or "batch" not in names[names.index("skip") :]:
        return None
    file, call = calls[names.index("skip")]
    return case.locate(Frame(file=file, line=call.lineno, function="", user=True)), written(call)


def _stages(case: Case, place: Location, given: ast.expr) -> Iterator[tuple[str, ast.Call]]:
    """The methods that a data set went through, the last first, each with its file."""
    file, line, node = place.file, place.line, given
    for _ in range(_MOST_STAGES):
        steps = Trails(case.project, []).trail(file, line, node)
        if steps:
            file, line, node = steps[-1].file, steps[-1].line, part_of(steps[-1].value, steps[-1].place)[0]
        elif not isinstance(node, ast.Call):
            return
        while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            yield file, node
            node = node.func.value
        if not isinstance(node, ast.Name):
            return


def _given_none(case: Case, link: RaisedException, name: str, logged: list[str]) -> Finding | None:
    """`validation_data` was written in the call, and nothing was validated: it was None."""
    if not name.startswith(_VALIDATION) or any(one.startswith(_VALIDATION) for one in logged):
        return None
    fit = _fit_call(case)
    given = next((one.value for one in fit[1].keywords if one.arg == "validation_data"), None) if fit else None
    if fit is None or given is None or (isinstance(given, ast.Constant) and given.value is None):
        return None
    place, _ = fit
    seen = next((one for one in reversed(case.records.all(CallBegan)) if one.kind == "fit"), None)
    if seen is None or seen.arguments.get("validation_data") is not None:
        return None
    text = written(given)
    maker = _gives_none(case, given)
    why = f": {maker}" if maker else ""
    return Finding(
        message=f"{prefix(place)}`validation_data={text}` was None{why}, so Keras logs only {', '.join(logged)}",
        certainty="certain",
        location=place,
        culprit=Culprit(kind="argument", name="validation_data"),
        evidence=[said(link), Evidence(fact="logged", value=", ".join(logged), source="ExceptionRaised")],
        advice=[f"Find out why `{text}` is None: there may be too few rows to keep some for validation."],
    )


def _gives_none(case: Case, given: ast.expr) -> str:
    """Where a function of the program's own gives None on purpose."""
    name = callee(given) if isinstance(given, ast.Call) else ""
    found = [(file, node) for file, node in across(case.project, ast.FunctionDef) if node.name == name]
    if len(found) != 1:
        return ""
    file, function = found[0]
    for branch in walk(function, ast.If):
        gives = [one for one in branch.body if isinstance(one, ast.Return)]
        if gives and (gives[0].value is None or ast.unparse(gives[0].value) == "None"):
            at = line_words(Frame(file=file, line=branch.lineno, function=""))
            return f"`{name}` gives None where `{written(branch.test)}` ({at})"
    return ""


def _fit_call(case: Case) -> tuple[Location, ast.Call] | None:
    """The last call of `fit`, as the source writes it."""
    began = case.principal.all(CallBegan) if case.principal else []
    call = next((one for one in reversed(began) if one.kind == "fit"), None)
    frame = next((one for one in reversed(call.frames) if one.user), None) if call is not None else None
    node = only_call(case.sources, frame.file, frame.line, "fit") if frame is not None else None
    return (case.locate(frame), node) if frame is not None and node is not None else None


def _renamed(case: Case, name: str, new: str, place: Location | None) -> list[Change]:
    """The logged name in the text that has the other one."""
    if place is None:
        return []
    edits = replace_text(case.sources, name, new) or replace_text_on(case.sources, place.file, place.line, name, new)
    return [Change(title=f"Write `{new}` instead of `{name}`", kind="near-name", edits=edits)] if edits else []


def _taken_out(case: Case, name: str, place: Location | None) -> list[Change]:
    """The field of a file name that has the training's own one already."""
    source = case.sources.get(place.file) if place is not None else None
    for node in nodes_on(source, place.line) if source is not None and place is not None else []:
        if not isinstance(node, ast.Constant) or not isinstance(node.value, str) or source is None or place is None:
            continue
        text = written_in(source, node)
        short = re.sub(rf"[-_.]?\{{{name}\b[^}}]*\}}", "", text)
        if short != text and f"{{{name.removeprefix(_VALIDATION)}" in short:
            edit = over(source, place.file, node, short)
            return [Change(title=f"Take `{name}` out", kind="file-name", edits=[edit])]
    return []


def _validated(case: Case) -> list[Change]:
    """A part of the training's arrays for validation; a data set or a generator cannot be split so."""
    began = case.principal.all(CallBegan) if case.principal else []
    call = next((one for one in reversed(began) if one.kind == "fit"), None)
    given = call.arguments.get("x") if call is not None else None
    fit = _fit_call(case)
    if fit is None or not isinstance(given, dict) or "array" not in str(given.get("type", "")):
        return []
    place, node = fit
    edit = set_argument(case.sources[place.file], place.file, node, "validation_split", None, "0.2")
    title = "Keep a fifth of the data for validation: `validation_split=0.2`"
    return [Change(title=title, kind="argument", edits=[edit])] if edit is not None else []


def _meant(name: str, logged: list[str], near: list[str]) -> str | None:
    """The logged name that stands for another: its long form, else the likest of the same part of the data."""
    part = _VALIDATION if name.startswith(_VALIDATION) else ""
    bare = name.removeprefix(part)
    longer = [one for one in (f"{part}{_SHORT.get(bare, '')}", f"{part}{bare}") if one in logged]
    same = [one for one in near if one.startswith(_VALIDATION) == bool(part) and one not in ("loss", "val_loss")]
    return next(iter([*longer, *same]), None)


def _written_on(case: Case, name: str, raised_at: Location | None) -> Location | None:
    """The only line of the program that has the name in a text."""
    word = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)")
    lines = {
        (file, node.lineno)
        for file, node in across(case.sources, ast.Constant)
        if isinstance(node.value, str) and "\n" not in node.value and word.search(node.value)
    }
    if len(lines) != 1:
        return None
    file, line = lines.pop()
    found = case.locate(Frame(file=file, line=line, function="", user=True))
    if raised_at is not None and file == raised_at.file and raised_at.line <= line <= (raised_at.end_line or 0):
        return raised_at
    return found


def _of_another_call(case: Case, link: RaisedException, name: str) -> Finding | None:
    """`model.history` after a later call of `evaluate` or `predict`: it is that call's, and has no losses."""
    found = failing(case, "KeyError")
    known = found.operand(link.holder) if found is not None else None
    if found is None or known is None or known.length != 0 or not link.holder.endswith(".history"):
        return None
    node = found.expression(link.holder)
    inner = node.value if isinstance(node, ast.Attribute) else None
    steps = found.trails.trail(found.place.file, found.place.line, inner) if inner is not None else []
    passed = [one for one in steps if isinstance(one.value, ast.Attribute) and one.value.attr == "history"]
    if not passed or not case.records.all(CallBegan):
        return None
    where = found.located(passed[0].file, passed[0].line)
    fits = [
        ast.unparse(one.targets[0])
        for _, one in across(case.project, ast.Assign)
        if isinstance(one.value, ast.Call) and getattr(one.value.func, "attr", "") == "fit"
    ]
    text = ast.unparse(passed[0].value)
    right = fits[0] if len(fits) == 1 else "what `fit` returned"
    return Finding(
        message=f"{prefix(where)}`{text}` is that of the model's last call, and has nothing in it: "
        f"`{name}` is logged by `fit`",
        certainty="certain",
        location=where,
        culprit=Culprit(kind="expression", name=text),
        evidence=[said(link)],
        advice=[f"Pass {f'`{right}`' if len(fits) == 1 else right} instead of `{text}`."],
    )
