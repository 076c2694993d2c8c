"""An exception that nobody caught ended the program.

## What it detects
Any uncaught exception of the main thread that no more special rule explains, of plain Python too: a misspelt
name, a missing key, file or module, a wrong argument, an index out of range.

## Why it happens
It depends on the exception. Where the recorder saw what was looked up and what exists, the nearest name that
exists is given.

## Evidence
The exception with its whole chain and, of the failing statement, the parts with their types, sizes and plain
values, recorded while the frames were alive, with the statement that made them where the way back to it is plain. A
wrapped exception is followed to its root: an explicit cause
(`raise … from`) always, an implicit context only where the program raised the later exception on purpose. Around it:
the call into Keras with epoch and step, or how many steps there were, the layer and the values that took part, the
memory at that time, the last warning.

## How it is proved
The recorded exception is direct evidence: certain. As the cause of the end it is only likely where a library raised
it over values that it was given, and nothing tells where those went wrong. Where no recorder was inside, it is read
from the printed traceback: likely. Below a wrapper (a shell script) that ended with a status of its own, the
exception of the last process is only possibly the reason.

## Fix
The near name, the length of the sequence, the files that exist: see the advice of the finding.

## Known problems
The line is the innermost one of the user's own code; for an error inside a library that is the call, not the
mistake that led to it.
"""

from __future__ import annotations

import msgspec

from whydied.diagnose.case import Case, prefix, root_of
from whydied.diagnose.crash.ending_evidence import wait_status
from whydied.diagnose.data.makers import made_elsewhere
from whydied.diagnose.errors.exception_context import party_texts, surroundings_of
from whydied.diagnose.errors.exception_words import advice_for, culprit_of, describe, evidence_of
from whydied.diagnose.errors.near_edits import near_changes
from whydied.diagnose.finding import Finding, Location
from whydied.records import ApiMissed, ErrorFacts, RaisedException

ROLE = "death"
YIELDS_TO = ("allocation-refused",)
_OF_THE_CALL = frozenset(
    {
        *("NameError", "ImportError", "ModuleNotFoundError", "SyntaxError", "AssertionError", "KeyboardInterrupt"),
        *("FileNotFoundError", "IsADirectoryError", "NotADirectoryError", "PermissionError", "FileExistsError"),
    }
)
"""Exceptions of a library that say what is wrong with the very call."""


def check(case: Case) -> Finding | None:
    """The exception that surfaced."""
    return _finding(case, 0)


def check_root(case: Case) -> Finding | None:
    """The exception at the root of the chain, where it is another one."""
    raised = case.uncaught
    root = root_of(raised.chain) if raised else 0
    return _finding(case, root) if root else None


def is_reason(case: Case) -> bool:
    """What the program's own line raised is wrong at that line; a library is only where wrong values were noticed."""
    raised = case.uncaught
    if raised is None or case.principal is None:
        return True
    link = raised.chain[root_of(raised.chain)]
    last = link.frames[-1] if link.frames else None
    return last is None or last.user or bool(link.near) or link.type.rpartition(".")[2] in _OF_THE_CALL


def _finding(case: Case, index: int) -> Finding | None:
    raised = case.uncaught
    if raised is None or (case.exit_code in (0, None) and case.signal is None):
        return None
    link = _without_guesses(case, _told_again(raised.chain, index), index)
    # A root that was raised and caught inside a library has no frame of the user's: the call into it is what there is.
    place = _line_of_op(case, index) or case.locate_exception([link, *reversed(raised.chain[:index])])
    around = surroundings_of(case) if index == 0 else []
    return Finding(
        message=f"{prefix(place)}{describe(link)}",
        certainty="certain" if case.principal else "likely" if case.exit_code == 1 else "possible",
        location=place,
        culprit=culprit_of(link),
        evidence=[
            *evidence_of(link, raised, party_texts(case)),
            *made_elsewhere(case, index),
            *around,
            *([wait_status(case)] if index == 0 else []),
        ],
        advice=advice_for(link),
        changes=near_changes(case, link, place),
    )


def _told_again(chain: list[RaisedException], index: int) -> RaisedException:
    """The exception, with what was looked up around the one that a library raised in its place: pandas raises a
    KeyError of its own from that of its index, and only that one has a line of the user's."""
    link = chain[index]
    above = chain[index - 1] if index else link
    same = above.type == link.type and above.message == link.message
    if not same or link.keys or any(frame.user for frame in link.frames):
        return link
    names = ("wanted", "wanted_in", "near", "holder", "keys", "operands")
    return msgspec.structs.replace(link, **{name: getattr(above, name) for name in names})


def _without_guesses(case: Case, link: RaisedException, index: int) -> RaisedException:
    """Of an old name it is known what became of it: names that look like it are not what was meant."""
    missed = case.records.all(ApiMissed)
    return msgspec.structs.replace(link, near=[]) if any(one.link == index for one in missed) else link


def _line_of_op(case: Case, index: int) -> Location | None:
    """The line of the op that failed, where that is in a function of a data set: the line that raised only asked for
    the next batch."""
    facts = case.records.all(ErrorFacts)
    found = [one.place for one in facts if one.link == index and one.in_data and one.place is not None]
    return case.locate(found[-1]) if found else None
