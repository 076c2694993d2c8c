"""An object of a library whose method cannot take what another part of it passes to all of the kind: a metric of
values among those of targets and outputs; runs in the user's process, at an uncaught exception.

Invariant: nothing is called but `inspect.signature` on classes of the libraries and their methods.
"""

from __future__ import annotations

import ast
import inspect
from typing import Any

from whydied.inside.errors.api.api_names import library_of
from whydied.inside.guest import guard
from whydied.inside.guest.value_facts import describe
from whydied.records import Demanded
from whydied.source.trees import written
from whydied.texts import python_errors
from whydied.texts.entry import any_of

KIND = "receiver"
_TEXT = 120
_NAMED = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
_ARGUMENTS = any_of(
    python_errors.UNEXPECTED_ARGUMENT,
    python_errors.MISSING_ARGUMENT,
    python_errors.TAKES_OTHER_NUMBER,
    python_errors.SEVERAL_VALUES,
)


def receiver_of(error: TypeError, call: ast.Call) -> ast.expr | None:
    """What a method is called on, where Python refused the arguments of just this call of it."""
    said = next((one for one in error.args if type(one) is str), "")
    named = python_errors.CALLED.pattern.search(said) if _ARGUMENTS.search(said) else None
    func = call.func
    is_it = named is not None and isinstance(func, ast.Attribute) and named[1].rpartition(".")[2] == func.attr
    return func.value if is_it and isinstance(func, ast.Attribute) else None


def demanded(value: Any, call: ast.Call, parameter: str, part: str) -> Demanded | None:
    """The object with the parameters that its method has; the call is as the library writes it. None for an object of
    a class of the user's, whose method is the user's to change."""
    kind = type(value)
    method = call.func.attr if isinstance(call.func, ast.Attribute) else ""
    takes = _parameters(kind, method)
    if library_of(str(kind.__module__)) is None or takes is None:
        return None
    return Demanded(
        kind=KIND,
        text=written(call.func)[:_TEXT],
        wanted=written(call)[:_TEXT],
        type=describe(value).type,
        parameter=parameter,
        part=part,
        holder=kind.__name__,
        attribute=method,
        accepted=[one.name for one in takes],
        offers=[one for each in kind.__subclasses__() if (one := _wrapper(each, method, call))][:1],
    )


def _parameters(kind: type, method: str) -> list[inspect.Parameter] | None:
    found = _signature(getattr(kind, method, None))
    return list(found.parameters.values())[1:] if found is not None else None


def _signature(thing: Any) -> inspect.Signature | None:
    try:
        return inspect.signature(thing)
    except (TypeError, ValueError) as error:
        if guard.is_the_users(error):
            raise
        return None


def _wrapper(kind: type, method: str, call: ast.Call) -> str:
    """A class of the library that is made with a function alone, and whose method takes what is passed: `{}` stands for
    what else the object was made with."""
    made, takes = _signature(kind), _parameters(kind, method)
    if made is None or takes is None or library_of(kind.__module__) is None:
        return ""
    needed = [one.name for one in made.parameters.values() if one.default is one.empty and one.kind in _NAMED]
    names = [one.name for one in takes if one.kind is one.POSITIONAL_OR_KEYWORD]
    given, words = [written(one) for one in call.args], {one.arg for one in call.keywords}
    fits = given == names[: len(given)] and words <= set(names[len(given) :])
    return (
        f"{kind.__name__}(fn=lambda {', '.join(given)}: {given[-1]}, {{}})"
        if needed == ["fn"] and given and fits
        else ""
    )
