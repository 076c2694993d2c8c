"""What a library wanted of a value before it raised, and which argument of the user's that value is; runs in the user's
process, at an uncaught exception.

The conditions around the library's `raise` are read from its source and their operands looked up in its frame. A value
is an argument of the user's call where it is the same object, and else an attribute that a constructor keeps. Keras
cuts its own frames out of tracebacks; those that called a frame are reached through it.

Invariant: nothing is called but `inspect.signature` on a class of the libraries; no code of the user's runs.
"""

from __future__ import annotations

import ast
import builtins
import inspect
from collections.abc import Iterator
from types import BuiltinFunctionType, FrameType, FunctionType, GeneratorType, TracebackType
from typing import Any

import msgspec

from whydied import redact
from whydied.inside.errors import converted_code, near_names, operands
from whydied.inside.errors.api import receivers
from whydied.inside.errors.api.api_names import library_of
from whydied.inside.errors.stack_steps import Step, frame_of, is_generated, steps_of
from whydied.inside.guest import guard, live_source
from whydied.inside.guest.frame_variables import variables
from whydied.inside.guest.lookup import MISSING, Missing, evaluate
from whydied.inside.guest.ownership import Ownership
from whydied.inside.guest.value_facts import describe
from whydied.records import CallRefused, Demanded, Frame
from whydied.source.guards import Demand, demands, guards, kept_as, parts, quoted, spent_by, unpacked_pairs
from whydied.source.trees import around, walk, written

LARGEST_DEMANDS = 8
LARGEST_ACCEPTED = 80
LARGEST_HELD = 30
LARGEST_FRAMES = 120
_TEXT = 120
_AUTOGRAPH = "tensorflow.python.autograph."
_PLAIN = (int, float, bool, str, type(None))


def look(index: int, error: BaseException, trace: TracebackType | None, ownership: Ownership) -> CallRefused | None:
    """What the innermost frame wanted, where it is a library's and the user's code called into that."""
    origin = converted_code.original(error)
    error, trace = (error, trace) if origin is error else (origin, origin.__traceback__)
    steps = steps_of(trace, None, ownership)
    while steps and steps[-1].frame.f_code.co_name in ("__getattr__", "__getattribute__") and len(steps) > 1:
        steps.pop()
    last = steps[-1] if steps else None
    if last is not None and last.file is not None and last.trace is not None:
        return _of_own_line(index, error, last)
    if last is None or last.file is not None or last.trace is None or library_of(_module(last.frame)) is None:
        return None
    between = _called_between(last.frame, ownership)
    users = [step for step in steps if step.file is not None]
    parsed = live_source.source(last.code_file)
    if parsed is None or not between or not users:
        return None
    failing = operands.failing(last.trace, last.code_file)
    node = failing.node if failing is not None else None
    wanted = _wanted(error, parsed.tree, last.line, node)
    arguments = _arguments(between)
    found = [_demanded(one, last.frame, arguments, users, ownership) for one in wanted]
    seen = [one for one in found if one is not None]
    seen += [more for one in wanted for more in _spent(one, last.frame, parsed.tree)]
    seen += list(_reached(between, arguments))
    if not seen:
        return None
    step = users[-1]
    return CallRefused(
        link=index,
        function=f"{_module(last.frame)}.{getattr(last.frame.f_code, 'co_qualname', last.frame.f_code.co_name)}",
        demands=seen[:LARGEST_DEMANDS],
        passes=len(node.args) + len(node.keywords) if isinstance(node, ast.Call) else None,
        frame=frame_of(step.file or "", step.line, step.function),
    )


def _of_own_line(index: int, error: BaseException, step: Step) -> CallRefused | None:
    """A tuple of one item that is asked for what its item has, on the user's own line."""
    thing = getattr(error, "obj", None) if isinstance(error, AttributeError) else None
    name = getattr(error, "name", None)
    if type(thing) is not tuple or len(thing) != 1 or not isinstance(name, str) or step.trace is None:
        return None
    failing = operands.failing(step.trace, step.file or "")
    if failing is None or not isinstance(failing.node, ast.Attribute) or not _has(thing[0], name):
        return None
    demand = Demanded(kind="item", text=written(failing.node.value)[:_TEXT], wanted=name, type=describe(thing[0]).type)
    return CallRefused(
        link=index, function="", demands=[demand], frame=frame_of(step.file or "", step.line, step.function)
    )


