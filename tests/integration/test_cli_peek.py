"""`whydied peek`: a living program tells what it holds."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

PROGRAM = """
import os, time

class Store:
    def __init__(self):
        self.pages = []

store = Store()
for _ in range(40):
    store.pages.append(bytearray(b"x" * (1 << 20)))
print("ready", os.getpid(), flush=True)
time.sleep(60)
"""


def test_a_living_program_names_its_holder(
    whydied: Callable[..., subprocess.CompletedProcess[bytes]], runs: Path, tmp_path: Path
) -> None:
    script = tmp_path / "holds.py"
    script.write_text(PROGRAM)
    environment = {**os.environ, "WHYDIED_RUNS": str(runs)}
    with subprocess.Popen(
        [sys.executable, "-m", "whydied", "run", "--quiet", str(script)], stdout=subprocess.PIPE, env=environment
    ) as running:
        try:
            assert running.stdout is not None
            pid = running.stdout.readline().split()[1].decode()
            told = whydied("peek", pid)
            census = json.loads(whydied("peek", pid, "--json").stdout)
            by_supervisor = whydied("peek", str(running.pid))
            by_run = whydied("peek", "holds")
        finally:
            running.send_signal(signal.SIGTERM)
            running.wait(30)
    assert told.returncode == 0, told.stderr
    assert b"`self.pages`" in told.stdout or b"`store.pages`" in told.stdout
    assert f"process {pid} holds".encode() in by_supervisor.stdout, by_supervisor.stderr
    assert f"process {pid} holds".encode() in by_run.stdout, by_run.stderr
    largest = census["groups"][0]
    assert (largest["kind"], largest["count"]) == ("text", 40)
    assert abs(largest["size_bytes"] - (40 << 20)) < (1 << 20)


def test_a_process_that_is_not_recorded_is_refused(whydied: Callable[..., subprocess.CompletedProcess[bytes]]) -> None:
    refused = whydied("peek", str(os.getpid()))
    assert refused.returncode == 2
    assert whydied("peek", "no-such-run").returncode == 2
    assert b"is not being recorded" in refused.stderr
    assert b"hint:" in refused.stderr
