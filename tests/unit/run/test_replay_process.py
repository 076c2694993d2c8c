from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import msgspec
import psutil
import pytest

from whydied.records import Replay
from whydied.run.replay_process import Waiting, free_bytes, interpreter, replay


@pytest.fixture
def capture(tmp_path: Path) -> Path:
    directory = tmp_path / "numerics" / "7-0"
    directory.mkdir(parents=True)
    return directory


def stand_in(tmp_path: Path, body: str) -> str:
    """A Python that does something else than replaying: it gets the same arguments, and `$CAPTURE` is the directory."""
    path = tmp_path / "python"
    path.write_text(f'#!/bin/sh\nCAPTURE="$5"\n{body}\n')
    path.chmod(0o755)
    return str(path)


def told(capture: Path) -> Replay:
    return msgspec.json.decode((capture / "replay.json").read_bytes(), type=Replay)


def test_a_result_is_left_as_it_was_written(capture: Path, tmp_path: Path) -> None:
    python = stand_in(tmp_path, 'echo \'{"directory": "d", "status": "reproduced"}\' > "$CAPTURE/replay.json"')
    assert replay(capture, python, limit_bytes=1 << 30)
    assert told(capture).status == "reproduced"


def test_a_replay_that_fails_leaves_its_last_words(capture: Path, tmp_path: Path) -> None:
    assert replay(capture, stand_in(tmp_path, "echo first >&2; echo no such op >&2; exit 3"), limit_bytes=1 << 30)
    assert told(capture).reason == "the replay ended with exit status 3: no such op"
    assert told(capture).status == "failed"


def _is_alive(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def test_a_replay_that_takes_too_long_is_ended_with_all_it_started(capture: Path, tmp_path: Path) -> None:
    python = stand_in(tmp_path, 'sleep 1000 & echo $! > "$CAPTURE/child"; wait')
    assert replay(capture, python, seconds=0.5, grace_s=0.5, limit_bytes=1 << 30)
    assert told(capture).reason == "replaying the step took too long"
    child = int((capture / "child").read_text())
    deadline = time.monotonic() + 30
    # The kernel ends a killed process when it next runs, on a busy machine a little later.
    while _is_alive(child):
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_a_replay_that_takes_too_much_memory_is_ended(capture: Path, tmp_path: Path) -> None:
    body = f"exec {sys.executable} -c 'import time; held = bytearray(200 << 20); time.sleep(1000)'"
    assert replay(capture, stand_in(tmp_path, body), limit_bytes=64 << 20)
    # The kernel ends it in a control group of ours, or the watch does where none can be made.
    reason = told(capture).reason
    assert "SIGKILL" in reason or "took more than the 64 MiB" in reason


def test_a_signal_ends_the_replay_and_not_us(capture: Path, tmp_path: Path) -> None:
    # A signal to the process goes to any thread that does not block it, so the timer's thread must block it too.
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    timer = threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    try:
        assert not replay(capture, stand_in(tmp_path, "sleep 1000"), limit_bytes=1 << 30)
    finally:
        timer.join()
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
    assert told(capture).reason == "replaying the step was interrupted"


def test_a_python_that_is_gone_is_a_reason(capture: Path, tmp_path: Path) -> None:
    assert replay(capture, str(tmp_path / "gone"), limit_bytes=1 << 30)
    assert "could not be replayed" in told(capture).reason


def test_the_replay_is_not_recorded_and_sees_no_gpu(
    capture: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WHYDIED_RUN", str(tmp_path))
    assert replay(capture, stand_in(tmp_path, 'env > "$CAPTURE/env"'), limit_bytes=1 << 30)
    env = (capture / "env").read_text().splitlines()
    assert "CUDA_VISIBLE_DEVICES=-1" in env
    assert not [line for line in env if line.startswith("WHYDIED_")]


def test_the_replay_ends_with_us(capture: Path, tmp_path: Path) -> None:
    """The real entry, in a process of ours that is killed: what it started is gone soon after."""
    (capture / "step.json").write_text("{}")
    code = (
        "import sys; from pathlib import Path; from whydied.run import replay_process as r; "
        'r._ENTRY = r._ENTRY.split(\'sys.path.append\')[0] + \'open(directory + "/pid", "w").write(str(os.getpid()))'
        "\\nimport time; time.sleep(1000)'; r.replay(Path(sys.argv[1]), sys.executable, limit_bytes=1 << 30)"
    )
    process = subprocess.Popen([sys.executable, "-c", code, str(capture)])
    pid = _wait_for(capture / "pid")
    process.kill()
    process.wait()
    give_up = time.monotonic() + 20
    while psutil.pid_exists(pid) and time.monotonic() < give_up:
        if psutil.Process(pid).status() == psutil.STATUS_ZOMBIE:
            break
        time.sleep(0.05)
    assert not psutil.pid_exists(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE


def _wait_for(path: Path) -> int:
    give_up = time.monotonic() + 30
    while time.monotonic() < give_up:
        if path.exists() and path.read_text():
            return int(path.read_text())
        time.sleep(0.02)
    raise AssertionError(f"{path} was not written")


def test_whoever_waits_is_told_of_both_ends(capture: Path, tmp_path: Path) -> None:
    told: list[str] = []

    class Listening(Waiting):
        def begin(self) -> None:
            told.append("begin")

        def end(self) -> None:
            told.append("end")

    assert replay(capture, stand_in(tmp_path, "exit 1"), waiting=Listening(), limit_bytes=1 << 30)
    assert told == ["begin", "end"]


def test_free_memory_is_that_of_the_machine_or_of_the_group() -> None:
    assert 0 < free_bytes() < 1 << 50
    assert free_bytes("/nowhere/") == 0


def test_the_programs_own_python_is_used_where_it_is_still_there(tmp_path: Path) -> None:
    assert interpreter(sys.executable) == sys.executable
    assert interpreter("") == sys.executable
    assert interpreter(str(tmp_path / "gone")) is None
