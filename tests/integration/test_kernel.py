"""A Jupyter kernel under our supervisor lives as it would without: signals, input, channels, restart, and its end."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from tests import kernels, session

from whydied.places import list_runs

# Counts what arrives within a second after the first interrupt, and has a child that the interrupt must reach too.
COUNTS_INTERRUPTS = """
import signal, subprocess, sys, time
beside = subprocess.Popen([sys.executable, "-c", "import time; print('up', flush=True); time.sleep(60)"],
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
beside.stdout.readline()
arrived = []
before = signal.signal(signal.SIGINT, lambda *_: arrived.append(1))
print("waiting", flush=True)
until = time.monotonic() + 60
while time.monotonic() < until and not arrived:
    time.sleep(0.02)
time.sleep(1)
signal.signal(signal.SIGINT, before)
print("interrupts", len(arrived), "child", beside.wait())
"""
TELLS_WHO = "import os\nprint(os.getpid(), os.getppid(), os.getpgrp(), os.environ['JPY_PARENT_PID'])"
HAS_A_CHILD = """
import os, subprocess
beside = subprocess.Popen(["sleep", "300"])
print(os.getpid(), beside.pid)
"""


@pytest.fixture
def workplace(tmp_path: Path) -> Path:
    (tmp_path / "work").mkdir()
    return tmp_path / "work"


def test_a_kernel_lives_as_without_us(runs: Path, workplace: Path) -> None:
    with kernels.kernel(runs, workplace) as kernel:
        pid, parent, group, told = map(int, kernel.run(TELLS_WHO).printed.split())
        assert (parent, told) == (kernel.supervisor_pid, kernel.supervisor_pid)
        assert group == pid

        assert _interrupted(kernel) == "interrupts 1 child -2"
        assert kernel.run("1 / 0").error == "ZeroDivisionError"
        assert kernel.run("print(6 * 7)").printed == "42\n"
        assert _answered(kernel) == "'blue'\n"
        _assert_control_channel(kernel)

        key = json.loads(Path(kernel.manager.connection_file).read_text())["key"].encode()
        # To the descriptor itself: that passes through us, and is recorded.
        kernel.run("import json, os\ntold = json.load(open('connection.json'))\nos.write(2, str(told).encode())")

        own, beside = map(int, kernel.run(HAS_A_CHILD).printed.split())
        before = kernel.supervisor_pid
        kernel.manager.restart_kernel()
        kernel.client.wait_for_ready(timeout=kernels.PATIENCE_S)
        assert kernel.supervisor_pid != before
        assert "display_data" not in kernel.run("'again'").kinds
        process = kernel.manager.provisioner.process
        kernel.manager.shutdown_kernel()
        assert process.returncode == 0
    for gone in (own, beside):
        session.wait_until(lambda gone=gone: session.state_of(gone) in ("", "Z"), "the kernel's end")
    for file in runs.rglob("*"):
        assert not file.is_file() or key not in file.read_bytes(), file
    assert len(list_runs(runs)) == 2
    assert not list(runs.rglob("report.json")), "nothing was wrong, so nothing was diagnosed"


def _interrupted(kernel: kernels.Kernel) -> str:
    request = kernel.client.execute(COUNTS_INTERRUPTS)
    while True:
        message = kernel.client.get_iopub_msg(timeout=kernels.PATIENCE_S)
        if message["msg_type"] == "stream" and "waiting" in message["content"]["text"]:
            break
    kernel.manager.interrupt_kernel()
    return kernel.wait(request).printed.strip()


def _answered(kernel: kernels.Kernel) -> str:
    request = kernel.client.execute("print(repr(input('colour? ')))", allow_stdin=True)
    kernel.client.get_stdin_msg(timeout=kernels.PATIENCE_S)
    kernel.client.input("blue")
    return kernel.wait(request).printed


def _assert_control_channel(kernel: kernels.Kernel) -> None:
    """The debugger and subshells speak on a channel of their own, also while a cell runs."""
    client = kernel.client
    request = client.execute("import time\ntime.sleep(1.5)")
    content = {"type": "request", "command": "debugInfo", "seq": 1, "arguments": {}}
    message = client.session.msg("debug_request", content)
    client.control_channel.send(message)
    reply = client.get_control_msg(timeout=kernels.PATIENCE_S)
    assert reply["msg_type"] == "debug_reply"
    assert kernel.wait(request).error is None


@pytest.mark.parametrize("order", ["message", "signal"])
def test_a_kernel_over_ipc_is_interrupted_and_dies_with_its_supervisor(order: str, runs: Path, workplace: Path) -> None:
    with kernels.kernel(runs, workplace, transport="ipc", interrupt=order) as kernel:
        assert _interrupted(kernel) == "interrupts 1 child -2"
        own, beside = map(int, kernel.run(HAS_A_CHILD).printed.split())
        number = signal.SIGKILL if order == "signal" else signal.SIGTERM
        os.killpg(kernel.supervisor_pid, number)
        assert kernel.wait_for_death() == -number
        for gone in (own, beside):
            session.wait_until(lambda gone=gone: session.state_of(gone) in ("", "Z"), "the kernel's end")


STARTS_A_KERNEL = """
import sys, time
from pathlib import Path
from tests import kernels
with kernels.kernel(Path(sys.argv[1]), Path(sys.argv[2])) as kernel:
    print(kernel.supervisor_pid, *kernel.run(sys.argv[3]).printed.split(), flush=True)
    time.sleep(300)
"""


def test_supervisor_and_kernel_end_with_who_started_them(project: Path, runs: Path, workplace: Path) -> None:
    server = subprocess.Popen(
        [sys.executable, "-c", STARTS_A_KERNEL, runs, workplace, HAS_A_CHILD], cwd=project, stdout=subprocess.PIPE
    )
    assert server.stdout is not None
    with server:
        pids = [int(word) for word in server.stdout.readline().split()]
        assert len(pids) == 3
        server.kill()
    for gone in pids:
        session.wait_until(lambda gone=gone: session.state_of(gone) in ("", "Z"), "the end of all")
