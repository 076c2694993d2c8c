"""A call was refused because of a setting, its own or one of the object that it is a method of.

## What it detects
An exception that says `allow_pickle=False`, or another setting with its value, while the call that it is about does not
give that setting. A method that is refused because of what its object was made with, or without: gradients asked twice
of a tape that is not persistent, `adapt` of a layer that was given its vocabulary, a stateful layer without a batch
size.

## Why it happens
Libraries switched off by default what can run code out of a file, or what costs time.

## Evidence
The setting in the exception, and the only call near the failing line that can have it. Of an object, the library's own
condition, and the parameter of the constructor that keeps the setting.

## How it is proved
The exception names the setting; which call it belongs to is told by the source: likely. With the other value of an
object's setting the library's condition does not hold.

## Fix
The setting with the other value in that call. Where it lets code of a file run, only for files of one's own.

## Known problems
Where several calls could have the setting, none is named.
"""

from __future__ import annotations

import ast

from whydied.diagnose.case import Case, line_words, prefix
from whydied.diagnose.errors.calls import object_settings
from whydied.diagnose.errors.usage import place_of, root_link, said, text_of
from whydied.diagnose.finding import Culprit, Finding, Location
from whydied.records import Frame
from whydied.source.assignments import last_assignment
from whydied.source.edits.call_edits import add_argument
from whydied.source.edits.edit import Change
from whydied.source.trees import nodes_at, scope_at, tree_of, walk, written
from whydied.texts import saving

ROLE = "explanation"
YIELDS_TO = ("load-failed", "custom-object-missing", "api-removed", "wrong-argument", "partial-batch")


def check(case: Case) -> Finding | None:
    link, failing = root_link(case), place_of(case)
    of_object = object_settings.finding(case, link) if link is not None else None
    if of_object is not None:
        return of_object
    told = saving.FORBIDDEN_BY.pattern.search(text_of(link)) if link is not None else None
    if link is None or told is None or failing is None:
        return None
    name, now = told["name"], told["value"]
    calls = [call for call in _calls(case, failing) if name not in {word.arg for word in call.keywords}]
    if len(calls) != 1:
        return None
    call = calls[0]
    value = "True" if now == "False" else "False"
    place = case.locate(Frame(file=failing.file, line=call.lineno, function=failing.function or "", user=True))
    edit = add_argument(case.sources[failing.file], failing.file, call, f"{name}={value}")
    at = f" for {line_words(failing)}" if place.line != failing.line else ""
    return Finding(
        message=f"{prefix(place)}`{written(call.func)}` does not allow it by default{at}: {name} is {now}",
        certainty="likely",
        location=place,
        culprit=Culprit(kind="argument", name=name, value=now),
        evidence=[said(link)],
        advice=[f"If the file is your own, write `{name}={value}` in `{written(call)}`."],
        changes=[Change(title=f"Pass `{name}={value}`, if the file is your own", kind="argument", edits=[edit])],
    )


def _calls(case: Case, failing: Location) -> list[ast.Call]:
    """Calls that load something: of the failing statement, and of what the names in it were assigned."""
    nodes = nodes_at(case.sources, failing)
    scope = scope_at(tree_of(case.sources, failing.file), failing.line)
    names = {node.id for node in nodes if isinstance(node, ast.Name)}
    made = [one for name in names if (one := last_assignment(name, scope, failing.line)) is not None]
    calls = [node for node in nodes if isinstance(node, ast.Call)]
    calls += [call for one in made for call in walk(one, ast.Call)]
    return list({id(call): call for call in calls if written(call.func).rpartition(".")[2] == "load"}.values())
