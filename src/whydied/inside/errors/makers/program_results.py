"""What a library's frame had from a function of the program's own when it raised: what the function returned, the item
that a generator yielded; runs in the user's process, after an exception.

The way back goes through the library's own source, its live frames say what each name was: from the expression that was
refused, through names, items and parameters of the frames that called, to a call whose callee is the user's. Keras cuts
its frames out of tracebacks; those that called a frame are reached through it.

Invariant: nothing of the user's is called. Where the library's source leaves another way open there is no answer.
"""

from __future__ import annotations

import ast
from functools import partial
from types import CodeType, FrameType, FunctionType, GeneratorType, MethodType, TracebackType
from typing import Any, NamedTuple

from whydied.inside.errors import operands
from whydied.inside.errors.stack_steps import Step
from whydied.inside.guest import live_source
from whydied.inside.guest.lookup import MISSING, Missing, attribute, evaluate, instance_dict
from whydied.inside.guest.ownership import Ownership
from whydied.inside.guest.value_facts import describe
from whydied.source.bindings import Binding
from whydied.source.calls import bound_arguments, callee, own_names
from whydied.source.guards import demands, guards, quoted
from whydied.source.origins.reaching import reaching
from whydied.source.text import Source
from whydied.source.trees import Function, around, function_at, walk

DEEPEST = 16
LARGEST_FRAMES = 120
_CONVERSIONS = frozenset(
    {
        *("tuple", "list", "convert_to_tensor", "_convert_to_tensor", "asarray", "array", "float", "sorted", "cast"),
        *("flatten", "to_list", "standardize_shape", "expand_1d", "_standardize_batch", "unpack_x_y_sample_weight"),
    }
)
"""Functions of the libraries that give what they are given, in another type."""
_STEPS = {"train_function": "train_step", "test_function": "test_step", "predict_function": "predict_step"}
"""What Keras compiles a step of a model into, and the method that gives its result."""


class Result(NamedTuple):
    """`call` is the library's expression that called the user's `function`, in the frame `caller`; `subject` is what
    was refused, as the frame that raised writes it. `generator` is the frame of a generator, at its `yield`."""

    code: CodeType
    call: ast.expr
    caller: FrameType
    function: Any = None
    receiver: Any = MISSING
    generator: FrameType | None = None
    subject: ast.expr = ast.Constant(None)
    value: Any = MISSING


class Called(NamedTuple):
    """A frame of a library that ran when the exception rose, with its function and what it was at."""

    frame: FrameType
    source: Source
    function: Function | None
    line: int
    trace: TracebackType | None


class _Use(NamedTuple):
    depth: int
    node: ast.expr
    line: int


def refused_result(steps: list[Step], ownership: Ownership) -> tuple[Result, Called] | None:
    """What the program's function gave that the innermost frame, a library's, raised about, and that frame."""
    frames = _frames(steps, ownership)
    origins = _Origins(frames, ownership)
    for subject in subjects(frames[0]) if frames else ():
        value = evaluate(subject, frames[0].frame)
        if isinstance(value, Missing):
            continue
        found = origins.of(_Use(0, subject, frames[0].line), DEEPEST) or origins.alike(value)
        if found is not None:
            return found._replace(subject=subject, value=value), frames[0]
    return None


def _frames(steps: list[Step], ownership: Ownership) -> list[Called]:
    """The frames of libraries from the one that raised up to the user's that called them, the innermost first."""
    last = steps[-1] if steps else None
    if last is None or last.file is not None or last.trace is None:
        return []
    traces = {id(one.frame): one.trace for one in steps if one.trace is not None}
    found: list[Called] = []
    frame: FrameType | None = last.frame
    while frame is not None and frame.f_code.co_name in ("__getattr__", "__getattribute__"):
        frame = frame.f_back
    while frame is not None and ownership.user_file(frame) is None and len(found) < LARGEST_FRAMES:
        trace = traces.get(id(frame))
        line = trace.tb_lineno if trace is not None else frame.f_lineno
        parsed = live_source.source(frame.f_code.co_filename)
        if parsed is not None and line is not None and not _is_wrapper(frame):
            found.append(Called(frame, parsed, function_at(parsed.tree, line), line, trace))
        elif not found:
            return []
        frame = frame.f_back
    return found


