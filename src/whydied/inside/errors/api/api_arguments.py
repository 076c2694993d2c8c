"""An argument that a function or class of TensorFlow, Keras or NumPy no longer takes; runs in the user's process, after
an exception.

Invariant: the new name is a parameter of what was called, read from its signature in the installed version.
"""

from __future__ import annotations

import ast
import inspect
import re
from types import FrameType, ModuleType
from typing import Any, NamedTuple

from whydied.inside.errors.api.api_names import canonical, library_of, lookup
from whydied.inside.errors.api.api_successors import argument_renames
from whydied.inside.errors.operands import Failure
from whydied.inside.guest import guard
from whydied.inside.guest.frame_variables import variables
from whydied.inside.guest.lookup import MISSING, Missing, evaluate, instance_dict
from whydied.source.api_table import ARGUMENT_NOTES, ARGUMENTS, REMOVED_ARGUMENTS
from whydied.texts import python_errors, removed_names
from whydied.texts.entry import any_of

_UNEXPECTED = python_errors.UNEXPECTED_ARGUMENT.pattern
_UNRECOGNISED = any_of(removed_names.UNRECOGNISED_ARGUMENTS, removed_names.NOT_RECOGNISED)
_MISSING = python_errors.MISSING_OR_NONE_TAKEN.pattern
_OUR_TABLE = "whydied's table of renamed arguments"


class Argument(NamedTuple):
    """`changes` are patterns of the statement's text with what replaces them."""

    old: str
    new: tuple[str, ...]
    callee: str
    library: str
    known_from: str
    note: str
    changes: tuple[tuple[str, str], ...]


def look(message: str, failure: Failure) -> Argument | None:
    for call in _calls(failure.node):
        callee = callee_of(call.func, failure)
        if isinstance(callee, Missing) or library_of(str(getattr(callee, "__module__", "") or "")) is None:
            continue
        takes = parameters_of(callee)
        refused = [word for word in call.keywords if word.arg and _is_refused(word.arg, message, takes)]
        if refused:
            return _renamed(refused, callee, call, takes, failure)
    return None


def _calls(node: ast.AST) -> list[ast.Call]:
    found = [part for part in ast.walk(node) if isinstance(part, ast.Call) and part.keywords]
    return [node] if isinstance(node, ast.Call) and node.keywords else found


def callee_of(func: ast.AST, failure: Failure) -> Any:
    """What is called; a name of the libraries that a lazy module hides is looked up by its dotted name."""
    found = evaluate(func, failure.frame)
    if not isinstance(found, Missing):
        return found
    if isinstance(func, ast.Attribute) and isinstance(func.value, ast.Call) and ast.unparse(func.value.func) == "super":
        return _of_parents(func.attr, func.value.args, failure.frame)
    parts: list[str] = []
    while isinstance(func, ast.Attribute):
        parts.insert(0, func.attr)
        func = func.value
    root = evaluate(func, failure.frame)
    if not isinstance(root, ModuleType):
        return found
    return lookup(".".join([canonical(str(instance_dict(root).get("__name__", ""))), *parts]))


def _of_parents(name: str, written: list[ast.expr], frame: FrameType) -> Any:
    """The method that `super()` or `super(Class, self)` finds in a frame: the first after the class in the order of the
    object's bases."""
    own = dict(variables(frame))
    kind, thing = own.get("__class__"), own.get(frame.f_code.co_varnames[0] if frame.f_code.co_varnames else "")
    if len(written) == 2:
        kind, thing = (evaluate(one, frame) for one in written)
    bases = type.__dict__["__mro__"].__get__(type(thing))
    after = bases[bases.index(kind) + 1 :] if kind in bases else ()
    found = (type.__dict__["__dict__"].__get__(base).get(name, MISSING) for base in after)
    return next((one for one in found if not isinstance(one, Missing)), MISSING)


def _is_refused(name: str, message: str, takes: list[str]) -> bool:
    unexpected = _UNEXPECTED.search(message)
    if unexpected:
        return name == unexpected[1] or (name not in takes and name in ARGUMENTS)
    if _UNRECOGNISED.search(message):
        return f"'{name}':" in message and name not in takes
    return bool(_MISSING.search(message)) and name not in takes


def parameters_of(callee: Any) -> list[str]:
    """Names that may be given, those of the parents' constructors included, which take what a class passes on."""
    sources = [callee]
    if isinstance(callee, type):
        sources = [vars(kind)["__init__"] for kind in callee.__mro__ if "__init__" in vars(kind)]
        if callee.__name__ == "Model":
            # `Model(inputs, outputs)` makes one of these.
            functional = lookup("keras.src.models.functional.Functional")
            sources += [] if isinstance(functional, Missing) else [functional.__init__]
    found: list[str] = []
    for source in sources:
        try:
            parameters = inspect.signature(source).parameters.values()
        except (TypeError, ValueError) as error:
            if guard.is_the_users(error):
                raise
            continue
        named = [p.name for p in parameters if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)]
        found += named[1:] if named[:1] == ["self"] else named
    return list(dict.fromkeys(found))


def _renamed(
    refused: list[ast.keyword], callee: Any, call: ast.Call, takes: list[str], failure: Failure
) -> Argument | None:
    written = ast.unparse(call.func)
    given = {word.arg for word in call.keywords}
    answers: list[tuple[str, str, str, str]] = []
    changes: list[tuple[str, str]] = []
    for word in refused:
        old = word.arg or ""
        new, known_from, note = _successor(old, callee, written, takes, given)
        if known_from:
            answers.append((old, new, known_from, note))
        if new:
            value = ast.unparse(word.value)
            shown = f"{new}=1 - {value}" if old == "keep_prob" else None
            pattern = rf"\b{old}\s*=(?!=)" if shown is None else rf"\b{old}\s*=\s*{re.escape(value)}"
            changes.append((pattern, shown or f"{new}="))
    if not answers:
        return None
    old, new, known_from, note = answers[0]
    library = canonical(str(callee.__module__)).split(".")[0]
    return Argument(old, (new,) if new else (), written, library, known_from, note, tuple(changes))


def _successor(old: str, callee: Any, written: str, takes: list[str], given: set[str | None]) -> tuple[str, str, str]:
    name = str(getattr(callee, "__name__", ""))
    note = ARGUMENT_NOTES.get(old, "")
    gone = REMOVED_ARGUMENTS.get((name, old))
    if gone is not None and old not in takes:
        return "", _OUR_TABLE, gone
    for new in ARGUMENTS.get(old, ()):
        if new in takes and old not in takes and new not in given:
            own = _own_table(written, callee).get(old)
            return new, "tensorflow.tools.compatibility" if own == new else _OUR_TABLE, note
    told = _own_table(written, callee).get(old)
    if isinstance(told, str) and told in takes and told not in given:
        return told, "tensorflow.tools.compatibility", note
    return "", "", ""


def _own_table(written: str, callee: Any) -> dict[str, Any]:
    if library_of(str(callee.__module__)) != "tensorflow":
        return {}
    return argument_renames("tf." + written.partition(".")[2])
