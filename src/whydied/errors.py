"""Our exceptions, for what a user can fix.

    WhydiedError
    ├── UsageError          a request that makes no sense; exit status 2
    ├── NotStarted          the program could not be started; exit status 125
    ├── RunNotFound         no such run; exit status 2
    ├── NotEditable         a change that cannot be written into the user's files
    ├── CheckFailed         an assertion in the program failed; an AssertionError too
    ├── ContractError       data that break what `whydied.expect` requires; a ValueError too
    └── RecordingError      a recording that cannot be read or written
        └── NoRoom          no space, no permission, no directory to write to

Each has one sentence and, where there is one, a hint that says what to do. The command line prints both and exits
with `exit_status`, never with a traceback.
"""

from __future__ import annotations

from collections.abc import Callable


class WhydiedError(Exception):
    exit_status = 1

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.hint = hint


class UsageError(WhydiedError):
    exit_status = 2


class NotStarted(WhydiedError):
    exit_status = 125


class RunNotFound(WhydiedError):
    exit_status = 2


class NotEditable(WhydiedError):
    exit_status = 1


class CheckFailed(WhydiedError, AssertionError):
    exit_status = 1
    hint = None
    # AutoGraph raises the user's error again, and keeps its type only if it is constructed like a plain Exception.
    __init__: Callable[..., None] = Exception.__init__


class ContractError(WhydiedError, ValueError):
    """`name` is the input, `rows` the first rows that broke it, `count` all of them, `values` their first values.

    AutoGraph creates an exception again to add lines to its text, and turns a type with its own constructor into a
    StagingError: so this one has none.
    """

    hint = None
    name = ""
    rows: tuple[int, ...] = ()
    count = 0
    values: tuple[str, ...] = ()

    __init__ = Exception.__init__


class RecordingError(WhydiedError):
    exit_status = 1


class NoRoom(RecordingError):
    exit_status = 125