def _has(thing: Any, name: str) -> bool:
    kinds = type.__dict__["__mro__"].__get__(type(thing))
    return any(name in type.__dict__["__dict__"].__get__(kind) for kind in kinds)


def _module(frame: FrameType) -> str:
    name = frame.f_globals.get("__name__", "")
    return name if isinstance(name, str) else ""


def _called_between(frame: FrameType, ownership: Ownership) -> list[FrameType]:
    """The frames from the one that the user's code, or AutoGraph's copy of it, called down to a frame, outermost first;
    wrappers of any arguments are left out."""
    found: list[FrameType] = []
    above: FrameType | None = frame
    while above is not None and len(found) < LARGEST_FRAMES:
        if ownership.user_file(above) is not None or is_generated(above):
            return [one for one in reversed(found) if not _is_wrapper(one)]
        found.append(above)
        above = above.f_back
    return []


def _is_wrapper(frame: FrameType) -> bool:
    code = frame.f_code
    if _module(frame).startswith(_AUTOGRAPH):
        return True
    return code.co_argcount + code.co_kwonlyargcount == 0 and bool(code.co_flags & 0x0C)


def _arguments(frames: list[FrameType]) -> dict[str, Any]:
    """The parameters of the function that the user's code called."""
    code = frames[0].f_code
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    own = dict(variables(frames[0]))
    given = {name: own[name] for name in names if name in own and name not in ("self", "cls")}
    words = code.co_varnames[len(names) + bool(code.co_flags & 0x04)] if code.co_flags & 0x08 else ""
    more = own.get(words)
    given |= _called_with(own, code.co_varnames[len(names)] if code.co_flags & 0x04 else "")
    return given | ({key: one for key, one in more.items() if type(key) is str} if type(more) is dict else {})


def _called_with(own: dict[str, Any], rest: str) -> dict[str, Any]:
    """What a layer is called with, by the parameters of its `call`: the library's own `__call__` takes anything."""
    layer, values = own.get("self"), own.get(rest)
    method = getattr(type(layer), "call", None)
    if type(values) is not tuple or not isinstance(method, FunctionType) or library_of(type(layer).__module__) is None:
        return {}
    code = method.__code__
    return dict(zip(code.co_varnames[1 : code.co_argcount], values, strict=False))


def _wanted(error: BaseException, tree: ast.AST, line: int, node: ast.AST | None) -> list[Demand]:
    if around(tree, line, ast.Raise):
        known = demands(tree, line)
        subjects = {ast.dump(one.subject) for one in known}
        named = [one for one in quoted(tree, line) if ast.dump(one) not in subjects]
        return [*known, *(Demand("", one) for one in named if isinstance(one, ast.Name | ast.Attribute))]
    if isinstance(error, TypeError) and isinstance(node, ast.Call):
        owner = receivers.receiver_of(error, node)
        return [Demand("callable", node.func) if owner is None else Demand(receivers.KIND, owner, node)]
    if isinstance(error, AttributeError) and isinstance(node, ast.Attribute):
        return [Demand("attribute", node.value, ast.Constant(node.attr))]
    if isinstance(error, KeyError) and isinstance(node, ast.Subscript):
        return [Demand("member", node.slice, node.value)]
    if isinstance(error, (TypeError, ValueError)):
        return unpacked_pairs(tree, line)
    return []


def _demanded(
    demand: Demand, frame: FrameType, arguments: dict[str, Any], users: list[Step], ownership: Ownership
) -> Demanded | None:
    value = evaluate(demand.subject, frame)
    if isinstance(value, Missing) or (demand.kind == "callable" and callable(value)):
        return None
    if demand.kind == receivers.KIND and isinstance(demand.wanted, ast.Call):
        return receivers.demanded(value, demand.wanted, *_argument(value, arguments))
    if demand.kind == "pairs" and (type(value) not in (list, tuple) or any(type(one) is tuple for one in value)):
        return None
    facts = describe(value)
    found = Demanded(
        kind=demand.kind,
        text=written(demand.subject)[:_TEXT],
        wanted=written(demand.wanted)[:_TEXT] if demand.wanted is not None else "",
        type=facts.type,
        value=redact.text(repr(value)[:_TEXT]) if type(value) in _PLAIN else None,
        accepted=(accepted := _accepted(demand, frame)),
        near=list(near_names.close(value, accepted)) if type(value) is str and accepted else [],
        namesake=_namesake(value, users, ownership) if type(value) is str else None,
        builtin=_builtin(value),
    )
    name, part = _argument(value, arguments)
    if name:
        offers = list(_offers(demand, value, name, frame, users[-1]))
        return msgspec.structs.replace(found, parameter=name, part=part, offers=offers)
    return _of_holder(found, demand.subject, frame)


