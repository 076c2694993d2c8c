"""Our exceptions, for what a user can mend.

    WhydiedError
    ├── UsageError          a request that makes no sense; exit status 2
    ├── NotStarted          the program could not be started; exit status 125
    ├── RunNotFound         no such run; exit status 2
    └── RecordingError      a recording that cannot be read or written
        └── NoRoom          no space, no permission, no directory to write to

Each has one sentence and, where there is one, a hint that says what to do. The command line prints both and exits
with `exit_status`, never with a traceback.
"""

from __future__ import annotations


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


class RecordingError(WhydiedError):
    exit_status = 1


class NoRoom(RecordingError):
    exit_status = 125
