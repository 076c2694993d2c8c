"""Reports and recordings made by hand, for tests of what reads them."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import msgspec

from whydied.diagnose.finding import Evidence, Finding, Location
from whydied.places import SUPERVISOR_STREAM, TERMINAL_STREAM, RunDirectory
from whydied.read.life import boot_id
from whydied.records import OutputWritten, ProgramEnded, ProgramStarted, Record, RunEnded, RunStarted
from whydied.report.summary import Report, RunFacts
from whydied.stream import Stream

RUN_ID = "20250110-101010-train-py-ab12cd"


def finding(number: int = 1, **fields: Any) -> Finding:
    given: dict[str, Any] = {
        "id": f"F{number}",
        "code": "MEM001",
        "name": "host-oom-kill",
        "message": "the kernel's OOM killer killed train.py at 1.0 GiB",
        "certainty": "certain",
        "evidence": [Evidence(fact="OOM kills in the cgroup", value=1, source="memory.oom_control")],
    }
    return Finding(**{**given, **fields})


def report(**fields: Any) -> Report:
    run = RunFacts(
        id=RUN_ID,
        argv=["train.py"],
        signal=9,
        signal_name="SIGKILL",
        wall_s=134.2,
        directory=f"/somewhere/runs/{RUN_ID}",
    )
    death = finding()
    given: dict[str, Any] = {"run": run, "outcome": "died", "death": death, "cause": death, "findings": [death]}
    made = Report(**{**given, **{key: value for key, value in fields.items() if key in Report.__struct_fields__}})
    rest = {key: value for key, value in fields.items() if key not in Report.__struct_fields__}
    return msgspec.structs.replace(made, run=msgspec.structs.replace(made.run, **rest))


def healthy_report(**fields: Any) -> Report:
    given = {"signal": None, "signal_name": None, "exit_code": 0, "death": None, "cause": None, "findings": []}
    return report(**{**given, "outcome": "finished", **fields})


def location(file: Path, line: int, **fields: Any) -> Location:
    """A place with the lines around it, as the engine gives it where the file is known."""
    around = file.read_text().splitlines() if file.is_file() else []
    return Location(file=str(file), line=line, **{"around": around, "around_line": 1, **fields})


def a_dead_pid() -> int:
    """The number of a process that has ended and been waited for."""
    process = subprocess.Popen([sys.executable, "-S", "-c", ""])
    process.wait()
    return process.pid


def recorded_run(
    runs: Path,
    run_id: str = RUN_ID,
    *,
    ended: bool = True,
    supervisor_pid: int | None = None,
    output: bytes = b"",
    more: list[Record] | None = None,
    **started: Any,
) -> RunDirectory:
    """A run directory with a real recording of a program that exited with status 3."""
    directory = RunDirectory(runs / run_id)
    directory.make()
    given: dict[str, Any] = {
        "run_id": run_id,
        "argv": ["train.py", "--epochs", "3"],
        "cwd": str(runs),
        "wall_time_s": time.time(),
        "boot_id": boot_id(),
        "supervisor_pid": os.getpid() if supervisor_pid is None else supervisor_pid,
        "whydied_version": "0.1.0",
        "hostname": socket.gethostname(),
    }
    stream = Stream(directory.streams, SUPERVISOR_STREAM, segment_bytes=4096)
    stream.write(RunStarted(**{**given, **started}))
    stream.write(ProgramStarted(pid=a_dead_pid(), argv=["train.py"]))
    for record in more or []:
        stream.write(record)
    if output:
        Stream(directory.streams, TERMINAL_STREAM, segment_bytes=4096).write(
            OutputWritten(channel="stderr", data=output)
        )
    if ended:
        stream.write(ProgramEnded(pid=1, exit_code=3, wall_s=2.5))
        stream.write(RunEnded())
    return directory