def _spent(demand: Demand, frame: FrameType, tree: ast.AST) -> Iterator[Demanded]:
    """The settings of an object that made it give up what is missing now."""
    subject = demand.subject
    if demand.kind != "given" or not isinstance(subject, ast.Attribute):
        return
    owner = evaluate(subject.value, frame)
    kinds = {kind.__name__ for kind in type.__dict__["__mro__"].__get__(type(owner))}
    for node in walk(tree, ast.ClassDef):
        for name in spent_by(node, subject.attr) if node.name in kinds else ():
            setting = ast.Attribute(subject.value, name, ast.Load())
            value = evaluate(setting, frame)
            if value is False:
                found = Demanded(kind="true", text=written(setting), type="bool", value="False")
                yield _of_holder(found, setting, frame)


def _offers(demand: Demand, value: Any, name: str, frame: FrameType, user: Step) -> Iterator[str]:
    """Expressions for what was refused that meet the same condition: a variable that is called as the parameter is, an
    object of a class, the output of a model."""
    kinds = evaluate(demand.wanted, frame) if demand.kind == "type" and demand.wanted is not None else MISSING
    if isinstance(demand.wanted, ast.Tuple) and demand.kind == "type":
        kinds = tuple(one for part in demand.wanted.elts if isinstance(one := evaluate(part, frame), type))
    if isinstance(kinds, type) or (type(kinds) is tuple and kinds):
        own = user.names.get(name, MISSING)
        if not isinstance(own, Missing) and own is not value and isinstance(own, kinds):
            yield name
        if isinstance(value, type) and issubclass(value, kinds):
            yield "{}()"
        if _gives_items(value) and issubclass(GeneratorType, kinds):
            yield "{}()"
    symbolic = type(value).__module__.startswith(("keras.", "tf_keras.")) and demand.kind in ("", "type")
    for words, output in _outputs(value) if symbolic else ():
        if isinstance(kinds, Missing) or isinstance(output, kinds):
            yield words
            break


def _gives_items(value: Any) -> bool:
    """Whether something is a function that yields, and needs no arguments."""
    if not isinstance(value, FunctionType):
        return False
    code = value.__code__
    required = code.co_argcount - len(value.__defaults__ or ())
    return bool(code.co_flags & inspect.CO_GENERATOR) and not required and not code.co_kwonlyargcount


def _outputs(value: Any) -> Iterator[tuple[str, Any]]:
    """The symbolic output of a model or layer of Keras, as it can be had: a Sequential that was never called has no
    `output`."""
    kinds = {kind.__name__ for kind in type.__dict__["__mro__"].__get__(type(value))}
    for words, name in (("{}.output", "output"), ("{}.outputs[0]", "outputs")) if "Layer" in kinds else ():
        try:
            output = getattr(value, name)
        except Exception as error:
            if guard.is_the_users(error):
                raise
            continue
        output = output[0] if type(output) is list and len(output) == 1 else output
        if type(output).__name__ == "KerasTensor":
            yield words, output


def _accepted(demand: Demand, frame: FrameType) -> list[str]:
    """The texts among which a value was looked for."""
    if demand.kind != "member" or demand.wanted is None:
        return []
    there = evaluate(demand.wanted, frame)
    if isinstance(there, Missing) and isinstance(demand.wanted, ast.Tuple | ast.List | ast.Set):
        there = [evaluate(one, frame) for one in demand.wanted.elts]
    if type(there) not in (dict, list, tuple, set, frozenset) or len(there) > 1000:
        return []
    return sorted(one for one in there if type(one) is str)[:LARGEST_ACCEPTED]


def _argument(value: Any, arguments: dict[str, Any]) -> tuple[str, str]:
    """The only argument that is a value, or that holds it."""
    if value is None or value is True or value is False:
        return "", ""
    found = [(name, "") for name, one in arguments.items() if one is value]
    for name, one in arguments.items() if not found else ():
        found += [(name, part) for part, held in _held(one) if held is value]
    return found[0] if len(found) == 1 else ("", "")


