"""Signals reach the program once, ends come back as they were, and job control works as from a shell."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from tests import session

from whydied.records import ProgramEnded, RunEnded, SignalReceived, SignalSent

COUNTS = """
import os, signal, sys, time
counts = {}
def count(number, _):
    counts[number] = counts.get(number, 0) + 1
for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2, signal.SIGQUIT):
    signal.signal(number, count)
print("ready", os.getpid(), flush=True)
wanted = int(sys.argv[1])
while sum(counts.values()) < wanted:
    time.sleep(0.01)
time.sleep(0.5)
print(sorted(counts.items()), flush=True)
"""

SHELL = """
import fcntl, os, signal, sys, termios
signal.signal(signal.SIGTTOU, signal.SIG_IGN)
def front(group):
    os.tcsetpgrp(0, group)
def attend(pid):
    _, status = os.waitpid(pid, os.WUNTRACED)
    front(os.getpgrp())
    if os.WIFSTOPPED(status):
        print("STOPPED", signal.Signals(os.WSTOPSIG(status)).name, flush=True)
        sys.stdin.readline()
        front(pid)
        os.killpg(pid, signal.SIGCONT)
        attend(pid)
    else:
        print("ENDED", os.waitstatus_to_exitcode(status), flush=True)
pid = os.fork()
if pid == 0:
    os.setpgid(0, 0)
    front(os.getpgrp())
    signal.signal(signal.SIGTTOU, signal.SIG_DFL)
    os.execv(sys.argv[1], sys.argv[1:])
try:
    os.setpgid(pid, pid)
except OSError:
    pass
