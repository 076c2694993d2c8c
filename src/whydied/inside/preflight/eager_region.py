"""The statements of an eager training step, as a function that can be traced; runs in the user's process.

A loop without `tf.function` computes as it goes: its step has no object that could be traced. So the statements from
the tape's `with` to the update of the weights are taken from the source, and compiled as a function whose arguments are
the tensors and arrays that they read: with other shapes in their place it is the same step of another batch.

Invariant: nothing of the program is run here but reads of its variables, slices of its arrays, and the conversion of
arrays to tensors. The frame is only read.
"""

from __future__ import annotations

import ast
import builtins
import linecache
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any, NamedTuple

from whydied.inside.guest.frame_variables import variables

_UPDATES = frozenset({"apply_gradients", "apply", "minimize", "assign", "assign_sub", "assign_add"})
_CONVERSIONS = frozenset({"constant", "convert_to_tensor", "asarray", "array", "cast"})
_GRADIENTS = frozenset({"gradient", "jacobian", "batch_jacobian"})
_LOOPS = (ast.For, ast.While, ast.AsyncFor)
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
_NAME = "whydied_step"


class Region(NamedTuple):
    """`function` takes `arguments` and returns the tensors that it gave names to. `updates` is whether the weights
    are updated in it, `stays` whether those names live on into the next step, because the loop is in the same frame."""

    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    updates: bool
    stays: bool


class _Place(NamedTuple):
    """A statement in its block, and whether a loop of the same frame is around it."""

    block: list[ast.stmt]
    at: int
    looped: bool

    @property
    def rest(self) -> list[ast.stmt]:
        return self.block[self.at :]


def regions(frame: FrameType) -> Iterator[Region]:
    """What may be the step of the tape that this frame opens: the most complete first."""
    innermost: _Place | None = None
    step: FrameType | None = frame
    while step is not None:
        for place in _places(step):
            innermost = innermost or place
            last = _last(place.rest, _UPDATES)
            if last is not None:
                found = _compiled(step, place.rest[: last + 1], True, place.looped)
                if found is not None:
                    yield found
                step = None
                break
        else:
            step = step.f_back
    if innermost is not None:
        last = _last(innermost.rest, _GRADIENTS)
        if last is not None:
            found = _compiled(frame, innermost.rest[: last + 1], False, innermost.looped)
            if found is not None:
                yield found


def _places(frame: FrameType) -> list[_Place]:
    """The statement that a frame is at, and those around it up to a loop or the function; inner ones first."""
    try:
        tree = ast.parse("".join(linecache.getlines(frame.f_code.co_filename, frame.f_globals)))
    except (SyntaxError, ValueError):
        return []
    found: list[_Place] = []
    _descend(tree, frame.f_lineno, False, found)
    kept: list[_Place] = []
    for place in reversed(found):
        if isinstance(place.block[place.at], (*_LOOPS, *_SCOPES)):
            break
        kept.append(place)
    return kept


def _descend(node: ast.AST, line: int, looped: bool, found: list[_Place]) -> None:
    looped = (looped or isinstance(node, _LOOPS)) and not isinstance(node, _SCOPES)
    for _, value in ast.iter_fields(node):
        if isinstance(value, list):
            block = [one for one in value if isinstance(one, ast.stmt)]
            for index, one in enumerate(block):
                if one.lineno <= line <= (one.end_lineno or one.lineno):
                    found.append(_Place(block, index, looped))
                    _descend(one, line, looped, found)
            for other in value:
                if isinstance(other, ast.ExceptHandler | ast.match_case):
                    _descend(other, line, looped, found)


def _last(statements: list[ast.stmt], methods: frozenset[str]) -> int | None:
    """The last statement that calls one of these methods."""
    having = [
        number
        for number, statement in enumerate(statements)
        for node in ast.walk(statement)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in methods
    ]
    return max(having, default=None)


def _compiled(frame: FrameType, statements: list[ast.stmt], updates: bool, looped: bool) -> Region | None:
    """None where the statements cannot stand in a function of their own."""
    scope = {**vars(builtins), **frame.f_globals, **dict(variables(frame))}
    stored = {
        node.id
        for statement in statements
        for node in ast.walk(statement)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }
    hoisting = _Hoisting(scope, stored)
    hoisting.take(_read_and_bound(statements, scope, stored))
    body = [_Leaving().visit(hoisting.visit(_copied(statement))) for statement in statements]
    if any(isinstance(node, ast.Await | ast.Yield | ast.YieldFrom) for one in body for node in ast.walk(one)):
        return None
    parameters = ast.arguments(
        posonlyargs=[],
        args=[ast.arg(name) for name in (*hoisting.found, *hoisting.plain)],
        kwonlyargs=[],
        kw_defaults=[],
        defaults=[],
    )
    definition = ast.FunctionDef(name=_NAME, args=parameters, body=[*body, _told()], decorator_list=[], returns=None)
    if "type_params" in ast.FunctionDef._fields:
        setattr(definition, "type_params", [])  # noqa: B010 (unknown to older versions)
    module = ast.fix_missing_locations(ast.Module(body=[definition], type_ignores=[]))
    try:
        code = compile(module, frame.f_code.co_filename, "exec")
    except (SyntaxError, ValueError):
        # A `nonlocal` that belongs to what is around them.
        return None
    bound = {**scope, "__builtins__": builtins}
    exec(code, bound)
    made = bound[_NAME]
    names = stored.difference(hoisting.found)
    plain = tuple(hoisting.plain.values())

    def function(*given: Any) -> Any:
        left = made(*given, *plain)
        return {name: left[name] for name in sorted(names) if name in left and _is_kept(left[name])}

    return Region(function, tuple(hoisting.found.values()), updates, looped)


