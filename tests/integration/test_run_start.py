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


def call(tmp_path: Path, source: str, *words: str | bytes, **environment: str) -> subprocess.CompletedProcess[bytes]:
    """Run a program whose own `whydied.start` has no place to write unless the environment gives one."""
    (tmp_path / "program.py").write_text("import whydied\n" + textwrap.dedent(source))
    return subprocess.run(
        [sys.executable, *words],
        cwd=tmp_path,
        env={**os.environ, **environment},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=60,
    )


def test_an_argument_that_is_not_utf8(tmp_path: Path, runs: Path) -> None:
    source = "whydied.start(name='\\udcfe', labels={'a': '\\udcfd'}, json='report.json', quiet=True)\nprint('went on')"
    done = call(tmp_path, source, b"program.py", b"caf\xe9", WHYDIED_RUNS=str(runs))
    assert (done.returncode, done.stdout, done.stderr) == (0, b"went on\n", b"")
    (started,) = session.records(runs, RunStarted)
    assert isinstance(started, RunStarted)
    assert (started.argv, started.name, started.labels) == (["program.py", "caf\\udce9"], "\\udcfe", {"a": "\\udcfd"})
    assert report(tmp_path)["outcome"] == "finished"


@pytest.mark.parametrize("options", [(), ("-W", "error")])
def test_no_place_to_write_is_a_warning(tmp_path: Path, options: tuple[str, ...]) -> None:
    """Not even a temporary directory: the program goes on all the same."""
    (tmp_path / "file").touch()
    nowhere = str(tmp_path / "file")
    source = "import tempfile\ntempfile.tempdir = '%s'\nprint(whydied.start())" % nowhere  # noqa: UP031
    done = call(tmp_path, source, *options, "program.py", WHYDIED_RUNS=nowhere)
    assert (done.returncode, done.stdout) == (0, b"None\n")
    assert done.stderr.count(b"whydied cannot record this program") == 1
    assert b"Traceback" not in done.stderr


def test_a_named_place_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    done = call(tmp_path, "whydied.start(runs='file')", "program.py")
    assert done.returncode == 1
    assert b"NoRoom" in done.stderr


def test_a_system_that_cannot_start_the_watcher(tmp_path: Path, runs: Path) -> None:
    """As on a C library without POSIX_SPAWN_SETSID."""
    source = """
        import os
        def refuse(*args, **options):
            raise NotImplementedError("setsid")
        os.posix_spawn = refuse
        print(whydied.start() is not None)
    """
    done = call(tmp_path, source, "program.py", WHYDIED_RUNS=str(runs))
    assert (done.returncode, done.stdout) == (0, b"True\n")
    assert done.stderr.count(b"whydied cannot watch this program") == 1


def test_the_watcher_keeps_no_pipe_of_the_program_open(tmp_path: Path) -> None:
    source = """
        import os, select
        reader, writer = os.pipe()
        os.set_inheritable(writer, True)
        far = os.dup2(writer, 200)
        whydied.start(runs="runs", quiet=True)
        os.close(writer), os.close(far)
        ready, _, _ = select.select([reader], [], [], 30)
        print(os.read(reader, 1) if ready else "still open")
    """
    done = call(tmp_path, source, "program.py")
    assert (done.returncode, done.stdout) == (0, b"b''\n")
