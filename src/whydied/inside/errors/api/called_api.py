"""The call into a library that an exception came out of: what each parameter was given, and what the installed version
documents; runs in the user's process, at an uncaught exception.

Invariant: nothing is called but `inspect.signature` on functions and classes of the libraries, and on plain functions
that are the `call` of a layer. What was given is read
from the frames that the exception went through, else looked up without running the user's code.
"""

from __future__ import annotations

import ast
import inspect
import re
from types import CodeType, FrameType, FunctionType, ModuleType, TracebackType
from typing import Any

import msgspec

from whydied import redact
from whydied.inside.errors import near_names, operands
from whydied.inside.errors.api import refused_call
from whydied.inside.errors.api.api_arguments import callee_of, parameters_of
from whydied.inside.errors.api.api_names import library_of, lookup
from whydied.inside.errors.exception_chain import text_of
from whydied.inside.errors.framework.value_sources import sources_of
from whydied.inside.errors.stack_steps import Step, frame_of, steps_of
from whydied.inside.guest import guard
from whydied.inside.guest.frame_variables import variables
from whydied.inside.guest.lookup import MISSING, Missing, attribute, evaluate, instance_dict
from whydied.inside.guest.ownership import Ownership
from whydied.inside.guest.value_facts import describe, type_name
from whydied.records import ApiCalled, Argument
from whydied.texts import layers

LARGEST_FREE = 24
LARGEST_ARGUMENTS = 12
LARGEST_FRAMES = 12
LARGEST_TEXT = 300
LARGEST_HELD = 50
_VALUE = 80
_PLAIN = (int, float, bool, str, type(None))
_REGISTRIES = ("optimizers", "losses", "metrics", "activations", "initializers", "regularizers", "constraints")


def look(index: int, error: BaseException, trace: TracebackType | None, ownership: Ownership) -> ApiCalled | None:
    """The call that the innermost of the user's frames was at, where it is one into a library; the call that a function
    of the user's refused, where the exception is about that."""
    steps = steps_of(trace, None, ownership)
    users = [step for step in steps if step.file is not None]
    if not users or users[-1].trace is None or users[-1].is_generated:
        return None
    step = users[-1]
    assert step.trace is not None
    assert step.file is not None
    failure = operands.failing(step.trace, step.file)
    refused = refused_call.look(index, error, steps, failure, ownership)
    if refused is not None:
        return refused
    node = failure.node if failure is not None else None
    if failure is None or not isinstance(node, ast.Call):
        return None
    inner = [one.frame for one in steps[steps.index(step) + 1 :]]
    callee = callee_of(node.func, failure)
    if isinstance(callee, Missing) and inner:
        callee = _running(node.func, inner[0])
    layer = _bound_layer(error, inner)
    if layer is not None:
        callee = attribute(layer, "call")
    owner = _layer_of_others(error, node.func, failure.frame)
    if owner is not None:
        callee = attribute(owner, "call")
    module = str(getattr(callee, "__module__", "") or "")
    if isinstance(callee, Missing) or (library_of(module) is None and owner is None):
        return None
    signature = signature_of(callee)
    if signature is None:
        return None
    given = _given(callee, signature, inner)
    says = documented(callee)
    if layer is not None:
        says = {name: _listed(layer) for name in signature.parameters} | says
    accepted = parameters_of(callee)
    foreign = [word.arg for word in node.keywords if word.arg and word.arg not in accepted]
    listed = [
        _argument(name, part, position, _found(name, part, given, step), says.get(name, ""), signature, users)
        for name, part, position in _written(node, signature)
    ]
    return ApiCalled(
        link=index,
        callee=ast.unparse(node.func),
        function=_name_of(callee, module),
        arguments=listed[:LARGEST_ARGUMENTS],
        parameters=[one.name for one in signature.parameters.values() if one.kind is one.POSITIONAL_OR_KEYWORD],
        accepted=accepted,
        near=list(near_names.close(foreign[0], accepted, 0.4)) if foreign else [],
        free=_free(accepted, signature, says, {one.parameter for one in listed}),
        required=[
            one.name
            for one in signature.parameters.values()
            if one.kind is one.POSITIONAL_OR_KEYWORD and one.default is one.empty
        ],
        frame=frame_of(step.file, node.lineno, step.function),
        call=redact.text(ast.unparse(node)[:LARGEST_TEXT]),
    )