def _read_and_bound(statements: list[ast.stmt], scope: dict[str, Any], stored: set[str]) -> set[str]:
    """Names that the statements bind and that they may read before: `images = images / 255`, `step += 1`."""
    found: set[str] = set()
    bound: set[str] = set()
    for statement in statements:
        for node in ast.walk(statement):
            augmented = isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name)
            name = node.target.id if augmented else node.id if isinstance(node, ast.Name) else ""  # type: ignore[attr-defined]
            reads = augmented or (isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load))
            if reads and name in stored and name not in bound and name in scope:
                found.add(name)
        bound |= {one.id for one in ast.walk(statement) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)}
    return found


def _copied(statement: ast.stmt) -> ast.stmt:
    import copy

    return copy.deepcopy(statement)


def _told() -> ast.stmt:
    return ast.parse("return locals()").body[0]


class _Leaving(ast.NodeTransformer):
    """Whatever leaves the statements early ends the step: a `break` of the loop around them has no loop here."""

    def __init__(self) -> None:
        self._loops = 0

    def visit_For(self, node: ast.For) -> ast.AST:
        return self._looped(node)

    def visit_While(self, node: ast.While) -> ast.AST:
        return self._looped(node)

    def _looped(self, node: ast.AST) -> ast.AST:
        self._loops += 1
        try:
            return self.generic_visit(node)
        finally:
            self._loops -= 1

    def visit_Break(self, node: ast.Break) -> ast.AST:
        return node if self._loops else ast.copy_location(_told(), node)

    def visit_Continue(self, node: ast.Continue) -> ast.AST:
        return node if self._loops else ast.copy_location(_told(), node)

    def visit_Return(self, node: ast.Return) -> ast.AST:
        return ast.copy_location(_told(), node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        return node

    def visit_Lambda(self, node: ast.Lambda) -> ast.AST:
        return node


class _Hoisting(ast.NodeTransformer):
    """Turns what the statements read of the program's data into arguments: names of tensors and arrays, slices of
    them, and their conversion to tensors. What the statements bind themselves is left."""

    def __init__(self, scope: dict[str, Any], stored: set[str]) -> None:
        self._scope = scope
        self._stored = stored
        self._numbers: dict[str, str] = {}
        self.found: dict[str, Any] = {}
        self.plain: dict[str, Any] = {}
        """What is read and then bound anew, and is not data: a counter."""

    def take(self, names: set[str]) -> None:
        for name in sorted(names):
            (self.found if _is_data(self._scope[name]) else self.plain)[name] = self._scope[name]

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if isinstance(node.ctx, ast.Load) and node.id not in self.found and self._is_known(node):
            value = self._scope[node.id]
            if _is_data(value):
                self.found[node.id] = value
        return node

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        return self._value(node) if isinstance(node.ctx, ast.Load) else self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        if isinstance(node.func, ast.Attribute) and node.func.attr in _CONVERSIONS:
            return self._value(node)
        return self.generic_visit(node)

    def _value(self, node: ast.expr) -> ast.AST:
        """An argument in the place of an expression whose value is data."""
        reads_data = any(isinstance(one, ast.Name) and _is_data(self._scope.get(one.id)) for one in ast.walk(node))
        calls = [one for one in ast.walk(node) if isinstance(one, ast.Call) and one is not node]
        if not reads_data or calls or not self._is_known(node):
            return self.generic_visit(node)
        text = ast.unparse(node)
        if text not in self._numbers:
            try:
                value = eval(compile(ast.Expression(node), "<whydied>", "eval"), dict(self._scope))
            except Exception:
                # The program's own expression fails by itself: it stays code, and fails there if at all.
                return self.generic_visit(node)
            if not _is_data(value):
                return self.generic_visit(node)
            self._numbers[text] = f"whydied_data_{len(self._numbers)}"
            self.found[self._numbers[text]] = value
        return ast.copy_location(ast.Name(self._numbers[text], ast.Load()), node)

    def _is_known(self, node: ast.expr) -> bool:
        """Whether all names in it are the program's and stay as they are."""
        return all(
            one.id in self._scope and one.id not in self._stored for one in ast.walk(node) if isinstance(one, ast.Name)
        )


def _is_data(value: Any) -> bool:
    """A tensor or an array of at least one axis, or a container of such."""
    if isinstance(value, dict):
        return bool(value) and len(value) < 100 and any(_is_data(one) for one in value.values())
    if isinstance(value, list | tuple):
        return bool(value) and len(value) < 100 and any(_is_data(one) for one in value)
    if type(value).__name__ == "EagerTensor":
        return bool(value.shape.rank)
    return type(value).__name__ == "ndarray" and bool(value.shape) and value.dtype.kind in "fiub"


def _is_kept(value: Any) -> bool:
    if isinstance(value, list | tuple):
        return bool(value) and all(one is None or _is_kept(one) for one in value)
    return (hasattr(value, "dtype") and hasattr(value, "graph")) or type(value).__name__ == "EagerTensor"