def _is_wrapper(frame: FrameType) -> bool:
    code = frame.f_code
    return code.co_argcount + code.co_kwonlyargcount == 0 and bool(code.co_flags & 0x0C)


def subjects(called: Called) -> list[ast.expr]:
    """What a frame raised about: the operands of the conditions around its `raise` and of its message, else those of
    its failing expression."""
    tree = called.source.tree
    if around(tree, called.line, ast.Raise):
        known = [one.subject for one in demands(tree, called.line)]
        more: list[ast.expr] = [one for one in quoted(tree, called.line) if _is_plain(one)]
        looked = [name for one in guards(tree, called.line) for name in walk(one.test, ast.Name)]
        return list({ast.dump(one): one for one in [*known, *more, *looked]}.values())
    node = _at(called)
    if isinstance(node, ast.Attribute | ast.Subscript):
        return [node.value]
    if isinstance(node, ast.Call):
        method = [node.func.value] if isinstance(node.func, ast.Attribute) else []
        return [one for one in [*node.args, *(word.value for word in node.keywords), *method] if _is_plain(one)]
    if isinstance(node, ast.For):
        return [node.iter]
    if isinstance(node, ast.BinOp):
        return [node.left, node.right]
    return [node.value] if isinstance(node, ast.Assign) else []


def _is_plain(node: ast.expr) -> bool:
    return isinstance(node, ast.Name | ast.Attribute | ast.Subscript)


def _at(called: Called) -> ast.AST | None:
    """The expression that a frame is at."""
    if called.trace is not None:
        failing = operands.failing(called.trace, called.frame.f_code.co_filename)
        return failing.node if failing is not None else None
    return operands.node_at(called.frame, called.frame.f_lasti, called.source)


