"""What the function of TensorFlow or Keras that the user's line called was given, by the names of its parameters; runs
in the user's process, after an exception.

Invariant: the frame of the library is read; numbers are looked at, nothing is computed but their extent.
"""

from __future__ import annotations

import ast
import inspect
from typing import Any, NamedTuple

from whydied.inside.errors.framework import keras_context
from whydied.inside.errors.framework.looked_values import looked_at
from whydied.inside.errors.stack_steps import Step
from whydied.inside.guest import live_source, lookup
from whydied.records import Party
from whydied.source.calls import callee
from whydied.source.trees import nodes_on

LARGEST_ARGUMENTS = 12
LARGEST_LIST = 10_000
_WRAPS = inspect.CO_VARARGS | inspect.CO_VARKEYWORDS
_LIBRARIES = ("tensorflow", "keras", "tf_keras")


class Given(NamedTuple):
    """`function` is the library's name for what was called."""

    function: str
    arguments: list[Party]


def given_to(below: list[Step], users: list[Step]) -> Given | None:
    """`below` begins with the user's step that called."""
    step = next((one for one in below[1:] if not _is_wrapper(one)), None)
    if step is None or step.file is not None or _package(step) not in _LIBRARIES:
        return None
    code = step.frame.f_code
    words = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    call = _call(users[-1], code.co_name)
    first = 1 if words[:1] in (("self",), ("cls",)) else 0
    places = dict(zip(words[first : code.co_argcount], call.args if call is not None else [], strict=False))
    named = {one.arg: one.value for one in call.keywords if one.arg} if call is not None else {}
    parties = []
    for word in words[first:][:LARGEST_ARGUMENTS]:
        node: ast.expr | None = named.get(word) or places.get(word)
        # The library may have changed its own variable since.
        passed = lookup.evaluate(node, users[-1].frame, users[-1].names) if node is not None else lookup.MISSING
        value = step.names.get(word) if isinstance(passed, lookup.Missing) else passed
        if value is not None and word != "name" and not isinstance(node, ast.Starred):
            parties.append(looked_at(word, _as_array(value), node, users))
    return Given(code.co_name, parties)


def _call(step: Step, function: str) -> ast.Call | None:
    """The call in the user's statement that is of this function; else the one that failed."""
    parsed = live_source.source(step.file or "")
    calls = [node for node in nodes_on(parsed, step.line) if isinstance(node, ast.Call)] if parsed is not None else []
    alike = [call for call in calls if callee(call) and callee(call) in function]
    return alike[0] if len(alike) == 1 else keras_context.call_node(step)


def _is_wrapper(step: Step) -> bool:
    """Dispatch and traceback filters take whatever comes."""
    return step.file is None and step.frame.f_code.co_flags & _WRAPS == _WRAPS


def _package(step: Step) -> str:
    name = step.frame.f_globals.get("__name__")
    return name.partition(".")[0] if isinstance(name, str) else ""


def _as_array(value: Any) -> Any:
    """Plain numbers, alone or in lists, as an array; anything else as it is."""
    if type(value) in (int, float) or (type(value) in (list, tuple) and 0 < len(value) <= LARGEST_LIST):
        import numpy

        if type(value) in (int, float) or all(type(one) in (int, float) for one in value):
            return numpy.asarray(value)
    return value
