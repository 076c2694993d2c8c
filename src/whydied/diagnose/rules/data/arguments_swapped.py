"""Two arguments of a call are in each other's place.

## What it detects
An exception about a value that a function of the program's own made, or inside of such a function, where two arguments
of the call stand crosswise: each has the name of the other's parameter (`blobs(features, samples)` for `def
blobs(samples, features)`), one has it and the other has what the function asked the first for in vain, or they are the
two sizes of an array that fits with its axes exchanged. Also a function that writes a file (`np.save`, `json.dump`)
which was given the file in the place of the value.

## Why it happens
Both are numbers, or both are arrays, so that nothing is wrong with the call itself.

## Evidence
The call, followed from the failing value, and the parameters of the function, from the source; of numbers, the shape of
the array and the size that was expected, recorded at the exception.

## How it is proved
Names that match crosswise, of scalars or of two types, or a width that is the other argument, are no accident, but are
an inference: likely. That a text or an open file stands where the value belongs, and no file where the file belongs, is
certain.

## Fix
The two arguments exchanged.

## Known problems
Only arguments by position can be in another order.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator
from itertools import combinations, pairwise
from typing import NamedTuple

from whydied.diagnose.case import Case, prefix
from whydied.diagnose.data.failing_data import Failing, fact, failing, words_at
from whydied.diagnose.errors.usage import said
from whydied.diagnose.finding import Certainty, Culprit, Evidence, Finding
from whydied.records import ErrorFacts, Party
from whydied.source.calls import callee, parameters
from whydied.source.edits.edit import Change, over, written_in
from whydied.source.numbers import evaluate
from whydied.source.origins.trails import expressions_on
from whydied.source.trees import Function, last_name, written

ROLE = "explanation"
_SCALARS = ("int", "float", "str")
_WRITERS = {
    **dict.fromkeys(("np.save", "np.savetxt", "np.savez", "numpy.save", "numpy.savetxt", "tf.io.write_file"), 0),
    **dict.fromkeys(("json.dump", "pickle.dump", "joblib.dump", "yaml.dump"), 1),
}
"""The place of the file among the first two arguments of functions that write one."""
_FILES = ("str", "PosixPath", "TextIOWrapper", "BufferedWriter", "_TemporaryFileWrapper", "GzipFile", "BytesIO")


class _Called(NamedTuple):
    file: str
    call: ast.Call
    function: Function
    party: Party | None = None


def check(case: Case) -> Finding | None:
    found = failing(case, "ValueError", "TypeError", "IndexError", "InvalidArgumentError", "AttributeError")
    written_to = _writer(found) if found is not None else None
    if written_to is not None:
        return written_to
    for one in _calls(found) if found is not None else ():
        if found is None or any(isinstance(part, ast.Starred) for part in one.call.args):
            continue
        names = parameters(one.function)[: len(one.call.args)]
        for left, right in combinations(range(len(names)), 2):
            why = (
                _crosswise(found, names, one.call, left, right)
                or _asked_of_other(found, names, one.call, left, right)
                or _exchanged(found, one, left, right)
            )
            if why:
                return _finding(found, one, left, right, why)
    return None


def _calls(found: Failing) -> Iterator[_Called]:
    """The calls of own functions that were running, and those that made the values of the failing statement."""
    frames = [one for one in found.link.frames if one.user]
    # Deeper inside something else may have gone wrong, for which the order does not matter.
    for caller, inner in list(pairwise(frames))[-1:]:
        for node in expressions_on(found.sources, caller.file, caller.line):
            is_run = isinstance(node, ast.Call) and callee(node) == inner.function != caller.function
            own = found.trails.called(node) if isinstance(node, ast.Call) and is_run else None
            if own is not None and isinstance(node, ast.Call):
                yield _Called(caller.file, node, own[1])
    for facts in found.case.records.all(ErrorFacts):
        for party in facts.parties:
            for source in party.sources[:2]:
                for node in expressions_on(found.sources, source.frame.file, source.frame.line) if source.frame else ():
                    own = found.trails.called(node) if isinstance(node, ast.Call) else None
                    if own is not None and isinstance(node, ast.Call) and source.frame is not None:
                        yield _Called(source.frame.file, node, own[1], party)


def _crosswise(found: Failing, names: list[str], call: ast.Call, left: int, right: int) -> str:
    """Why two arguments are taken for exchanged: each is named like the other's parameter. Of two arrays the order
    often does not matter, or is meant."""
    given = [last_name(call.args[at]) for at in (left, right)]
    if given[0] != names[right] or given[1] != names[left] or given[0] == given[1]:
        return ""
    kinds = {one.name: one.type for frame in found.link.frames if frame.user for one in frame.locals}
    both = [kinds.get(one, "") for one in given]
    if not all(both) or (both[0] == both[1] and both[0] not in _SCALARS):
        return ""
    return f"`{given[0]}` is passed as `{names[left]}` and `{given[1]}` as `{names[right]}`"


def _asked_of_other(found: Failing, names: list[str], call: ast.Call, left: int, right: int) -> str:
    """One argument is named like the other's parameter, and the attribute that its value does not have is one that the
    value of the other argument has."""
    given = [last_name(call.args[at]) for at in (left, right)]
    at, other = (left, right) if given[0] == names[right] else (right, left)
    is_own = given[0] == names[left] or given[1] == names[right]
    if found.link.type != "AttributeError" or is_own or given[at == right] != names[other]:
        return ""
    inner = next((one for one in reversed(found.link.frames) if one.user), None)
    kinds = {one.name: one.type for one in inner.locals} if inner is not None else {}
    asked = found.link.operands[0] if found.link.operands else None
    if asked is None or asked.text not in (names[left], names[right]) or asked.type != kinds.get(asked.text):
        return ""
    answers = kinds.get(names[right] if asked.text == names[left] else names[left], "")
    kind = getattr(builtins, answers, None)
    if not found.link.wanted or not isinstance(kind, type) or not hasattr(kind, found.link.wanted):
        return ""
    shown = f"`{given[at == right]}` is passed as `{names[at]}`"
    return f"{shown}, and `{asked.text}`, a {asked.type}, is asked for `{found.link.wanted}`, which a {answers} has"


def _writer(found: Failing) -> Finding | None:
    """A function that writes a file, given the value for the file and the file for the value."""
    for call in found.expressions:
        place = _WRITERS.get(written(call.func)) if isinstance(call, ast.Call) else None
        if place is None or not isinstance(call, ast.Call) or len(call.args) < 2:
            continue
        kinds = [_kind(found, one) for one in call.args[:2]]
        file, value = kinds[place], kinds[1 - place]
        if not file or file in _FILES or value not in _FILES or (value == "str" and file in _SCALARS):
            continue
        words = ("the file", "the value") if place == 0 else ("the value", "the file")
        why = f"it takes {words[0]} first, then {words[1]}, and `{written(call.args[place])}` is a {file}"
        return _told(found, found.place.file, call, (0, 1), why, [], "certain")
    return None


def _kind(found: Failing, node: ast.expr) -> str:
    if isinstance(node, ast.Constant):
        return type(node.value).__name__
    operand = found.operand(written(node))
    return operand.type.rpartition(".")[2] if operand is not None else "str" if isinstance(node, ast.JoinedStr) else ""


def _exchanged(found: Failing, one: _Called, left: int, right: int) -> str:
    """Two written sizes of an array, where the width that is expected of it is the other of them."""
    shape = one.party.shape if one.party is not None else None
    sizes = [evaluate(one.call.args[at], {}) for at in (left, right)]
    if shape is None or len(shape) != 2 or sizes[0] == sizes[1] or shape != sizes:
        return ""
    widths = {
        size
        for facts in found.case.records.all(ErrorFacts)
        if facts.wanted is not None
        for size in (facts.wanted.axes.get("-1"), (facts.wanted.shape or [None])[-1])
        if size is not None
    }
    if widths != {sizes[0]} or one.party is None:
        return ""
    names = parameters(one.function)
    return (
        f"`{names[left]}` is {sizes[0]} and `{names[right]}` is {sizes[1]}, so `{one.party.text}` is "
        f"({shape[0]}, {shape[1]}), and a width of {sizes[0]} is expected"
    )


def _finding(found: Failing, one: _Called, left: int, right: int, why: str) -> Finding:
    defined = f"{one.function.name}({', '.join(parameters(one.function))})"
    evidence = [fact("defined as", f"{defined}, {words_at(one.file, one.function.lineno)}", "source")]
    return _told(found, one.file, one.call, (left, right), why, evidence, "likely")


def _told(
    found: Failing,
    file: str,
    call: ast.Call,
    places: tuple[int, int],
    why: str,
    evidence: list[Evidence],
    certainty: Certainty,
) -> Finding:
    left, right = places
    where = found.located(file, call.lineno)
    source = found.sources[file]
    order = [written_in(source, part) for part in call.args]
    edits = [over(source, file, call.args[left], order[right]), over(source, file, call.args[right], order[left])]
    order[left], order[right] = order[right], order[left]
    words = [f"{word.arg}={written_in(source, word.value)}" for word in call.keywords if word.arg]
    text = f"{written(call.func)}({', '.join([*order, *words])})"
    return Finding(
        message=f"{prefix(where)}two arguments of `{written(call.func)}` are in each other's place: {why}",
        certainty=certainty,
        location=where,
        culprit=Culprit(kind="argument", name=written(call)),
        evidence=[said(found.link), *evidence],
        advice=[f"Write `{text}`."],
        changes=[Change(title=f"Write `{text}`", kind="argument", edits=edits)] if found.is_editable(file) else [],
    )