class _Origins:
    """The way back through the frames, innermost first."""

    def __init__(self, frames: list[Called], ownership: Ownership) -> None:
        self._frames = frames
        self._ownership = ownership

    def of(self, use: _Use, depth: int, *, items: bool = False) -> Result | None:
        """`items` says that only a generator counts: the value is one of what was taken out of it."""
        called = self._frames[use.depth]
        if not depth:
            return None
        generator = self._generator(use.node, called)
        if generator is not None:
            return generator
        node = use.node
        if isinstance(node, ast.Name):
            return self._of_name(use, node.id, depth - 1, items=items)
        if isinstance(node, ast.Subscript):
            own = self._method(evaluate(node.value, called.frame), "__getitem__") if not items else None
            return self._result(own, node, called) or self.of(use._replace(node=node.value), depth - 1, items=items)
        if isinstance(node, ast.Call):
            return self._of_call(use, node, depth - 1, items=items)
        if isinstance(node, ast.BoolOp) or (isinstance(node, ast.Tuple | ast.List) and len(node.elts) == 1):
            several = node.values if isinstance(node, ast.BoolOp) else node.elts
            found = (self.of(use._replace(node=one), depth - 1, items=items) for one in several)
            return next((one for one in found if one is not None), None)
        return None

    def alike(self, value: Any) -> Result | None:
        """The only generator in sight, where it stands at a `yield` of just as many parts as the value has: the tensors
        of a traced step are not the objects that were yielded."""
        length = len(value) if type(value) in (list, tuple) and all(_is_data(one) for one in value) else None
        found: dict[int, Result] = {}
        for called in self._frames if length is not None else ():
            for name in own_names(called.function) if called.function is not None else ():
                one = self._generator(ast.Name(name, ast.Load()), called)
                if one is not None and one.generator is not None:
                    found[id(one.generator)] = one
        result = next(iter(found.values())) if len(found) == 1 else None
        node = yielded(result) if result is not None else None
        return result if isinstance(node, ast.Tuple | ast.List) and len(node.elts) == length else None

    def _of_name(self, use: _Use, name: str, depth: int, *, items: bool) -> Result | None:
        called = self._frames[use.depth]
        if called.function is None:
            return None
        seen = reaching(name, called.function, use.line)
        found = [self._bound(use, one, depth, items=items) for one in seen.bindings]
        if seen.from_before:
            found.append(self._passed(use, name, called.function, depth, items=items))
        made = [one for one in found if one is not None]
        # Another way open: which of both it came is not known.
        return made[0] if made and len({one.code for one in made}) == 1 and len(made) == len(found) else None

    def _bound(self, use: _Use, one: Binding, depth: int, *, items: bool) -> Result | None:
        if one.value is None:
            return None
        taken = one.kind == "loop" or items
        return self.of(use._replace(node=one.value, line=one.line), depth, items=taken)

    def _passed(self, use: _Use, name: str, function: Function, depth: int, *, items: bool) -> Result | None:
        """The argument of the call that began a frame."""
        if name not in own_names(function) or use.depth + 1 >= len(self._frames):
            return None
        caller = self._frames[use.depth + 1]
        node = _at(caller)
        call = node if isinstance(node, ast.Call) else None
        given = bound_arguments(call, function).get(name) if call is not None else None
        if given is None or isinstance(given, ast.Starred):
            return None
        return self.of(_Use(use.depth + 1, given, caller.line), depth, items=items)

    def _of_call(self, use: _Use, node: ast.Call, depth: int, *, items: bool) -> Result | None:
        called = self._frames[use.depth]
        function = evaluate(node.func, called.frame)
        owner = evaluate(node.func.value, called.frame) if isinstance(node.func, ast.Attribute) else MISSING
        if not items:
            found = self._function(function, owner)
            if found is None and callee(node) in _STEPS and not isinstance(owner, Missing):
                found = self._method(owner, _STEPS[callee(node)])
            if found is not None:
                return self._result(found, node, called)
        is_same = callee(node) in _CONVERSIONS
        for one in [*node.args, *(word.value for word in node.keywords)]:
            given = self.of(use._replace(node=one), depth, items=items or not is_same)
            if given is not None:
                return given
        return None

    def _function(self, value: Any, owner: Any) -> tuple[FunctionType, Any] | None:
        """A function of the user's, or the method of an object of the user's that its call runs."""
        for _ in range(4):
            if isinstance(value, partial):
                value = value.func
            if isinstance(value, MethodType):
                value, owner = value.__func__, value.__self__
            if not isinstance(value, FunctionType):
                break
            if self._is_users(value.__code__):
                return value, owner
            value = instance_dict(value).get("__wrapped__", MISSING)
        if isinstance(value, (Missing, type, FunctionType)):
            return None
        return self._method(value, "__call__") or self._method(value, "call")

    def _method(self, owner: Any, name: str) -> tuple[FunctionType, Any] | None:
        if isinstance(owner, (Missing, type)):
            return None
        method = attribute(owner, name)
        while isinstance(method, FunctionType) and not self._is_users(method.__code__):
            method = instance_dict(method).get("__wrapped__", MISSING)
        return (method, owner) if isinstance(method, FunctionType) else None

    def _is_users(self, code: CodeType) -> bool:
        return self._ownership.is_user_path(self._ownership.resolve(code.co_filename))

    def _result(self, found: tuple[FunctionType, Any] | None, call: ast.expr, called: Called) -> Result | None:
        if found is None:
            return None
        function, receiver = found
        return Result(function.__code__, call, called.frame, function, receiver)

    def _generator(self, node: ast.expr, called: Called) -> Result | None:
        value = evaluate(node, called.frame)
        running = value.gi_frame if type(value) is GeneratorType else None
        if running is None or not self._is_users(running.f_code):
            return None
        return Result(running.f_code, node, called.frame, generator=running)


def _is_data(value: Any) -> bool:
    """A tensor, an array, or a collection of such: what a generator of data yields."""
    if type(value) in (list, tuple):
        return all(_is_data(one) for one in value)
    if type(value) is dict:
        return all(_is_data(one) for one in value.values())
    kind = type(value)
    tensor = kind.__module__ == "numpy" or kind.__name__.endswith("Tensor")
    return tensor and describe(value).shape is not None


def yielded(result: Result) -> ast.expr | None:
    """What the `yield` gives that a generator stands at."""
    line = result.generator.f_lineno if result.generator is not None else 0
    parsed = live_source.source(result.code.co_filename)
    found = around(parsed.tree, line, ast.Yield) if parsed is not None else []
    return found[-1].value if found else None
