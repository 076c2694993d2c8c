"""A generator or a class of batches that gives one sample at a time, where a batch is asked for. Pure."""

from __future__ import annotations

import ast

from whydied.diagnose.errors.advice import Way, source_at
from whydied.diagnose.errors.framework_error import FrameworkError
from whydied.records import Frame
from whydied.source.assignments import last_assignment
from whydied.source.calls import callee
from whydied.source.edits.call_edits import keyword_values
from whydied.source.edits.edit import Edit
from whydied.source.edits.runs.batch_of_one import batch_of_one, giving_lines
from whydied.source.trees import function_at, scope_at


def yielding_batches(error: FrameworkError) -> Way | None:
    """A batch of one at the place where a sample is given, also by what the validation data come from."""
    frame = _giving(error)
    source = source_at(error.sources, frame)
    if frame is None or source is None:
        return None
    seen = {party.text: [] if _is_number(party.type) else party.shape for party in error.of_role("yielded")}
    known = {text: shape for text, shape in seen.items() if shape is not None}
    made = batch_of_one(source, frame.file, frame.line, known)
    if made is None:
        return None
    told, edits = made
    yields = any(one.kind == "generator" for party in error.of_role("x") for one in party.sources)
    verb = "yield" if yields else "return"
    who = "the generator yields" if yields else "`__getitem__` returns"
    words = f"{who} single samples without a batch axis: `{verb} {told}`, or several rows at once"
    return Way(words, list(dict.fromkeys([*edits, *_validating(error, frame)])), frame)


def _is_number(kind: str) -> bool:
    return kind.rpartition(".")[2] in ("int", "float", "bool", "str")


def _giving(error: FrameworkError) -> Frame | None:
    for party in error.of_role("x"):
        frame = next((one.frame for one in party.sources if one.kind == "generator" and one.frame is not None), None)
        if frame is not None:
            return frame
    # A class of batches is known by its name.
    for party in error.of_role("x"):
        for file, source in error.sources.items():
            name = party.type.rpartition(".")[2]
            for line in giving_lines(source, name) if name and party.shape is None else ():
                function = function_at(source.tree, line)
                return Frame(file=file, line=line, function=function.name if function else "<module>", user=True)
    return None


def _validating(error: FrameworkError, frame: Frame) -> list[Edit]:
    """The same for the function or class that gives the validation data, where that is another one."""
    place, source = error.facts.place, source_at(error.sources, error.facts.place)
    given = keyword_values(source, place.line, "validation_data") if source is not None and place is not None else []
    if len(given) != 1 or source is None or place is None:
        return []
    value: ast.expr | None = given[0]
    if isinstance(value, ast.Name):
        made = last_assignment(value.id, scope_at(source.tree, place.line), place.line)
        value = made.value if isinstance(made, ast.Assign) else None
    name = callee(value) if isinstance(value, ast.Call) else None
    for file, other in error.sources.items():
        for line in giving_lines(other, name) if name else ():
            own = function_at(other.tree, frame.line) if file == frame.file else None
            if own is not None and own is function_at(other.tree, line):
                return []
            made_there = batch_of_one(other, file, line, {})
            return made_there[1] if made_there is not None else []
    return []
