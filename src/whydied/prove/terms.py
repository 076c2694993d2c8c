"""How a program was run, as far as running it again needs it. Pure.

Arguments are recorded without what looks like a secret, the environment is not recorded at all: a second run has the
environment of who asks for it.
"""

from __future__ import annotations

import os
from typing import NamedTuple

from whydied import redact
from whydied.errors import WhydiedError
from whydied.read.recording import Recording
from whydied.run.opening import LONGEST_WORD, MOST_WORDS


class CannotProve(WhydiedError):
    """The program cannot be run again."""

    exit_status = 2


class Terms(NamedTuple):
    """`words` name the program as `whydied run` takes it, `root` is the directory that its source lies in."""

    words: list[str]
    cwd: str
    root: str
    memory_limit_bytes: int | None
    wall_s: float


def terms_of(recording: Recording) -> Terms:
    started, program = recording.started, recording.program
    if started is None or program is None:
        raise CannotProve("the program was never started", "see why with `whydied show`")
    if started.supervisor == "kernel":
        raise CannotProve(
            "this run is a notebook's kernel, whose cells nobody can run again in their order",
            "run the notebook itself: whydied run notebook.ipynb, then `whydied prove`",
        )
    words = _words(started.argv, program.argv)
    if any(redact.HIDDEN in word for word in [*started.argv, *words]):
        raise CannotProve(
            "the command line held something that looks like a secret, which was not recorded",
            "run it with --prove: whydied run --prove " + " ".join(started.argv),
        )
    if len(program.argv) >= MOST_WORDS or any(len(word) >= LONGEST_WORD for word in program.argv):
        raise CannotProve("the command line was too long to be recorded whole", "run it with --prove")
    limit = recording.limit
    main = recording.process_of_program.main_file if recording.process_of_program else None
    return Terms(
        words=words,
        cwd=started.cwd,
        root=os.path.dirname(main) if main and os.path.isabs(main) else started.cwd,
        memory_limit_bytes=limit.limit_bytes if limit is not None else None,
        wall_s=_wall_s(recording),
    )


def _words(shown: list[str], executed: list[str]) -> list[str]:
    """A notebook by its name, anything else as the command that was executed: its interpreter may not be ours."""
    if shown and shown[0].endswith(".ipynb") and executed[1:2] == ["-I"]:
        return shown
    return ["--", *executed]


def _wall_s(recording: Recording) -> float:
    if recording.ended is not None:
        return recording.ended.wall_s
    times = [entry.at_ns for stream in recording.streams for entry in (stream.entries[:1] + stream.entries[-1:])]
    return (max(times) - min(times)) / 1e9 if times else 0.0
