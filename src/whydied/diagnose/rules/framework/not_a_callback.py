"""What `fit` got as a callback is not one.

## What it detects
An object in `callbacks` whose class does not come from Keras' `Callback`: a class of the program's own without that
parent, a set or another list around the callbacks. Also a callback whose own `set_model` keeps the model from its
parent.

## Why it happens
Keras calls a dozen methods of each callback, and asks none of the objects beforehand whether it has them.

## Evidence
What `callbacks` held at the call, and the method that was missing.

## How it is proved
The type that the exception names is among what was passed: certain.

## Fix
The class as a child of `keras.callbacks.Callback`, or the callbacks in one plain list.

## Known problems
None known.
"""

from __future__ import annotations

import ast
import re

from whydied.diagnose.case import Case, line_words, prefix
from whydied.diagnose.errors.usage import call_of, place_of, root_link, said, text_of
from whydied.diagnose.finding import Culprit, Evidence, Finding
from whydied.records import ApiCalled, Argument, Frame
from whydied.source.edits.call_edits import only_call
from whydied.source.edits.edit import Change, Edit, over
from whydied.source.edits.import_edits import add_import, name_of
from whydied.source.edits.programs.class_edits import begin_parent
from whydied.source.edits.programs.definition_edits import first_statement, method_in
from whydied.source.text import Source
from whydied.source.trees import across, around, nodes_at, walk, written
from whydied.texts import python_errors

ROLE = "explanation"
_CONTAINERS = ("set", "list", "tuple", "dict", "frozenset")


def check(case: Case) -> Finding | None:
    link, called = root_link(case), call_of(case)
    said_of = python_errors.OBJECT_WITHOUT_ATTRIBUTE.pattern.search(text_of(link)) if link is not None else None
    if link is None or said_of is None:
        return None
    kind, method = said_of[1], said_of[2]
    if kind == "NoneType":
        return _not_passed_on(case, said(link))
    if not re.match(r"set_|on_|params$|_?supports|model$", method):
        return None
    for argument in called.arguments if called is not None else ():
        names = [one.rpartition(".")[2] for one in [*argument.held, argument.type]]
        if called is None or argument.parameter != "callbacks" or kind not in names:
            continue
        evidence = [said(link), Evidence(fact="`callbacks` held", value=", ".join(argument.held), source="ApiCalled")]
        if kind in _CONTAINERS:
            return _of_container(case, called, argument, kind, evidence)
        return _of_class(case, called, kind, method, evidence)
    return None


def _not_passed_on(case: Case, evidence: Evidence) -> Finding | None:
    """`self.model` of a callback whose own `set_model` does not call the one of its parent."""
    failing = place_of(case)
    source = case.sources.get(failing.file) if failing is not None else None
    if (
        failing is None
        or source is None
        or not any(written(one) == "self.model" for one in nodes_at(case.sources, failing))
    ):
        return None
    owners = [one for one in around(source.tree, failing.line, ast.ClassDef) if one.bases]
    method = method_in(owners[-1], "set_model") if owners else None
    if method is None or any(written(one.func) == "super().set_model" for one in walk(method, ast.Call)):
        return None
    place = case.locate(Frame(file=failing.file, line=method.lineno, function="set_model", user=True))
    given = method.args.args[1].arg if len(method.args.args) > 1 else "model"
    edit = first_statement(source, failing.file, method, f"super().set_model({given})")
    changes = [Change(title="Pass the model on to the parent", kind="definition", edits=[edit])] if edit else []
    return Finding(
        message=f"{prefix(place)}`set_model` of {owners[-1].name} does not pass the model on to its parent, so "
        f"`self.model` is None on {line_words(failing)}",
        certainty="certain",
        location=place,
        culprit=Culprit(kind="method", name=f"{owners[-1].name}.set_model"),
        evidence=[evidence],
        advice=[f"Begin it with `super().set_model({given})`."],
        changes=changes,
    )


def _of_container(case: Case, called: ApiCalled, argument: Argument, kind: str, evidence: list[Evidence]) -> Finding:
    frame, place = called.frame, place_of(case)
    call = only_call(case.sources, frame.file, frame.line, called.callee.rpartition(".")[2]) if frame else None
    given = next((one.value for one in call.keywords if one.arg == "callbacks"), None) if call else None
    inner = given.elts[0] if isinstance(given, ast.List) and len(given.elts) == 1 else None
    text = argument.text[1:-1] if inner is not None else argument.text
    new = f"list({text})" if kind in ("set", "frozenset") else text
    changes = []
    if frame is not None and given is not None and new != argument.text:
        edit = over(case.sources[frame.file], frame.file, given, new)
        changes = [Change(title=f"Pass `{new}`", kind="argument", edits=[edit])]
    return Finding(
        message=f"{prefix(place)}`callbacks` of `{called.callee}` holds a {kind}, and not callbacks",
        certainty="certain",
        location=place,
        culprit=Culprit(kind="argument", name=argument.text),
        evidence=evidence,
        advice=[f"Pass one list of callbacks: `callbacks={new}`."],
        changes=changes,
    )


def _of_class(case: Case, called: ApiCalled, kind: str, method: str, evidence: list[Evidence]) -> Finding:
    owners = [(file, one) for file, one in across(case.project, ast.ClassDef) if one.name == kind]
    failing = place_of(case)
    place = failing
    changes: list[Change] = []
    parent = "keras.callbacks.Callback"
    if len(owners) == 1:
        file, owner = owners[0]
        place = case.locate(Frame(file=file, line=owner.lineno, function="", user=True))
        source = case.project[file]
        keras = name_of(source, "keras")
        parent = f"{keras or 'keras'}.callbacks.Callback"
        edits = [] if owner.bases else _with_parent(source, file, owner, parent)
        edits += [one for one in [None if keras else add_import(source, file, "import keras")] if one and edits]
        changes = [Change(title=f"Derive {kind} from `{parent}`", kind="definition", edits=edits)] if edits else []
    at = (
        f", and {line_words(failing)} passes one to `{called.callee}`"
        if failing is not None and place != failing
        else ""
    )
    return Finding(
        message=f"{prefix(place)}{kind} is not a Keras callback (it has no `{method}`){at}",
        certainty="certain",
        location=place,
        culprit=Culprit(kind="class", name=kind),
        evidence=evidence,
        advice=[f"Write `class {kind}({parent}):`, and begin its `__init__` with `super().__init__()`."],
        changes=changes,
    )


def _with_parent(source: Source, file: str, owner: ast.ClassDef, parent: str) -> list[Edit]:
    line = source.lines[owner.lineno - 1]
    at = line.find(f"class {owner.name}")
    end = at + len(f"class {owner.name}")
    rest = line[end:]
    stop = end + (2 if rest.startswith("()") else 0)
    head = Edit(file, (owner.lineno, end), (owner.lineno, stop), f"({parent})")
    return [head, *begin_parent(source, file, owner)] if at >= 0 else []
