"""Expressions of the running code, such as `x[i * 32:(i + 1) * 32]`, and what they are worth now; runs in the user's
process, in listed steps and at a capture.

Invariant: no code of the program's runs. Names are looked up in the frame, attributes in the `__dict__` of an
instance; subscripts and arithmetic are done only with numbers, slices, plain containers and arrays of NumPy's own
class, for a tensor with its values. Of a function that has ended, the arguments are looked up where it was called from.
What cannot be had so is `MISSING`. Nothing above `LARGEST_BYTES` is computed.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterable
from functools import lru_cache
from types import CodeType, FrameType, ModuleType
from typing import Any, NamedTuple

from whydied.inside import journal
from whydied.inside.guest import guard
from whydied.inside.guest.frame_variables import variable
from whydied.inside.guest.live_source import source
from whydied.inside.guest.lookup import instance_dict
from whydied.inside.guest.user_frames import Line
from whydied.inside.numerics.eager.finiteness import is_on_host
from whydied.inside.numerics.eager.op_log import SMALL_BYTES, size_of
from whydied.source.assignments import stored_names
from whydied.source.calls import callee, own_names
from whydied.source.trees import around, nodes_on

LARGEST_FRAMES = 40
LARGEST_BYTES = 16 << 20
LARGEST_VALUE_BYTES = 64 << 20
LARGEST_LIST = 4096
LARGEST_CALLS = 8
_KINDS = "biuf"
_BINARY: dict[type[ast.AST], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}
_COMPARED: dict[type[ast.AST], Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
_BUILTINS: dict[str, Callable[..., Any]] = {
    "slice": slice, "int": int, "float": float, "len": len, "min": min, "max": max, "abs": abs,
}  # fmt: skip
_METHODS = frozenset({"astype", "reshape", "copy", "ravel", "flatten", "squeeze", "sum", "mean", "std", "max", "min"})
_OF_NUMPY = frozenset(
    {
        *("array", "asarray", "ascontiguousarray", "expand_dims", "float16", "float32", "float64", "int32", "int64"),
        *(
            "exp",
            "log",
            "sqrt",
            "abs",
            "maximum",
            "minimum",
            "clip",
            "sum",
            "mean",
            "std",
            "where",
            "isnan",
            "isfinite",
        ),
    }
)

MISSING: Any = object()
_LARGEST_KNOWN = 1000
_OFFERED = (ast.Name, ast.Attribute, ast.Subscript, ast.BinOp, ast.UnaryOp, ast.Compare, ast.List, ast.Call)
_METHODS_OF_CALLS = frozenset({"__call__", "call", "forward", "train_step", "update_step"})


class Expression(NamedTuple):
    """An expression of the user's code, as the source writes it. `code` is that of a running frame; `call` says how a
    function was called from there, where the expression stands in one that has ended."""

    code: CodeType
    text: str
    node: ast.expr
    call: Call | None = None


class Offer(NamedTuple):
    expression: Expression
    value: Any


Lines = tuple[Line, ...]
Offers = dict[Lines, list[list[Offer]]]
"""By the lines of an op, for each of them, the innermost first."""


def offers(frame: FrameType | None, ways: Iterable[Lines]) -> Offers:
    """What the expressions of the lines are worth by which ops were come to."""
    running = _running(frame)
    known: dict[Any, list[Offer]] = {}
    return {way: _levels(way, running, known) for way in ways}


def _running(frame: FrameType | None) -> dict[tuple[str, str], FrameType]:
    """The user's frames, by file and name of the function; the innermost where there are several."""
    owner = journal.current()
    found: dict[tuple[str, str], FrameType] = {}
    for _ in range(LARGEST_FRAMES):
        if frame is None or owner is None:
            break
        file = owner.ownership.user_file(frame)
        if file is not None:
            found.setdefault((file, frame.f_code.co_name), frame)
        frame = frame.f_back
    return found