def _held(value: Any) -> Iterator[tuple[str, Any]]:
    if type(value) in (list, tuple):
        yield from ((f"[{at}]", one) for at, one in enumerate(value[:LARGEST_HELD]))
    elif type(value) is dict and len(value) <= LARGEST_HELD:
        yield from ((f"[{key!r}]", one) for key, one in value.items() if type(key) in (str, int))


def _of_holder(found: Demanded, subject: ast.expr, frame: FrameType) -> Demanded:
    """The class of the object that keeps the value, and the parameter of its constructor."""
    if not isinstance(subject, ast.Attribute):
        return found
    owner = evaluate(subject.value, frame)
    if isinstance(owner, (Missing, type)) or library_of(str(type(owner).__module__)) is None:
        return found
    found = msgspec.structs.replace(found, holder=type(owner).__name__, attribute=subject.attr)
    for kind in type.__dict__["__mro__"].__get__(type(owner)):
        begin = type.__dict__["__dict__"].__get__(kind).get("__init__")
        name = _kept_as(begin, subject.attr) if isinstance(begin, FunctionType) else None
        if name is not None:
            return _constructor_parameter(found, type(owner), name)
    return found


def _kept_as(begin: FunctionType, attribute: str) -> str | None:
    begin = getattr(begin, "__wrapped__", begin)
    parsed = live_source.source(begin.__code__.co_filename)
    first = begin.__code__.co_firstlineno
    named = [
        node
        for node in (walk(parsed.tree, ast.FunctionDef) if parsed is not None else [])
        if node.name == begin.__name__ and min([node.lineno, *(one.lineno for one in node.decorator_list)]) == first
    ]
    return kept_as(named[0], attribute) if len(named) == 1 else None


def _constructor_parameter(found: Demanded, kind: type, name: str) -> Demanded:
    try:
        parameters = inspect.signature(kind).parameters
    except (TypeError, ValueError) as error:
        if guard.is_the_users(error):
            raise
        return found
    if name not in parameters:
        return found
    places = [one.name for one in parameters.values() if one.kind is one.POSITIONAL_OR_KEYWORD]
    default = parameters[name].default
    return msgspec.structs.replace(
        found,
        given_as=name,
        position=places.index(name) if name in places else None,
        default=repr(default)[:_TEXT] if type(default) in _PLAIN else None,
    )


def _namesake(value: str, users: list[Step], ownership: Ownership) -> Frame | None:
    """A function or class of the program that has a text as its name."""
    if not value.isidentifier():
        return None
    for step in reversed(users):
        thing = evaluate(ast.Name(value, ast.Load()), step.frame)
        code = thing.__code__ if isinstance(thing, FunctionType) else None
        if isinstance(thing, type):
            own = type.__dict__["__dict__"].__get__(thing).values()
            code = next((one.__code__ for one in own if isinstance(one, FunctionType)), None)
        file = ownership.resolve(code.co_filename) if code is not None else ""
        if code is not None and ownership.is_user_path(file):
            return frame_of(file, code.co_firstlineno, code.co_name)
    return None


def _builtin(value: Any) -> str:
    if type(value) is not BuiltinFunctionType and not (type(value) is type and value.__module__ == "builtins"):
        return ""
    name = str(value.__name__)
    return name if vars(builtins).get(name, MISSING) is value else ""


def _reached(frames: list[FrameType], arguments: dict[str, Any]) -> Iterator[Demanded]:
    """The arguments of the user's call that are not as by default and without which the failing line of the function
    that was called is not reached: the conditions around it ask for them."""
    entry = frames[0]
    parsed = live_source.source(entry.f_code.co_filename)
    if parsed is None or len(frames) < 2:
        return
    for one in guards(parsed.tree, entry.f_lineno):
        for part in parts(one):
            test = part.test
            if part.encloses and part.holds and isinstance(test, ast.Name) and test.id in arguments:
                value = arguments[test.id]
                yield Demanded(
                    kind="reached",
                    text=test.id,
                    type=describe(value).type,
                    value=redact.text(repr(value)[:_TEXT]) if type(value) in _PLAIN else None,
                    parameter=test.id,
                )
