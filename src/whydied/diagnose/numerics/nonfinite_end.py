"""Whether values that were not finite led to the end of the program. Pure.

A program can train on with NaN for hours and then die of something else, which NaN must not be blamed for. The end is a
consequence where the exception speaks of such values, where one of the values that it was raised over is such a value,
where an op failed that was computed from them, or where the program ended itself on purpose under a condition that
speaks of them.
"""

from __future__ import annotations

import re

from whydied.diagnose.case import Case
from whydied.diagnose.numerics.bad_steps import steps_of, stopped_at
from whydied.records import ErrorFacts, Frame, StepBegan
from whydied.source.statements import is_under_test, only_exit_raised, raises_over

_SPEAKS = re.compile(
    r"(?<![a-z])(?:nan|nans|inf|infs|infinity|infinite|non-?finite|finite|isnan|isinf|isfinite|is_finite|is_nan|is_inf"
    r"|check_?numerics|numerics?|diverged?|diverges|exploded?|overflow)(?![a-z])",
    re.IGNORECASE,
)
_TESTS = re.compile(rf"{_SPEAKS.pattern}|loss|grad|weight", re.IGNORECASE)
_VALUES = frozenset({"nan", "inf", "-inf"})
_FILE = re.compile(r'File "[^"]*"')
"""Where the frames of a node are listed: a directory may be called anything."""
_OF_UPDATE = re.compile(r'File "[^"]*/(?:optimizers?|training)/')
"""A node that an optimizer made: it works on gradients."""
_TRAINING = ("loss", "gradient", "update", "weight")
_TYPES = frozenset({"FloatingPointError", "OverflowError"})


def led_to_end(case: Case) -> bool:
    """True also for a program that finished, or that somebody stopped: then the program has no other end to explain."""
    if case.exit_code == 0 or case.was_stopped or stopped_at(case) is not None:
        return True
    if case.signal is not None:
        return False
    raised = case.uncaught
    if raised is not None:
        spoken = any(link.type in _TYPES or _SPEAKS.search(_FILE.sub("", link.message)) for link in raised.chain)
        seen = any(operand.value in _VALUES for link in raised.chain for operand in link.operands)
        aimed = any(_on_purpose(case, frame) for link in raised.chain for frame in link.frames[-1:])
        return spoken or seen or aimed or came_before_exception(case)
    asked = case.exit_call
    mine = [frame for frame in asked.frames if frame.user] if asked else []
    if mine:
        last = mine[-1]
        return _on_purpose(case, last) or is_under_test(case.sources, last.file, last.line, _TESTS)
    only = only_exit_raised(case.sources) if asked is None else None
    return only is not None and raises_over(case.sources, only.file, only.line, _TESTS)


def came_before_exception(case: Case) -> bool:
    """Whether a training step was not finite before an op of the framework failed in it or in a later one: what that
    op was given follows from such values (an index that is made of NaN), and what its exception says is no reason."""
    raised = case.uncaught
    failed = next((facts for facts in reversed(case.records.all(ErrorFacts)) if facts.node), None)
    bad = [step.captured for step in steps_of(case.recording) if step.process is case.principal]
    trained = [one for one in bad if any(suspect.role in _TRAINING for suspect in one.suspects)]
    if raised is None or failed is None or not trained:
        return False
    lines = {(frame.file, frame.line) for link in raised.chain for frame in link.frames if frame.user}
    same_call = [one for one in trained if one.frames and (one.frames[-1].file, one.frames[-1].line) in lines]
    if not same_call:
        return False
    counts = [step.count for step in case.records.all(StepBegan) if step.unit in ("train", "function", "session")]
    is_later = any(one.step is not None and counts and one.step + 1 < counts[-1] for one in same_call)
    message = raised.chain[failed.link].message if failed.link < len(raised.chain) else ""
    return is_later or _OF_UPDATE.search(message) is not None


def _on_purpose(case: Case, frame: Frame) -> bool:
    """Whether the line raises or asserts, and what it says or the condition around it is about such values."""
    return frame.user and raises_over(case.sources, frame.file, frame.line, _TESTS)
