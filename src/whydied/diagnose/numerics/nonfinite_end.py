"""Whether values that were not finite led to the end of the program. Pure.

A program can train on with NaN for hours and then die of something else, which NaN must not be blamed for. The end is a
consequence where the exception speaks of such values, or where the program ended itself on purpose under a condition
that does.
"""

from __future__ import annotations

import ast
import re

from whydied.diagnose.case import Case
from whydied.diagnose.numerics.bad_steps import stopped_at
from whydied.records import Frame
from whydied.source.exits import only_exit_raised
from whydied.source.trees import tree_of

_SPEAKS = re.compile(
    r"(?<![a-z])(?:nan|nans|inf|infs|infinity|infinite|non-?finite|finite|isnan|isinf|isfinite|is_finite|is_nan|is_inf"
    r"|check_?numerics|numerics?|diverged?|diverges|exploded?|overflow)(?![a-z])",
    re.IGNORECASE,
)
_TESTS = re.compile(rf"{_SPEAKS.pattern}|loss|grad|weight", re.IGNORECASE)
_TYPES = frozenset({"FloatingPointError", "OverflowError"})
_ON_PURPOSE = ast.Raise | ast.Assert


def led_to_end(case: Case) -> bool:
    """True also for a program that finished: then there is no other end to explain."""
    if case.exit_code == 0 or stopped_at(case) is not None:
        return True
    if case.signal is not None:
        return False
    raised = case.uncaught
    if raised is not None:
        spoken = any(link.type in _TYPES or _SPEAKS.search(link.message) for link in raised.chain)
        return spoken or any(_on_purpose(case, frame) for link in raised.chain for frame in link.frames[-1:])
    asked = case.exit_call
    mine = [frame for frame in asked.frames if frame.user] if asked else []
    if mine:
        return _on_purpose(case, mine[-1]) or _under_test(case, mine[-1])
    only = only_exit_raised(case.sources) if asked is None else None
    return only is not None and _on_purpose(case, Frame(file=only.file, line=only.line, function="", user=True))


def _on_purpose(case: Case, frame: Frame) -> bool:
    """Whether the line raises or asserts, and what it says or the condition around it is about such values."""
    if not frame.user:
        return False
    statements = [node for node in _around(case, frame) if isinstance(node, _ON_PURPOSE)]
    if not statements:
        return False
    return any(_TESTS.search(ast.unparse(node)) for node in statements) or _under_test(case, frame)


def _under_test(case: Case, frame: Frame) -> bool:
    around = _around(case, frame)
    tests = [ast.unparse(node.test) for node in around if isinstance(node, ast.If | ast.While)]
    return any(_TESTS.search(test) for test in tests)


def _around(case: Case, frame: Frame) -> list[ast.stmt]:
    """The statements that a line lies in."""
    return [
        node
        for node in ast.walk(tree_of(case.sources, frame.file))
        if isinstance(node, ast.stmt) and node.lineno <= frame.line <= (node.end_lineno or node.lineno)
    ]
