"""`whydied.start()`: programs that somebody else started, with a watcher beside them."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from tests import session

from whydied.places import list_runs
from whydied.records import MachineSampled, ProcessBegan, ProgramEnded, RunEnded, RunStarted
from whydied.run import watch


def run(tmp_path: Path, source: str, *, quiet: bool = True) -> subprocess.CompletedProcess[bytes]:
    """Run a program that starts the recording itself. The watcher holds its standard error, so this waits for both."""
    beginning = f"import whydied\nwhydied.start(runs='runs', json='report.json', name='mine', quiet={quiet})\n"
    (tmp_path / "program.py").write_text(beginning + textwrap.dedent(source))
    return subprocess.run(
        [sys.executable, "program.py", "an argument"],
        cwd=tmp_path,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=60,
    )


def report(tmp_path: Path) -> dict[str, object]:
    found: dict[str, object] = json.loads((tmp_path / "report.json").read_text())
    return found


@pytest.mark.parametrize(
    ("source", "code", "number", "outcome"),
    [
        ("print('fine')", 0, None, "finished"),
        ("raise SystemExit(3)", 3, None, "failed"),
        ("import os; os._exit(4)", 4, None, "failed"),
        ("import os; os.kill(os.getpid(), 9)", None, 9, "died"),
        ("import os; os.abort()", None, 6, "died"),
    ],
)
def test_ends(tmp_path: Path, runs: Path, source: str, code: int | None, number: int | None, outcome: str) -> None:
    done = run(tmp_path, source)
    assert done.returncode == (code if number is None else -number)
    (ended,) = session.records(runs, ProgramEnded)
    assert isinstance(ended, ProgramEnded)
    if ended.from_ != "unknown":
        assert (ended.exit_code, ended.signal) == (code, number)
    assert report(tmp_path)["outcome"] == outcome
    (started,) = session.records(runs, RunStarted)
    assert isinstance(started, RunStarted)
    assert (started.supervisor, started.name, started.argv) == ("start", "mine", ["program.py", "an argument"])
    assert len(session.records(runs, RunEnded)) == 1


def test_samples_and_the_recorder(tmp_path: Path, runs: Path) -> None:
    run(tmp_path, "import time; time.sleep(1)")
    assert session.records(runs, MachineSampled)
    (began,) = session.records(runs, ProcessBegan)
    assert isinstance(began, ProcessBegan)
    assert began.start == "start"


def test_report_is_printed_unless_quiet(tmp_path: Path) -> None:
    assert b"KeyError" in run(tmp_path, "{}['x']", quiet=False).stderr.split(b"KeyError: 'x'", 1)[1]


def test_quiet(tmp_path: Path) -> None:
    assert run(tmp_path, "raise SystemExit(3)").stderr == b""


def test_second_call_and_no_child_of_ours(tmp_path: Path, runs: Path) -> None:
    source = """
        import os
        assert whydied.start(name="other") == whydied.start()
        try:
            os.wait()
        except ChildProcessError:
            print("no child")
    """
    assert run(tmp_path, source).stdout == b"no child\n"
    assert len(list_runs(runs)) == 1


def test_children_record_too(tmp_path: Path, runs: Path) -> None:
    run(tmp_path, "import subprocess, sys\nsubprocess.run([sys.executable, '-c', 'pass'])")
    assert [r.start for r in session.records(runs, ProcessBegan)] == ["start", "exec"]  # type: ignore[attr-defined]


def test_under_whydied_run_it_does_nothing(tmp_path: Path, runs: Path) -> None:
    (tmp_path / "program.py").write_text("import whydied\nprint(whydied.start(runs='others'))")
    argv = session.whydied_run(runs, "program.py")
    done = subprocess.run(argv, cwd=tmp_path, stdin=subprocess.DEVNULL, capture_output=True)
    (directory,) = list_runs(runs)
    assert done.stdout.decode().strip() == str(directory.path)
    assert not (tmp_path / "others").exists()
    (started,) = session.records(runs, RunStarted)
    assert isinstance(started, RunStarted)
    assert started.supervisor == "run"


def test_watcher_survives_a_signal_to_the_group(tmp_path: Path, runs: Path) -> None:
    (tmp_path / "program.py").write_text(
        "import time, whydied\nwhydied.start(runs='runs', quiet=True)\nprint('ready', flush=True)\ntime.sleep(600)"
    )
    with session.started([sys.executable, "program.py"], tmp_path) as process:
        assert session.read_line(process) == b"ready\n"
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate(timeout=60)
    (ended,) = session.records(runs, ProgramEnded)
    assert isinstance(ended, ProgramEnded)
    assert ended.signal in (9, None)


def test_exit_status_of_a_zombie() -> None:
    """Where the kernel has no better account, as long as nobody has asked for the status."""
    process = subprocess.Popen(["sh", "-c", "exit 7"])
    session.wait_until(lambda: session.state_of(process.pid) == "Z", "the end of the process")
    stat = Path(f"/proc/{process.pid}/stat").read_text().rsplit(")", 1)[1].split()
    found = watch.exit_status(process.pid, int(stat[19]), None)
    process.wait()
    assert (os.waitstatus_to_exitcode(found.status or 0), found.source) == (7, "zombie")


def test_exit_status_that_nobody_tells() -> None:
    process = subprocess.Popen(["true"])
    process.wait()
    assert watch.exit_status(process.pid, 1, None) == watch.ExitStatus(None, "unknown")