attend(pid)
"""


@pytest.fixture
def counting(tmp_path: Path) -> Path:
    path = tmp_path / "counts.py"
    path.write_text(COUNTS)
    return path


@pytest.mark.parametrize(
    ("source", "status"),
    [
        ("pass", 0),
        ("raise SystemExit(3)", 3),
        ("raise SystemExit(255)", 255),
        ("import os; os._exit(42)", 42),
        ("1/0", 1),
        *[(f"import os; os.kill(os.getpid(), {n})", 128 + n) for n in (1, 2, 4, 6, 7, 8, 9, 10, 11, 13, 14, 15, 24)],
    ],
)
def test_exit_status(tmp_path: Path, runs: Path, source: str, status: int) -> None:
    (tmp_path / "ends.py").write_text(
        f"import signal\nsignal.signal(2, signal.SIG_DFL)\nsignal.signal(13, signal.SIG_DFL)\n{source}"
    )
    done = subprocess.run(
        session.whydied_run(runs, "ends.py"), cwd=tmp_path, stdin=subprocess.DEVNULL, capture_output=True
    )
    assert done.returncode == status
    (ended,) = session.records(runs, ProgramEnded)
    assert isinstance(ended, ProgramEnded)
    assert (ended.signal, ended.exit_code) == ((status - 128, None) if 128 < status < 200 else (None, status))
    assert isinstance(session.records(runs)[-1], RunEnded) or session.records(runs, RunEnded)


@pytest.mark.parametrize("number", [2, 15, 1, 10, 12, 3])
def test_signal_to_us_reaches_the_program_once(tmp_path: Path, runs: Path, counting: Path, number: int) -> None:
    with session.started(session.whydied_run(runs, counting, "1"), tmp_path) as process:
        assert session.read_line(process).startswith(b"ready")
        process.send_signal(number)
        assert session.read_line(process) == b"[(%d, 1)]\n" % number
        assert process.wait(session.PATIENCE_S) == 0
    (received,) = session.records(runs, SignalReceived)
    assert isinstance(received, SignalReceived)
    assert (received.signal, received.sender_pid, received.sender_uid) == (number, os.getpid(), os.getuid())
    assert "python" in (received.sender_name or "")
    assert session.records(runs, SignalSent) == [SignalSent(signal=number, why="forwarded")]


@pytest.mark.parametrize("number", [2, 15])
def test_signal_to_the_group_is_not_repeated(tmp_path: Path, runs: Path, counting: Path, number: int) -> None:
    with session.started(session.whydied_run(runs, counting, "1"), tmp_path) as process:
        assert session.read_line(process).startswith(b"ready")
        os.killpg(process.pid, number)
        assert session.read_line(process) == b"[(%d, 1)]\n" % number
    assert session.records(runs, SignalSent) == []


def test_second_signal_is_passed_on_again(tmp_path: Path, runs: Path, counting: Path) -> None:
    with session.started(session.whydied_run(runs, counting, "2"), tmp_path) as process:
        assert session.read_line(process).startswith(b"ready")
        process.send_signal(15)
        session.wait_until(lambda: len(session.records(runs, SignalSent)) == 1, "the first to be passed on")
        process.send_signal(15)
        assert session.read_line(process) == b"[(15, 2)]\n"


def test_interrupt_key_once(tmp_path: Path, runs: Path, counting: Path) -> None:
    with session.terminal(session.whydied_run(runs, counting, "1"), tmp_path) as terminal:
        terminal.expect(b"ready")
        terminal.type(b"\x03")
        terminal.expect(b"[(2, 1)]")
        assert terminal.finish() == 0
    (received,) = session.records(runs, SignalReceived)
    assert received == SignalReceived(signal=2, from_terminal=True)


def test_interrupt_key_ends_a_program(tmp_path: Path, runs: Path) -> None:
    (tmp_path / "sleeps.py").write_text("import time\nprint('ready', flush=True)\ntime.sleep(1000)")
    with session.terminal(session.whydied_run(runs, "sleeps.py"), tmp_path) as terminal:
        terminal.expect(b"ready")
        terminal.type(b"\x03")
        assert terminal.finish() == 130
        assert terminal.output.count(b"KeyboardInterrupt") == 1


def test_quit_key(tmp_path: Path, runs: Path) -> None:
    (tmp_path / "sleeps.py").write_text("import time\nprint('ready', flush=True)\ntime.sleep(1000)")
    with session.terminal(session.whydied_run(runs, "sleeps.py"), tmp_path) as terminal:
        terminal.expect(b"ready")
        terminal.type(b"\x1c")
        assert terminal.finish() == 131


def test_terminal_that_hangs_up(tmp_path: Path, runs: Path) -> None:
    (tmp_path / "sleeps.py").write_text("import time\nprint('ready', flush=True)\ntime.sleep(1000)")
    with session.terminal(session.whydied_run(runs, "sleeps.py"), tmp_path) as terminal:
        terminal.expect(b"ready")
        os.close(terminal.master_fd)
        assert terminal.process.wait(session.PATIENCE_S) == 129


def test_stop_key_and_foreground_again(tmp_path: Path, runs: Path) -> None:
    """Ctrl-Z stops both, the shell gets the terminal, and `fg` continues both."""
    (tmp_path / "shell.py").write_text(SHELL)
    (tmp_path / "works.py").write_text(
        "print('ready', flush=True)\nprint('got', input(), flush=True)\nraise SystemExit(4)"
    )
    argv = [sys.executable, "shell.py", *session.whydied_run(runs, "works.py")]
    with session.terminal(argv, tmp_path) as terminal:
        terminal.expect(b"ready")
        terminal.type(b"\x1a")
        terminal.expect(b"STOPPED SIGTSTP")
        terminal.type(b"fg\n")
        terminal.type(b"words\n")
        terminal.expect(b"got words")
        terminal.expect(b"ENDED 4")


def test_stop_key_that_the_program_handles(tmp_path: Path, runs: Path) -> None:
    """A program that tidies the screen before it stops has its last words shown before the shell's."""
    (tmp_path / "shell.py").write_text(SHELL)
    source = """
import os, select, signal
def tidy(number, _):
    os.write(1, b"tidying\\n")
    signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)
signal.signal(signal.SIGTSTP, tidy)
# Not by print: the key may come while it still writes, and a handler must not enter it again.
os.write(1, b"ready\\n")
# Python runs a handler between two calls; one that waits for ever could miss the signal just before it.
while not select.select([0], [], [], 0.05)[0]:
    pass
print('got', input(), flush=True)
"""
    (tmp_path / "tidies.py").write_text(source)
    argv = [sys.executable, "shell.py", *session.whydied_run(runs, "tidies.py")]
    with session.terminal(argv, tmp_path) as terminal:
        terminal.expect(b"ready")
        terminal.type(b"\x1a")
        terminal.expect(b"STOPPED SIGTSTP")
        assert re.search(rb"tidying\s+STOPPED", terminal.output)
        terminal.type(b"fg\nwords\n")
        terminal.expect(b"got words")
        terminal.expect(b"ENDED 0")


