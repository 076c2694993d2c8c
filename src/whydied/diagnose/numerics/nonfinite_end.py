"""Whether values that were not finite led to the end of the program. Pure.

A program can train on with NaN for hours and then die of something else, which NaN must not be blamed for. The end is a
consequence where the exception speaks of such values, where one of the values that it was raised over is such a value,
or where the program ended itself on purpose under a condition that speaks of them.
"""

from __future__ import annotations

import re

from whydied.diagnose.case import Case
from whydied.diagnose.numerics.bad_steps import stopped_at
from whydied.records import Frame
from whydied.source.statements import is_under_test, only_exit_raised, raises_over

_SPEAKS = re.compile(
    r"(?<![a-z])(?:nan|nans|inf|infs|infinity|infinite|non-?finite|finite|isnan|isinf|isfinite|is_finite|is_nan|is_inf"
    r"|check_?numerics|numerics?|diverged?|diverges|exploded?|overflow)(?![a-z])",
    re.IGNORECASE,
)
_TESTS = re.compile(rf"{_SPEAKS.pattern}|loss|grad|weight", re.IGNORECASE)
_VALUES = frozenset({"nan", "inf", "-inf"})
_TYPES = frozenset({"FloatingPointError", "OverflowError"})


def led_to_end(case: Case) -> bool:
    """True also for a program that finished, or that somebody stopped: then the program has no other end to explain."""
    if case.exit_code == 0 or case.was_stopped or stopped_at(case) is not None:
        return True
    if case.signal is not None:
        return False
    raised = case.uncaught
    if raised is not None:
        spoken = any(link.type in _TYPES or _SPEAKS.search(link.message) for link in raised.chain)
        seen = any(operand.value in _VALUES for link in raised.chain for operand in link.operands)
        return spoken or seen or any(_on_purpose(case, frame) for link in raised.chain for frame in link.frames[-1:])
    asked = case.exit_call
    mine = [frame for frame in asked.frames if frame.user] if asked else []
    if mine:
        last = mine[-1]
        return _on_purpose(case, last) or is_under_test(case.sources, last.file, last.line, _TESTS)
    only = only_exit_raised(case.sources) if asked is None else None
    return only is not None and raises_over(case.sources, only.file, only.line, _TESTS)


def _on_purpose(case: Case, frame: Frame) -> bool:
    """Whether the line raises or asserts, and what it says or the condition around it is about such values."""
    return frame.user and raises_over(case.sources, frame.file, frame.line, _TESTS)