def _running(func: ast.expr, frame: FrameType) -> Any:
    """The library's function that a frame runs, where it has the name that the source calls: what `data.map(f).batch`
    is a method of has no name of its own."""
    name = frame.f_code.co_name
    if not isinstance(func, ast.Attribute) or func.attr != name:
        return MISSING
    thing = dict(variables(frame)).get("self", MISSING)
    found = attribute(type(thing), name) if not isinstance(thing, Missing) else frame.f_globals.get(name, MISSING)
    return found if frame.f_code in _codes(found) else MISSING


def _bound_layer(error: BaseException, frames: list[FrameType]) -> type | None:
    """The library's class of the layer whose `call` could not be bound to what it was called with: Keras binds the
    arguments before it runs anything, and the exception names no function."""
    last = frames[-1] if isinstance(error, TypeError) and frames else None
    if last is None or last.f_globals.get("__name__") != "inspect":
        return None
    above: FrameType | None = last
    for _ in range(LARGEST_FRAMES):
        if above is None:
            return None
        thing = dict(variables(above)).get("self", MISSING) if above.f_code.co_name == "__call__" else MISSING
        kind = type(thing)
        if not isinstance(thing, Missing) and library_of(kind.__module__) is not None and hasattr(kind, "call"):
            return kind
        above = above.f_back
    return None


def _layer_of_others(error: BaseException, func: ast.expr, frame: FrameType) -> type | None:
    """The class, be it the user's, of the layer that was given something else than tensors by position: Keras refuses
    that before anything of the layer runs."""
    if not isinstance(error, ValueError) or not layers.TENSORS_BY_POSITION.pattern.search(text_of(error)):
        return None
    kind = evaluate(func.func, frame) if isinstance(func, ast.Call) else type(evaluate(func, frame))
    return kind if issubclass(type(kind), type) and isinstance(attribute(kind, "call"), FunctionType) else None


def _name_of(callee: Any, module: str) -> str:
    """With the library that it is of; a method of the user's by its qualified name alone."""
    name = str(getattr(callee, "__qualname__", ""))
    return f"{module.partition('.')[0]}.{name}" if library_of(module) is not None else name


def _listed(layer: type) -> str:
    """What the documentation of a layer says of a list that it takes; "" where it says nothing of one."""
    text = " ".join((inspect.getdoc(layer) or "").split())
    parts = (part.strip() for part in re.split(r"(?<=\.)\s", text))
    return next((part for part in parts if layers.LIST_TAKEN.pattern.search(part)), "")[:LARGEST_TEXT]


def signature_of(callee: Any) -> inspect.Signature | None:
    try:
        signature = inspect.signature(callee)
    except (TypeError, ValueError) as error:
        if guard.is_the_users(error):
            raise
        return None
    own = list(signature.parameters.values())
    # A method that was found in its class still has the object as its first parameter.
    return signature.replace(parameters=own[1:]) if own and own[0].name == "self" else signature


def _codes(callee: Any) -> set[CodeType]:
    """The code that runs for a call: of the function below its decorators, of the constructor of a class."""
    function = callee.__dict__.get("__init__") if isinstance(callee, type) else callee
    found = set()
    for _ in range(8):
        if isinstance(function, FunctionType):
            found.add(function.__code__)
        function = getattr(function, "__wrapped__", None)
    return found


def _given(callee: Any, signature: inspect.Signature, frames: list[FrameType]) -> dict[str, Any]:
    """The parameters' values, from the first frame that has them."""
    codes = _codes(callee)
    for frame in frames[:LARGEST_FRAMES]:
        own = dict(variables(frame))
        if frame.f_code in codes and not {"args", "kwargs"} <= own.keys():
            return own
        if isinstance(own.get("args"), tuple) and isinstance(own.get("kwargs"), dict):
            positional = own["args"]
            first = positional[:1]
            if first and "self" not in own and _is_method(callee) and not isinstance(callee, type):
                positional = positional[1:]
            try:
                return dict(signature.bind_partial(*positional, **own["kwargs"]).arguments)
            except TypeError as error:
                if guard.is_the_users(error):
                    raise
    return {}


def _is_method(callee: Any) -> bool:
    parameters = list(inspect.signature(callee).parameters)
    return bool(parameters) and parameters[0] == "self"


_Written = tuple[str, ast.expr, int | None]


def _written(node: ast.Call, signature: inspect.Signature) -> list[_Written]:
    """The arguments as the source writes them, with their parameters and positions."""
    names = [one.name for one in signature.parameters.values() if one.kind is one.POSITIONAL_OR_KEYWORD]
    written: list[_Written] = []
    for at, part in enumerate(node.args):
        if isinstance(part, ast.Starred):
            break
        written.append((names[at] if at < len(names) else "", part, at))
    return [*written, *((word.arg, word.value, None) for word in node.keywords if word.arg)]