def test_background_read_stops(tmp_path: Path, runs: Path) -> None:
    """A job in the background that reads the terminal is stopped, as without us."""
    (tmp_path / "shell.py").write_text(
        SHELL.replace(
            "    front(os.getpgrp())\n    signal.signal(signal.SIGTTOU, s", "    signal.signal(signal.SIGTTOU, s"
        )
    )
    (tmp_path / "works.py").write_text("print('got', input(), flush=True)")
    argv = [sys.executable, "shell.py", *session.whydied_run(runs, "works.py")]
    with session.terminal(argv, tmp_path) as terminal:
        terminal.expect(b"STOPPED SIGTTIN")
        terminal.type(b"fg\nwords\n")
        terminal.expect(b"got words")
        terminal.expect(b"ENDED 0")


def test_stopped_program_has_not_ended(tmp_path: Path, runs: Path, counting: Path) -> None:
    with session.started(session.whydied_run(runs, counting, "1"), tmp_path) as process:
        pid = int(session.read_line(process).split()[1])
        os.kill(pid, signal.SIGSTOP)
        session.wait_until(lambda: session.state_of(pid) == "T", "the program to stop")
        assert process.poll() is None
        assert session.state_of(process.pid) != "T"
        os.kill(process.pid, signal.SIGCONT)
        session.wait_until(lambda: session.state_of(pid) != "T", "the program to go on")
        os.kill(pid, signal.SIGUSR1)
        assert session.read_line(process) == b"[(10, 1)]\n"
        assert process.wait(session.PATIENCE_S) == 0


def test_ignored_signals_stay_ignored(tmp_path: Path, runs: Path) -> None:
    """As under `nohup`."""
    source = """
import signal
print([str(signal.getsignal(number)) for number in (1, 15, 17)], signal.pthread_sigmask(signal.SIG_BLOCK, []))
"""
    (tmp_path / "tells.py").write_text(source)

    def ignore() -> None:
        signal.signal(signal.SIGHUP, signal.SIG_IGN)

    plain = subprocess.run([sys.executable, "tells.py"], cwd=tmp_path, capture_output=True, preexec_fn=ignore)
    recorded = subprocess.run(
        session.whydied_run(runs, "tells.py"), cwd=tmp_path, capture_output=True, preexec_fn=ignore
    )
    assert plain.stdout == recorded.stdout != b""


def test_ignored_child_signal(tmp_path: Path, runs: Path) -> None:
    """Started by someone who ignores SIGCHLD, we still learn the exit status."""
    (tmp_path / "ends.py").write_text("raise SystemExit(9)")

    def ignore() -> None:
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)

    done = subprocess.run(
        session.whydied_run(runs, "ends.py"), cwd=tmp_path, stdin=subprocess.DEVNULL, preexec_fn=ignore
    )
    assert done.returncode == 9


def test_time_limit(tmp_path: Path, runs: Path) -> None:
    (tmp_path / "sleeps.py").write_text("import time\ntime.sleep(1000)")
    argv = session.whydied_run(runs, "--timeout", "500ms", "sleeps.py")
    assert subprocess.run(argv, cwd=tmp_path, stdin=subprocess.DEVNULL).returncode == 143
    assert session.records(runs, SignalSent) == [SignalSent(signal=15, why="time limit")]


def test_time_limit_of_a_whole_tree(tmp_path: Path, runs: Path) -> None:
    argv = session.whydied_run(runs, "--timeout", "500ms", "--", "sh", "-c", "sleep 987 & echo $! > pid; wait")
    assert subprocess.run(argv, cwd=tmp_path, stdin=subprocess.DEVNULL).returncode == 143
    pid = int((tmp_path / "pid").read_text())
    session.wait_until(lambda: session.state_of(pid) in ("", "Z"), "the child to end too")


def test_time_limit_of_a_program_that_does_not_listen(tmp_path: Path, runs: Path) -> None:
    (tmp_path / "deaf.py").write_text(
        "import signal, time\nsignal.signal(15, signal.SIG_IGN)\nprint('ready', flush=True)\ntime.sleep(1000)"
    )
    code = f"""
from pathlib import Path
from whydied.run.command import Command
from whydied.run.supervise import RunRequest, supervise
request = RunRequest(Command("script", ("deaf.py",)), Path({str(runs)!r}), timeout_s=1.0, grace_s=0.3)
raise SystemExit(supervise(request).exit_status)
"""
    assert subprocess.run([sys.executable, "-c", code], cwd=tmp_path, stdin=subprocess.DEVNULL).returncode == 137
    assert [sent.signal for sent in session.records(runs, SignalSent)] == [15, 9]  # type: ignore[attr-defined]