def _levels(way: Lines, running: dict[tuple[str, str], FrameType], known: dict[Any, list[Offer]]) -> list[list[Offer]]:
    found: list[list[Offer]] = []
    frame: FrameType | None = None
    called: list[Call | None] = [None]
    for at, line in enumerate(way):
        own = running.get((line[0], line[2])) if frame is None or None in called else None
        if own is not None:
            frame, called = own, [None]
        elif frame is not None:
            inner = [call for outer in called for call in _calls_of(way[at - 1], line, outer)]
            called = [*inner[:LARGEST_CALLS]]
        else:
            continue
        key = way[: at + 1]
        if key not in known:
            known[key] = [offer for call in called for offer in _offered(line, frame, call)]
        found.insert(0, known[key])
    return found


def _offered(line: Line, frame: FrameType, call: Call | None) -> list[Offer]:
    return [
        Offer(Expression(frame.f_code, text, node, call), value)
        for text, node in _written(line[0], line[1])
        if (value := evaluate(node, frame, call)) is not MISSING
    ]


def evaluate(node: ast.expr, frame: FrameType, call: Call | None = None) -> Any:
    """What an expression is worth in a frame, or in a function that was called from there."""
    import numpy

    try:
        with numpy.errstate(all="ignore"):
            return _Evaluation(frame, call).of(node)
    except (ArithmeticError, AttributeError, LookupError, MemoryError, TypeError, ValueError) as error:
        # What the program's own code would have raised there too.
        if guard.is_the_users(error):
            raise
        return MISSING


def as_array(value: Any, dtype: Any) -> Any:
    """A value of the program's as TensorFlow would take it, in a dtype of NumPy's; None for what is no such value."""
    import numpy

    value = _plain(value)
    number = _is_number(value) or (
        type(value) in (list, tuple) and 0 < len(value) <= LARGEST_LIST and all(_is_number(item) for item in value)
    )
    array = numpy.asarray(value) if number else value
    if type(array) is not numpy.ndarray or array.nbytes > LARGEST_VALUE_BYTES:
        return None
    kinds = {array.dtype.kind, "f"} if number and array.dtype.kind in "iu" else {array.dtype.kind}
    wanted = numpy.dtype(dtype)
    return array.astype(wanted) if wanted.kind in kinds and wanted.kind in _KINDS else None


