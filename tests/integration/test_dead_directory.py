"""A run directory that stops answering, as that of a dead file server does, keeps no program from its end."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from tests import child

from whydied.records import ExceptionRaised, ExitRequested, ProcessBegan, ProcessExiting

DIES = """
    import os, sys, threading

    run = os.environ.get("RUN")

    def never_answers(call):
        def stand_in(path, *args, **kwargs):
            if run and str(path).startswith(run):
                threading.Event().wait()
            return call(path, *args, **kwargs)
        return stand_in

    for name in ("open", "unlink", "utime", "stat", "mkdir", "scandir", "replace"):
        setattr(os, name, never_answers(getattr(os, name)))
    print("goes on", flush=True)
"""
ENDS = {
    "raise": "raise ValueError(1)",
    "exit": "sys.exit(3)",
    "_exit": "os._exit(4)",
    "kill": "os.kill(os.getpid(), 9)",
    "orderly": "pass",
}


@pytest.mark.parametrize("end", ENDS)
def test_the_program_ends_as_without_us(end: str, tmp_path: Path) -> None:
    if end == "orderly" and sys.version_info[:2] == (3, 12):
        pytest.skip("no thread can begin that late in 3.12, so nobody can be asked")
    program = child.write(tmp_path, DIES + "    " + ENDS[end])
    run = tmp_path / "run"
    recorded = child.inside(program, cwd=tmp_path, run=run, env={"RUN": str(run)})
    assert recorded.ended == child.plain(program, cwd=tmp_path)
    assert recorded.all(ProcessBegan)
    for kind in (ExceptionRaised, ExitRequested, ProcessExiting):
        assert recorded.all(kind) == []
