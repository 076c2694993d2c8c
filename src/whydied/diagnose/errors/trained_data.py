"""What a model was trained on, for data that it is given later: whether it was, and how those were made. Pure."""

from __future__ import annotations

import ast

from whydied.diagnose.case import Case, line_words
from whydied.diagnose.errors import error_edits
from whydied.diagnose.errors.advice import Advice, advised, nothing
from whydied.diagnose.errors.framework_error import FrameworkError, Shape, shape_words
from whydied.records import CallBegan, CallEnded, Frame, Party
from whydied.source.assignments import last_assignment
from whydied.source.calls import callee
from whydied.source.trees import function_at, nodes_on, scope_at


def was_trained(case: Case) -> bool:
    """Whether a `fit` ended well before."""
    if case.principal is None:
        return False
    fits = {call.call for call in case.principal.all(CallBegan) if call.kind == "fit"}
    return any(ended.call in fits and ended.raised is None for ended in case.principal.all(CallEnded))


def as_trained(case: Case, error: FrameworkError, party: Party) -> Advice:
    """The same preparation for what is passed now: the data of the training were made by a call that was given values
    of this very shape."""
    calls = case.principal.all(CallBegan) if case.principal is not None else []
    fit = next((call for call in reversed(calls) if call.kind == "fit"), None)
    place = _frame(fit) if fit is not None else None
    given = _made(case, place) if place is not None else None
    if given is None or not party.text or not party.shape:
        return nothing()
    call, frame, name = given
    like = [one for one in calls if one.kind != "fit" and _shape(one)[1:] == party.shape[1:]]
    data = [one for one in call.args if isinstance(one, ast.Name)]
    if not data or not any(_within(case, _frame(one), call, frame) for one in like):
        return nothing()
    text = ast.unparse(call)
    other = ast.unparse(_with(call, data[-1], party.text))
    words = (
        f"The model was trained on `{name}`, which `{text}` made ({line_words(frame)}) of values like these, "
        f"{shape_words([None, *party.shape[1:]])}: pass `{other}`."
    )
    code = other.replace("{", "{{").replace("}", "}}")
    return advised(words, "data", error_edits.passed(error, party, code))


def _made(case: Case, fit: Frame) -> tuple[ast.Call, Frame, str] | None:
    """The call that made the x of a `fit`, its line, and the name of the x."""
    source = case.sources.get(fit.file)
    calls = [one for one in nodes_on(source, fit.line) if isinstance(one, ast.Call)] if source is not None else []
    fits = [one for one in calls if callee(one) == "fit" and one.args]
    if source is None or len(fits) != 1 or not isinstance(fits[0].args[0], ast.Name):
        return None
    name = fits[0].args[0].id
    made = last_assignment(name, scope_at(source.tree, fit.line), fit.line)
    call = getattr(made, "value", None)
    if made is None or not isinstance(call, ast.Call):
        return None
    return call, Frame(file=fit.file, line=made.lineno, function=fit.function, user=True), name


def _frame(call: CallBegan) -> Frame | None:
    """The line of the user's that a call into Keras came from."""
    return next((frame for frame in reversed(call.frames) if frame.user), None)


def _within(case: Case, at: Frame | None, call: ast.Call, frame: Frame) -> bool:
    """Whether a line is that of a call, or lies in the function that it calls."""
    if at is None:
        return False
    source = case.sources.get(at.file)
    function = function_at(source.tree, at.line) if source is not None else None
    return (at.file, at.line) == (frame.file, frame.line) or getattr(function, "name", None) == callee(call)


def _with(call: ast.Call, argument: ast.Name, text: str) -> ast.Call:
    args = [ast.parse(text, mode="eval").body if one is argument else one for one in call.args]
    return ast.Call(call.func, args, call.keywords)


def _shape(call: CallBegan) -> Shape:
    given = call.arguments.get("x")
    shape = given.get("shape") if isinstance(given, dict) else None
    return shape if isinstance(shape, list) else []