class _Evaluation:
    """In one frame, or in a function that was called from there."""

    def __init__(self, frame: FrameType, call: Call | None) -> None:
        self._frame = frame
        self._call_ = call

    def of(self, node: ast.AST | None) -> Any:
        if node is None:
            return None
        method = getattr(self, f"_{type(node).__name__.lower()}", None)
        return method(node) if method is not None else MISSING

    def _constant(self, node: ast.Constant) -> Any:
        return node.value

    def _name(self, node: ast.Name) -> Any:
        call = self._call_
        if call is not None:
            given = call.arguments.get(node.id)
            if given is not None:
                return _Evaluation(self._frame, call.outer).of(given)
            if node.id in call.own or not call.shares_globals:
                return MISSING
            return self._frame.f_globals.get(node.id, MISSING)
        value = variable(self._frame, node.id, MISSING)
        return self._frame.f_globals.get(node.id, MISSING) if value is MISSING else value

    def _attribute(self, node: ast.Attribute) -> Any:
        value = self.of(node.value)
        if type(value) is slice and node.attr in ("start", "stop", "step"):
            return getattr(value, node.attr)
        if _is_array(value):
            return value.T if node.attr == "T" else value.shape if node.attr == "shape" else MISSING
        if value is MISSING or isinstance(value, type):
            return MISSING
        return instance_dict(value).get(node.attr, MISSING)

    def _tuple(self, node: ast.Tuple) -> Any:
        return self._items(node.elts, tuple)

    def _list(self, node: ast.List) -> Any:
        return self._items(node.elts, list)

    def _items(self, nodes: list[ast.expr], kind: Callable[[Any], Any]) -> Any:
        found = [self.of(item) for item in nodes]
        return MISSING if any(item is MISSING for item in found) else kind(found)

    def _slice(self, node: ast.Slice) -> Any:
        parts = [self.of(part) for part in (node.lower, node.upper, node.step)]
        return slice(*parts) if all(part is None or _is_integer(part) for part in parts) else MISSING

    def _subscript(self, node: ast.Subscript) -> Any:
        value, index = _plain(self.of(node.value)), _plain(self.of(node.slice))
        if type(value) in (list, tuple) and (_is_integer(index) or type(index) is slice):
            return value[index]
        if type(value) is dict and type(index) in (str, int):
            return value.get(index, MISSING)
        return (
            value[index] if _is_array(value) and _is_index(index) and _taken(value, index) <= LARGEST_BYTES else MISSING
        )

    def _binop(self, node: ast.BinOp) -> Any:
        left, right = self.of(node.left), self.of(node.right)
        work = _BINARY.get(type(node.op))
        return work(left, right) if work is not None and _is_operand(left) and _is_operand(right) else MISSING

    def _unaryop(self, node: ast.UnaryOp) -> Any:
        value = self.of(node.operand)
        return -value if isinstance(node.op, ast.USub) and _is_operand(value) else MISSING

    def _compare(self, node: ast.Compare) -> Any:
        work = _COMPARED.get(type(node.ops[0])) if len(node.ops) == 1 else None
        left, right = self.of(node.left), self.of(node.comparators[0])
        return work(left, right) if work is not None and _is_operand(left) and _is_operand(right) else MISSING

    def _call(self, node: ast.Call) -> Any:
        given = [self.of(argument) for argument in node.args]
        named = {word.arg: self.of(word.value) for word in node.keywords if word.arg is not None}
        if len(named) < len(node.keywords) or not all(_is_argument(value) for value in [*given, *named.values()]):
            return MISSING
        function: Any = MISSING
        if isinstance(node.func, ast.Name) and self._name(node.func) is MISSING:
            function = _BUILTINS.get(node.func.id, MISSING)
        elif isinstance(node.func, ast.Attribute):
            owner = self.of(node.func.value)
            if _is_array(owner):
                function = getattr(owner, node.func.attr) if node.func.attr in _METHODS else MISSING
            elif isinstance(owner, ModuleType) and owner.__name__ == "numpy" and node.func.attr in _OF_NUMPY:
                function = getattr(owner, node.func.attr)
        return function(*given, **named) if function is not MISSING else MISSING


def _plain(value: Any) -> Any:
    """The values of a tensor as an array, where they lie in the host's memory or are few; everything else as it is."""
    if type(value).__name__ != "EagerTensor":
        return value
    return value._numpy() if is_on_host(value) or size_of(value) <= SMALL_BYTES else MISSING


def _is_array(value: Any) -> bool:
    kind = type(value)
    return kind.__module__ == "numpy" and kind.__name__ in ("ndarray", "memmap") and value.dtype.kind in _KINDS


def _is_integer(value: Any) -> bool:
    kind = type(value)
    return kind is int or (kind.__module__ == "numpy" and kind.__name__.startswith(("int", "uint")))


def _is_number(value: Any) -> bool:
    kind = type(value)
    return kind in (int, float, bool) or (
        kind.__module__ == "numpy" and hasattr(value, "dtype") and value.ndim == 0 and value.dtype.kind in _KINDS
    )


def _is_operand(value: Any) -> bool:
    if type(value) is int:
        return value.bit_length() <= 64
    return _is_number(value) or (_is_array(value) and value.nbytes <= LARGEST_BYTES)


