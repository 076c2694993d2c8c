"""A layer that is given something else than a tensor by position, which Keras 3 refuses: by its name instead. Pure."""

from __future__ import annotations

import ast

from whydied.diagnose.case import Case
from whydied.diagnose.errors.calls.refused_values import failing_call
from whydied.diagnose.errors.usage import call_of
from whydied.diagnose.finding import Culprit
from whydied.records import ApiCalled, Argument
from whydied.source.edits.edit import Change, over, written_in
from whydied.source.edits.like_edits import at_like_calls
from whydied.source.trees import written
from whydied.texts import layers

Told = tuple[str, str, int, Culprit, list[str], list[Change]]
_TENSORS = ("Tensor", "Variable", "ndarray", "NoneType")


def other_than_tensors(case: Case, text: str) -> Told | None:
    told, called = layers.TENSORS_BY_POSITION.pattern.search(text), call_of(case)
    if told is None or called is None or called.frame is None:
        return None
    refused = _refused(called, _last(told["type"]), told["value"])
    if refused is None or not refused.position:
        # What is the data of the layer has to become a tensor, and has no other name.
        return None
    shown = f"`{refused.text}`{f' ({refused.value})' if refused.value and refused.value != refused.text else ''}"
    words = (
        f"`{called.callee}` is a layer and was given {shown} by position; Keras takes only tensors by position, and "
    )
    words += "everything else by its name"
    advice, changes = _by_name(case, called, refused.position)
    culprit = Culprit(kind="argument", name=refused.text, value=refused.value)
    return words, called.frame.file, called.frame.line, culprit, advice, changes


def _refused(called: ApiCalled, kind: str, value: str) -> Argument | None:
    """The first argument that is what Keras quotes, or holds it; else the first of which nothing is known."""
    given = [one for one in called.arguments if one.position is not None]
    exact = [one for one in given if _last(one.type) == kind and one.value in (None, value, repr(value))]
    holding = [one for one in given if kind in {_last(held) for held in one.held}]
    others = [one for one in given[1:] if not one.type or not _last(one.type).endswith(_TENSORS)]
    found = sorted([*exact, *holding], key=lambda one: one.position or 0) or others
    return found[0] if found else None


def _last(kind: str) -> str:
    return kind.rpartition(".")[2]


def _by_name(case: Case, called: ApiCalled, first: int) -> tuple[list[str], list[Change]]:
    """The call with all arguments from a place on by their names: none by position may follow."""
    call, names = failing_call(case, called), called.parameters
    if call is None or called.frame is None or any(isinstance(one, ast.Starred) for one in call.args):
        return ["Pass it by its name."], []
    taken = {word.arg for word in call.keywords}
    if len(call.args) > len(names) or taken & set(names[first : len(call.args)]):
        return ["Pass it by its name."], []
    file, source = called.frame.file, case.sources[called.frame.file]
    named = list(zip(call.args, names, strict=False))[first:]
    edits = [over(source, file, one, f"{name}={written_in(source, one)}") for one, name in named]
    whole = ast.Call(call.func, call.args[:first], [*(ast.keyword(name, one) for one, name in named), *call.keywords])
    right = written(ast.fix_missing_locations(whole))
    change = Change(title=f"Write `{right}`", kind="argument", edits=at_like_calls(source, edits))
    return [f"Write `{right}`."], [change]
