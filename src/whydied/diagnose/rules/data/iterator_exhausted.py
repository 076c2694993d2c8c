"""The data ran out while the program asked for more.

## What it detects
`OutOfRangeError: End of sequence` in a v1 session or of `get_next`, and the `StopIteration` of `next` on the iterator
of a data set or on a generator of the program, that nobody caught.

## Why it happens
A data set gives its elements once. A loop that counts steps instead of walking over the data goes on after the last
batch: more epochs than `repeat`, more steps than rows over batch size, or a data set that is smaller than thought.

## Evidence
The exception with its line, and how many steps the program made before.

## How it is proved
The exception is direct evidence: certain.

## Fix
`dataset.repeat()`, fewer steps, `for batch in dataset:`, or `except tf.errors.OutOfRangeError` at the end of an epoch.

## References
TensorFlow documentation: tf.data.Iterator.
"""

from __future__ import annotations

import ast
import re

from whydied.diagnose.case import Case, line_words, prefix
from whydied.diagnose.errors.exception_words import evidence_of
from whydied.diagnose.errors.quotation import Quotation, quoted
from whydied.diagnose.finding import Culprit, Evidence, Finding, Location
from whydied.records import RaisedException, SessionRan, StepBegan
from whydied.source.assignments import assigned
from whydied.source.edits.edit import Change
from whydied.source.edits.programs.pipeline_edits import begun_anew, caught, iterator_repeated
from whydied.source.generators import iterator_asked
from whydied.source.trees import across, around, last_name, located, tree_of, within, written
from whydied.texts import data_pipelines

_END = data_pipelines.END_OF_SEQUENCE.pattern
_ANY = re.compile(r"")

ROLE = "explanation"
YIELDS_TO = ("picture-not-decoded",)


def check(case: Case) -> Finding | None:
    said = quoted(case, _END) or _stopped(case)
    if said is None or said.link.type not in ("OutOfRangeError", "StopIteration"):
        return None
    name = _iterator(case, said)
    if _is_generator(said.link):
        return _of_generator(case, said, name)
    made = _made(case, said.place, name)
    steps = _steps(case)
    what = f"`{name}`" if name else "the data set"
    after = f" after {steps:,} steps" if steps else ""
    evidence = evidence_of(said.link, said.raised)
    if made is not None:
        place = f"{made.file}:{made.line}"
        evidence.append(Evidence(fact="data source", value=place, source="the source"))
    return Finding(
        message=f"{prefix(said.place)}{what} has no more elements{after}, but the loop asks for another",
        certainty="certain",
        location=said.place,
        culprit=Culprit(kind="iterator", name=name),
        evidence=evidence,
        advice=[
            "Iterate over the data set itself (`for batch in dataset:`), add `.repeat()` to it, or catch its end "
            f"(`except {_error(said)}`)."
        ],
        changes=_changes(case, said, name),
    )


def _of_generator(case: Case, said: Quotation, name: str | None) -> Finding | None:
    """A generator of the program's own ended, and `next` asked it once more."""
    made = [node.value for _, node in across(case.sources, ast.Assign) if name and name in map(written, node.targets)]
    names = {last_name(value.func) if isinstance(value, ast.Call) else "" for value in made}
    function = names.pop() if len(names) == 1 else ""
    found = [one for one in across(case.sources, ast.FunctionDef) if one[1].name == function]
    loops = [node for node in within(found[0][1]) if isinstance(node, ast.For)] if len(found) == 1 else []
    if not loops or said.place is None:
        return None
    file, generator = found[0]
    loop = min(loops, key=lambda node: node.lineno)
    place = located(case.sources, file, loop.lineno)
    edits = begun_anew(case.sources[file], file, generator)
    return Finding(
        message=f"{prefix(place)}the generator `{function}` ends after one pass, and {line_words(said.place)} asks "
        f"`{name}` for another item",
        certainty="certain",
        location=place,
        culprit=Culprit(kind="generator", name=function),
        evidence=evidence_of(said.link, said.raised),
        advice=[f"Put `while True:` around the loop of `{function}`, or make `{name}` anew for each pass."],
        changes=[Change(title="Begin the data anew at their end", kind="data", edits=edits)] if edits else [],
    )


def _is_generator(link: RaisedException) -> bool:
    own = bool(link.frames) and link.frames[-1].user
    return link.type == "StopIteration" and own and any(one.type == "generator" for one in link.operands)


def _error(said: Quotation) -> str:
    """What the line itself raises: `next` turns TensorFlow's error into Python's."""
    surfaced = said.raised.chain[0].type
    return "StopIteration" if "StopIteration" in (said.link.type, surfaced) else "tf.errors.OutOfRangeError"


def _changes(case: Case, said: Quotation, name: str | None) -> list[Change]:
    """A loop of so many steps goes through the data again; one without an end of its own ends with them."""
    place = said.place
    source = case.sources.get(place.file) if place is not None else None
    if place is None or source is None:
        return []
    loops = around(source.tree, place.line, (ast.For, ast.While))
    endless = bool(loops) and isinstance(loops[-1], ast.While)
    again = iterator_repeated(source, place.file, name) if name and not endless else None
    changes = [Change(title="Begin the data anew at their end", kind="data", edits=[again])] if again else []
    edits = caught(source, place.file, place.line, _error(said))
    end = [Change(title="End the loop with the data", kind="statement", edits=edits)] if edits else []
    return [*changes, *end]


def _stopped(case: Case) -> Quotation | None:
    """A `StopIteration` that came out of the iterator of a data set."""
    raised = case.uncaught
    for link in reversed(raised.chain) if raised else ():
        if link.type == "StopIteration" and raised is not None and _is_of_data(link):
            found = _ANY.search("")
            assert found is not None
            return Quotation(raised, link, found, case.locate_exception([link, *raised.chain]))
    return None


def _is_of_data(link: RaisedException) -> bool:
    inner = link.frames[-1].file if link.frames else ""
    typed = any("Iterator" in one.type and one.type.startswith("tensorflow.") for one in link.operands)
    return typed or _is_generator(link) or "tensorflow/python/data" in inner.replace("\\", "/")


def _iterator(case: Case, said: Quotation) -> str | None:
    own = [one.text for one in said.link.operands if "Iterator" in one.type or one.type == "generator"]
    return own[0] if own else iterator_asked(case.sources, said.place)


def _made(case: Case, place: Location | None, name: str | None) -> Location | None:
    if name is None or place is None:
        return None
    values = assigned(name, tree_of(case.sources, place.file))
    return Location(file=place.file, line=values[-1].line) if values else None


def _steps(case: Case) -> int | None:
    ran = [one.count for one in case.records.all(SessionRan)]
    steps = [step.count for step in case.records.all(StepBegan) if step.unit in ("train", "apply", "function")]
    return max(ran or steps, default=None)