def _is_index(value: Any) -> bool:
    if type(value) is tuple:
        return all(_is_index(part) for part in value)
    if type(value) is list:
        return len(value) <= LARGEST_LIST and all(_is_integer(part) for part in value)
    return (
        value is None
        or value is Ellipsis
        or type(value) is slice
        or _is_integer(value)
        or (_is_array(value) and value.dtype.kind in "biu" and value.nbytes <= LARGEST_BYTES)
    )


def _taken(array: Any, index: Any) -> int:
    """The bytes that are copied where a subscript names rows one by one; a slice copies none."""
    parts = index if type(index) is tuple else (index,)
    rows = sum(getattr(part, "size", 0) or (len(part) if type(part) is list else 0) for part in parts)
    return int(rows * (array.nbytes // max(1, len(array)))) if array.ndim else 0


def _is_argument(value: Any) -> bool:
    """What the functions that are called here may be given."""
    if type(value) in (tuple, list):
        return len(value) <= LARGEST_LIST and all(_is_argument(part) for part in value)
    plain = value is None or type(value) in (str, bool)
    return plain or _is_operand(value) or (type(value) is type and value.__module__ == "numpy")


class Call(NamedTuple):
    """A call of a function: its arguments as expressions of the caller's, the names that are its own, and how the
    caller was called itself."""

    arguments: dict[str, ast.expr]
    own: frozenset[str]
    shares_globals: bool
    outer: Call | None


@lru_cache(_LARGEST_KNOWN)
def _written(file: str, line: int) -> list[tuple[str, ast.expr]]:
    """The expressions of a statement in which a name occurs, each once."""
    named = {
        ast.unparse(node): node
        for node in reversed(_expressions(file, line))
        if isinstance(node, _OFFERED) and any(isinstance(part, ast.Name) for part in ast.walk(node))
    }
    return list(reversed(named.items()))


def _calls_of(caller: Line, callee: Line, outer: Call | None) -> list[Call]:
    """The calls of a statement that may have run a function."""
    function = _function(callee)
    if function is None:
        return []
    own = frozenset(own_names(function) | stored_names(function))
    found = []
    for node in _expressions(caller[0], caller[1]):
        arguments = _bound(node, function) if isinstance(node, ast.Call) else None
        if arguments is not None:
            found.append(Call(arguments, own, caller[0] == callee[0], outer))
    return found


@lru_cache(_LARGEST_KNOWN)
def _expressions(file: str, line: int) -> list[ast.expr]:
    parsed = source(file)
    if parsed is None:
        return []
    last = parsed.span(line)[1]
    return [
        node
        for node in nodes_on(parsed, line)
        if isinstance(node, ast.expr)
        and (node.end_lineno or node.lineno) <= last
        and not isinstance(getattr(node, "ctx", None), ast.Store)
    ]


@lru_cache(_LARGEST_KNOWN)
def _function(line: Line) -> ast.FunctionDef | None:
    """The innermost function of that name around a line."""
    parsed = source(line[0])
    found = around(parsed.tree, line[1], ast.FunctionDef) if parsed is not None else []
    return next((node for node in reversed(found) if node.name == line[2]), None)


def _bound(call: ast.Call, function: ast.FunctionDef) -> dict[str, ast.expr] | None:
    """The arguments of a call by the names of a function's parameters; None where it can be no call of it."""
    words = [argument.arg for argument in (*function.args.posonlyargs, *function.args.args)]
    given: list[ast.expr] = list(call.args)
    called = callee(call)
    if any(isinstance(argument, ast.Starred) for argument in given):
        return None
    if words[:1] == ["self"]:
        if called == function.name and isinstance(call.func, ast.Attribute):
            given.insert(0, call.func.value)
        elif function.name in _METHODS_OF_CALLS:
            given.insert(0, call.func)
        else:
            return None
    elif called != function.name:
        return None
    if len(given) > len(words):
        return None
    bound = dict(zip(words, given, strict=False))
    bound.update({word.arg: word.value for word in call.keywords if word.arg is not None})
    return bound
