"""The parts of the failing expression, as the source writes them; runs in the user's process, after an exception.

Values come from `guest.lookup`, so nothing of the user's is called.
"""

from __future__ import annotations

import ast
import sys
from types import FrameType, ModuleType, TracebackType
from typing import Any

import msgspec

from whydied import redact
from whydied.inside.guest.live_source import source
from whydied.inside.guest.lookup import Missing, evaluate
from whydied.inside.guest.value_facts import describe
from whydied.records import Operand
from whydied.source.statements import statement_at
from whydied.source.text import Source
from whydied.source.trees import around

LARGEST_OPERANDS = 12
LARGEST_LOOKED_AT = 1 << 22
"""Values of an array: a few milliseconds."""
_LARGEST_VALUE = 80
_FLOATS = frozenset({"float16", "float32", "float64"})


class Failure(msgspec.Struct, frozen=True):
    """The expression that a frame was at."""

    node: ast.AST
    frame: FrameType
    source: Source


def failing(step: TracebackType, file: str) -> Failure | None:
    """The expression at which a frame raised, by its position in the source; before 3.11, its statement."""
    parsed = source(file)
    if parsed is None:
        return None
    node = _by_position(step, parsed)
    if node is None or isinstance(getattr(node, "ctx", None), ast.Store):
        # What is being assigned to tells nothing: an unpacking fails because of the other side.
        node = statement_at(parsed.tree, step.tb_lineno)
    return Failure(node, step.tb_frame, parsed) if node is not None else None


def operands(failure: Failure) -> list[Operand]:
    found: list[Operand] = []
    for part, key in [*_parts(failure.node), *_condition(failure)]:
        value = evaluate(part, failure.frame)
        if isinstance(value, Missing):
            continue
        operand = _operand(part, value, key)
        if operand is not None and operand not in found:
            found.append(operand)
        if len(found) >= LARGEST_OPERANDS:
            break
    return found


def _operand(node: ast.AST, value: Any, key: bool) -> Operand | None:
    if isinstance(value, (ModuleType, type)) or (callable(value) and not key and type(value).__module__ == "builtins"):
        return None
    facts = describe(value)
    text = ast.unparse(node)[:200]
    shown = None
    if type(value) in (int, float, bool, type(None)):
        shown = repr(value)[:_LARGEST_VALUE]
    elif type(value).__module__ == "numpy" and type(value).__name__ in _FLOATS:
        shown = repr(float(value))
    elif type(value) is str and key and len(value) <= _LARGEST_VALUE:
        shown = redact.text(repr(value))
    return Operand(
        text=redact.text(text),
        type=facts.type,
        value=shown,
        length=facts.length,
        shape=facts.shape,
        dtype=facts.dtype,
        nonfinite=_nonfinite(value),
    )


def _nonfinite(value: Any) -> int:
    """How much of a NumPy array is NaN or infinite; 0 where nobody looked."""
    numpy = sys.modules.get("numpy")
    if numpy is None or type(value) is not numpy.ndarray or value.dtype.kind != "f" or value.size > LARGEST_LOOKED_AT:
        return 0
    return int(value.size - numpy.isfinite(value).sum())


def _condition(failure: Failure) -> list[tuple[ast.AST, bool]]:
    """What a program looked at before it raised: the names in the conditions around a `raise`, the nearest first."""
    line = getattr(failure.node, "lineno", 0)
    if not around(failure.source.tree, line, ast.Raise):
        return []
    tests = [node.test for node in around(failure.source.tree, line, ast.stmt) if isinstance(node, (ast.If, ast.While))]
    return [part for test in reversed(tests) for part in _names(test)]


def _parts(node: ast.AST) -> list[tuple[ast.AST, bool]]:
    """The expressions that matter in a failing one, each with whether it is used as a key or an index."""
    if isinstance(node, ast.BinOp):
        return [*_parts_or_self(node.left), *_parts_or_self(node.right)]
    if isinstance(node, ast.Subscript):
        return [(node.value, False), (node.slice, True)]
    if isinstance(node, ast.Attribute):
        return [(node.value, False)]
    if isinstance(node, ast.Compare):
        return [(node.left, False), *((part, False) for part in node.comparators)]
    if isinstance(node, ast.Call):
        method = [(node.func.value, False)] if isinstance(node.func, ast.Attribute) else [(node.func, False)]
        named = [(word.value, False) for word in node.keywords]
        inner = [part for word in (*node.args, *(k.value for k in node.keywords)) for part in _inner(word)]
        return [*method, *((part, False) for part in node.args), *named, *inner]
    if isinstance(node, ast.Assign):
        return [(node.value, False)]
    if isinstance(node, (ast.For, ast.AsyncFor)):
        return _parts(node.iter) or [(node.iter, False)]
    if isinstance(node, (ast.With, ast.AsyncWith)):
        return [part for item in node.items for part in _parts(item.context_expr)]
    if isinstance(node, (ast.If, ast.While)):
        return _parts(node.test)
    if isinstance(node, ast.Assert):
        return [(node.test, False), *_names(node.test)]
    return _names(node)


def _parts_or_self(node: ast.AST) -> list[tuple[ast.AST, bool]]:
    return _parts(node) if isinstance(node, ast.BinOp) else [(node, False)]


def _inner(node: ast.AST) -> list[tuple[ast.AST, bool]]:
    return _names(node) if not isinstance(node, (ast.Name, ast.Constant, ast.Attribute)) else []


def _names(node: ast.AST) -> list[tuple[ast.AST, bool]]:
    keys = {id(part.slice) for part in ast.walk(node) if isinstance(part, ast.Subscript)}
    return [
        (part, id(part) in keys)
        for part in ast.walk(node)
        if isinstance(part, (ast.Name, ast.Attribute, ast.Subscript))
    ]


def _by_position(step: TracebackType, parsed: Source) -> ast.AST | None:
    return node_at(step.tb_frame, step.tb_lasti, parsed)


def node_at(frame: FrameType, instruction: int, parsed: Source) -> ast.AST | None:
    """The expression that a frame is at, by its position in the source; None before 3.11."""
    if sys.version_info < (3, 11):
        return None
    positions = list(frame.f_code.co_positions())
    index = instruction // 2
    if not 0 <= index < len(positions) or None in positions[index]:
        return None
    line, end_line, column, end_column = positions[index]
    for node in ast.walk(parsed.tree):
        if (
            getattr(node, "lineno", None) == line
            and getattr(node, "col_offset", None) == column
            and getattr(node, "end_lineno", None) == end_line
            and getattr(node, "end_col_offset", None) == end_column
        ):
            return node.value if isinstance(node, ast.Expr) else node
    return None
