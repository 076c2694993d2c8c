"""A name is read from the logs of a training that Keras did not log under it.

## What it detects
A `KeyError` in a file name of `ModelCheckpoint` (`{val_acc:.2f}`), in a callback's `logs["acc"]`, or in
`history.history["val_loss"]`.

## Why it happens
Names that begin with `val_` are logged only where `fit` gets validation data; a metric is logged under the name that it
is compiled with, and in Keras 3 that is `accuracy` where older versions logged `acc`.

## Evidence
The mapping that was asked, with the names in it, recorded in the frame that asked; the line that writes the name.

## How it is proved
The name was asked of a mapping that has `loss` among its names and not this one: certain.

## Fix
The logged name, or validation data for `fit`.

## Known problems
None known.
"""

from __future__ import annotations

import ast
import re

from whydied.diagnose.case import Case, line_words, prefix
from whydied.diagnose.data.failing_data import failing
from whydied.diagnose.errors.usage import place_of, root_link, said
from whydied.diagnose.finding import Culprit, Evidence, Finding, Location
from whydied.records import CallBegan, Frame, RaisedException
from whydied.source.edits.call_edits import only_call, set_argument
from whydied.source.edits.edit import Change, over, written_in
from whydied.source.edits.name_edits import replace_text, replace_text_on
from whydied.source.trees import across, nodes_on

ROLE = "explanation"
_VALIDATION = "val_"
_SHORT = {"acc": "accuracy", "mae": "mean_absolute_error", "mse": "mean_squared_error", "lr": "learning_rate"}


def check(case: Case) -> Finding | None:
    link = root_link(case)
    if link is None or link.type != "KeyError" or not link.wanted:
        return None
    name = link.wanted.strip("'\"")
    empty = _of_another_call(case, link, name)
    if empty is not None:
        return empty
    logged = [key.strip("'\"") for key in link.keys]
    if not {"loss", "val_loss"} & set(logged) or not name.isidentifier() or not case.records.all(CallBegan):
        # A dictionary of the program's own has such names too: Keras must have trained something.
        return None
    raised_at = place_of(case)
    written = _written_on(case, name, raised_at)
    place = written or raised_at
    near = _meant(name, logged, [one.strip("'\"") for one in link.near])
    where = f" on {line_words(written)}" if written is not None and written != raised_at else ""
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
        changes = []
        words = f"`{name}` is not logged; Keras logs {', '.join(logged)}"
        advice = [f"Use one of these names{where}, or name the metric in `compile(metrics=[…])`."]
    evidence = [said(link), Evidence(fact="logged", value=", ".join(logged), source="ExceptionRaised")]
    if where and raised_at is not None:
        evidence.append(Evidence(fact="asked for on", value=line_words(raised_at), source="ExceptionRaised"))
    return Finding(
        message=f"{prefix(place)}{words}",
        certainty="certain",
        location=place,
        culprit=Culprit(kind="key", name=name, near=[near] if near else []),
        evidence=evidence,
        advice=advice,
        changes=changes,
    )


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
    frame = next((one for one in reversed(call.frames) if one.user), None) if call is not None else None
    if frame is None or not isinstance(given, dict) or "array" not in str(given.get("type", "")):
        return []
    node = only_call(case.sources, frame.file, frame.line, "fit")
    if node is None:
        return []
    edit = set_argument(case.sources[frame.file], frame.file, node, "validation_split", None, "0.2")
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
