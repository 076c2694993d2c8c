"""How a program was run, as far as running it again needs it. Pure.

Arguments are recorded without what looks like a secret, the environment is not recorded at all: a second run has the
environment of who asks for it.
"""

from __future__ import annotations

import os
from typing import NamedTuple

from whydied import redact
from whydied.errors import WhydiedError
from whydied.prove.kernel_cells import ran_cells
from whydied.read.recording import Recording
from whydied.records import ProgramStarted, RunStarted
from whydied.run.opening import LONGEST_WORD, MOST_WORDS


class CannotProve(WhydiedError):
    """The program cannot be run again."""

    exit_status = 2


class Terms(NamedTuple):
    """`words` name the program as `whydied run` takes it, `root` is the directory that its source lies in. A kernel is
    named by nothing: `is_kernel` says that its cells are to be run again as a notebook."""

    words: list[str]
    cwd: str
    root: str
    memory_limit_bytes: int | None
    is_kernel: bool = False


def terms_of(recording: Recording) -> Terms:
    started, program = recording.started, recording.program
    if started is None or program is None:
        raise CannotProve("the program was never started", "see why with `whydied show`")
    is_kernel = started.supervisor != "run" and bool(ran_cells(recording))
    words = [] if is_kernel else _words(recording, started, program)
    if any(redact.HIDDEN in word for word in words):
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
        is_kernel=is_kernel,
    )


def _words(recording: Recording, started: RunStarted, program: ProgramStarted) -> list[str]:
    """A notebook by its name, anything else as the command that was executed: its interpreter may not be ours."""
    if started.supervisor == "start":
        # It was started by somebody else, and named itself without its interpreter.
        process = recording.process_of_program
        python = process.began.executable if process is not None and process.began is not None else ""
        return ["--", python or "python3", *started.argv]
    if started.argv and started.argv[0].endswith(".ipynb") and program.argv[1:2] == ["-I"]:
        return list(started.argv)
    return ["--", *program.argv]