def _found(name: str, part: ast.expr, given: dict[str, Any], step: Step) -> Any:
    if name not in given and isinstance(part, ast.List | ast.Tuple):
        # The call did not take place: what is written out is known by its items.
        items = [evaluate(one, step.frame) for one in part.elts]
        return MISSING if any(isinstance(one, Missing) for one in items) else items
    return given[name] if name in given else evaluate(part, step.frame)


def _argument(
    name: str,
    part: ast.expr,
    position: int | None,
    value: Any,
    says: str,
    signature: inspect.Signature,
    users: list[Step],
) -> Argument:
    parameter = signature.parameters.get(name)
    default = parameter.default if parameter is not None else inspect.Parameter.empty
    argument = Argument(
        parameter=name,
        text=redact.text(ast.unparse(part)[:LARGEST_TEXT]),
        position=position,
        says=says,
        default=repr(default)[:_VALUE] if type(default) in _PLAIN else None,
        sources=sources_of(part, users[-1], users[:-1]),
    )
    if isinstance(value, Missing):
        return argument
    facts = describe(value)
    held = value[:LARGEST_HELD] if type(value) in (list, tuple) else ()
    return msgspec.structs.replace(
        argument,
        type=type_name(value) if issubclass(type(value), type) else facts.type,
        is_class=issubclass(type(value), type),
        value=_value(value),
        shape=facts.shape,
        dtype=facts.dtype,
        length=facts.length,
        held=list(dict.fromkeys(type_name(type(item)) for item in held)),
        keras=list(dict.fromkeys(root for one in (value, *held) if (root := _keras(one)))),
        registries=_registries(value) if type(value) is str else [],
    )


def _free(accepted: list[str], signature: inspect.Signature, says: dict[str, str], given: set[str]) -> list[Argument]:
    """The parameters that a call leaves out, with their documentation and defaults."""
    found = []
    for name in [one for one in accepted if one not in given][:LARGEST_FREE]:
        default = signature.parameters[name].default if name in signature.parameters else inspect.Parameter.empty
        known = repr(default)[:_VALUE] if type(default) in _PLAIN else None
        found.append(Argument(parameter=name, says=says.get(name, ""), default=known))
    return found


def _registries(text: str) -> list[str]:
    """The modules of Keras that have something of that name, as Keras looks for it: without its capitals."""
    found = []
    for name in _REGISTRIES if text and not text.startswith("_") else ():
        module, table = lookup(f"keras.{name}"), lookup(f"keras.src.{name}.ALL_OBJECTS_DICT")
        names = [
            *(instance_dict(module) if isinstance(module, ModuleType) else ()),
            *(table if type(table) is dict else ()),
        ]
        if text.lower() in {str(one).lower() for one in names}:
            found.append(f"keras.{name}")
    return found


def _keras(value: Any) -> str:
    """The Keras that a value's class comes from, by its parents: a class of the user's has one, too."""
    kind = value if issubclass(type(value), type) else type(value)
    roots = (base.__module__.partition(".")[0] for base in type.__dict__["__mro__"].__get__(kind))
    return next((root for root in roots if root in ("keras", "tf_keras")), "")


def _value(value: Any) -> str | None:
    kind = type(value)
    if kind in _PLAIN:
        return redact.text(repr(value)[:_VALUE])
    if kind in (list, tuple) and len(value) <= 8 and all(type(item) in _PLAIN for item in value):
        return redact.text(repr(value)[:_VALUE])
    return None


def documented(callee: Any) -> dict[str, str]:
    """What the documentation says of each parameter: the part below "Args:" that begins with its name."""
    text = inspect.getdoc(callee) or ""
    begin = re.search(r"^(?:Args|Arguments|Parameters):?\s*$", text, re.MULTILINE)
    if begin is None:
        return {}
    found: dict[str, str] = {}
    indent, name = None, ""
    for line in text[begin.end() :].splitlines():
        if not line.strip():
            continue
        deep = len(line) - len(line.lstrip())
        indent = deep if indent is None else indent
        if deep < indent or deep == 0:
            break
        head = re.match(r"\s*\*{0,2}(\w+)(?:\s*\([^)]*\))?:\s*(.*)", line)
        if deep == indent and head:
            name = head[1]
            found[name] = head[2]
        elif name and len(found[name]) < LARGEST_TEXT:
            found[name] += f" {line.strip()}"
    return {name: says[:LARGEST_TEXT] for name, says in found.items()}
