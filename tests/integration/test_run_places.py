"""Odd places to run in: no such script, nowhere to write, no HOME, an ordinary user, many runs at once."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests import session

from whydied.places import list_runs
from whydied.records import LimitApplied, ProcessBegan, ProgramEnded, ProgramNotStarted, RunStarted


def run(*argv: str, cwd: Path, **options: object) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(argv, cwd=cwd, stdin=subprocess.DEVNULL, capture_output=True, timeout=120, **options)  # type: ignore[call-overload, no-any-return]


def test_missing_script(tmp_path: Path, runs: Path) -> None:
    (tmp_path / "train.py").touch()
    report = tmp_path / "report.json"
    done = run(*session.whydied_run(runs, "--json", report, "trian.py"), cwd=tmp_path)
    assert done.returncode == 125
    assert done.stderr == f"whydied: no such script: trian.py (in {tmp_path})\nhint: did you mean train.py?\n".encode()
    (recorded,) = session.records(runs, ProgramNotStarted)
    assert isinstance(recorded, ProgramNotStarted)
    assert (recorded.wanted, recorded.near) == ("trian.py", ["train.py"])
    assert json.loads(report.read_text())["outcome"] == "failed"


def test_missing_command(tmp_path: Path, runs: Path) -> None:
    done = run(*session.whydied_run(runs, "--", "no-such-command-anywhere"), cwd=tmp_path)
    assert done.returncode == 125
    assert b"no such command on the PATH: no-such-command-anywhere" in done.stderr


def test_file_that_is_no_program(tmp_path: Path, runs: Path) -> None:
    odd = tmp_path / "odd"
    odd.write_text("neither script nor binary")
    odd.chmod(0o755)
    done = run(*session.whydied_run(runs, "--", "./odd"), cwd=tmp_path)
    assert done.returncode == 125
    assert b"whydied: ./odd is not a program that this system can execute\nhint: " in done.stderr
    assert len(session.records(runs, ProgramNotStarted)) == 1


def test_nothing_to_run(tmp_path: Path, runs: Path) -> None:
    done = run(*session.whydied_run(runs), cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr.startswith(b"whydied: nothing to run\nhint: ")


@pytest.mark.parametrize(
    ("option", "value"), [("--memory-limit", "lots"), ("--timeout", "soon"), ("--label", "no-value")]
)
def test_bad_options(tmp_path: Path, runs: Path, option: str, value: str) -> None:
    done = run(*session.whydied_run(runs, option, value, "x.py"), cwd=tmp_path)
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 2
    assert b"Traceback" not in done.stderr


def test_arguments_belong_to_the_program(tmp_path: Path, runs: Path) -> None:
    (tmp_path / "tells.py").write_text("import sys; print(sys.argv)")
    for words, told in [
        (["tells.py", "--quiet", "-m", "--", "--help"], ["tells.py", "--quiet", "-m", "--", "--help"]),
        (["-m", "tells", "--name", "x"], [str(tmp_path / "tells.py"), "--name", "x"]),
        (["-mtells", "-x"], [str(tmp_path / "tells.py"), "-x"]),
        (["--", sys.executable, "tells.py", "--", "-x"], ["tells.py", "--", "-x"]),
    ]:
        done = run(*session.whydied_run(runs, *words), cwd=tmp_path)
        assert done.stdout.decode() == f"{told}\n"


def test_name_and_labels(tmp_path: Path, runs: Path) -> None:
    argv = session.whydied_run(runs, "--name", "first try", "--label", "a=1", "--label", "b=x=y", "--", "true")
    run(*argv, cwd=tmp_path, check=True)
    (started,) = session.records(runs, RunStarted)
    assert isinstance(started, RunStarted)
    assert (started.name, started.labels) == ("first try", {"a": "1", "b": "x=y"})
    assert started.argv == ["true"]


def test_secrets_in_arguments_are_not_recorded(tmp_path: Path, runs: Path) -> None:
    run(*session.whydied_run(runs, "--", "true", "--password", "hunter2hunter2"), cwd=tmp_path, check=True)
    (directory,) = list_runs(runs)
    assert not [path for path in directory.path.rglob("*") if path.is_file() and b"hunter2" in path.read_bytes()]


def test_json_on_standard_output(tmp_path: Path, runs: Path) -> None:
    done = run(*session.whydied_run(runs, "--json", "-", "--", "true"), cwd=tmp_path)
    assert json.loads(done.stdout)["outcome"] == "finished"


def test_json_that_cannot_be_written_does_not_change_the_status(tmp_path: Path, runs: Path) -> None:
    done = run(*session.whydied_run(runs, "--json", "no/such/directory.json", "--", "sh", "-c", "exit 6"), cwd=tmp_path)
    assert done.returncode == 6
    assert len(done.stderr.splitlines()) == 1


def test_runs_directory_that_cannot_be_made(tmp_path: Path) -> None:
    """The program is not started, and the JSON report is there all the same."""
    (tmp_path / "file").touch()
    report = tmp_path / "report.json"
    argv = session.whydied_run(tmp_path / "file" / "runs", "--json", report, "--", "touch", "started")
    done = run(*argv, cwd=tmp_path)
    assert done.returncode == 125
    assert b"hint: name a writable directory with --runs DIR" in done.stderr
    assert not (tmp_path / "started").exists()
    assert json.loads(report.read_text())["undetermined"].startswith("whydied failed: cannot write")


def test_no_home_and_no_terminal(tmp_path: Path) -> None:
    """Then the recording goes to the temporary directory."""
    env = {"PATH": os.environ["PATH"], "TMPDIR": str(tmp_path)}
    done = run(sys.executable, "-m", "whydied", "run", "--", "sh", "-c", "exit 3", cwd=tmp_path, env=env)
    assert done.returncode == 3
    assert list(tmp_path.glob("whydied-*/runs/*/streams"))


def test_working_directory_that_is_gone(tmp_path: Path, runs: Path) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    argv = ["sh", "-c", 'rmdir ../gone; exec "$@"', "sh", *session.whydied_run(runs, "--", "sh", "-c", "exit 3")]
    done = run(*argv, cwd=gone)
    assert done.returncode == 3


def as_nobody(argv: list[str]) -> list[str]:
    """The command as an ordinary user, who may still read this installation wherever it is (often root's home)."""
    caps = ["--inh-caps=+dac_read_search", "--ambient-caps=+dac_read_search"]
    return ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", *caps, *argv]


@pytest.fixture
def nobody(tmp_path: Path) -> Path:
    """A directory of an ordinary user's own."""
    home = tmp_path / "home"
    home.mkdir()
    if os.getuid() != 0:
        return home
    os.chown(home, 65534, 65534)
    probe = subprocess.run(as_nobody([sys.executable, "-c", "import msgspec"]), cwd=home, capture_output=True)
    if probe.returncode != 0:
        pytest.skip(f"cannot become an ordinary user: {probe.stderr.decode()[-200:]}")
    return home


def ordinary(argv: list[str]) -> list[str]:
    return as_nobody(argv) if os.getuid() == 0 else argv


def test_ordinary_user(nobody: Path) -> None:
    (nobody / "program.py").write_text("import os; print(os.getuid()); os.abort()")
    runs = nobody / "runs"
    done = run(*ordinary(session.whydied_run(runs, "program.py")), cwd=nobody, env={"PATH": os.environ["PATH"]})
    assert done.returncode == 134
    assert done.stdout.strip() != b"0"
    assert len(session.records(runs, ProgramEnded)) == 1
    if os.getuid() != 0:
        # The recorder asks `access`, which does not honour the capability that lets this stand-in reach its home.
        assert len(session.records(runs, ProcessBegan)) == 1


def test_ordinary_user_gets_a_watched_limit(nobody: Path) -> None:
    (nobody / "grows.py").write_text(
        "import time\nx = []\nwhile len(x) < 300: x.append(bytearray(2_000_000)); time.sleep(0.005)"
    )
    runs = nobody / "runs"
    argv = session.whydied_run(runs, "--memory-limit", "120M", "grows.py")
    done = run(*ordinary(argv), cwd=nobody, env={"PATH": os.environ["PATH"]})
    assert done.returncode == 137
    (applied,) = session.records(runs, LimitApplied)
    assert isinstance(applied, LimitApplied)
    if applied.kind == "watched":
        assert applied.reason


def test_read_only_place_that_the_user_named(nobody: Path) -> None:
    closed = nobody / "closed"
    closed.mkdir(0o555)
    done = run(*ordinary(session.whydied_run(closed / "runs", "--", "true")), cwd=nobody)
    assert done.returncode == 125
    assert b"cannot write a recording to" in done.stderr


def test_read_only_default_place(nobody: Path, tmp_path: Path) -> None:
    """The recording goes elsewhere, and the record says where and why."""
    spare = tmp_path / "spare"
    spare.mkdir()
    os.chmod(spare, 0o777)
    closed = nobody / "closed"
    closed.mkdir(0o555)
    env = {"PATH": os.environ["PATH"], "HOME": str(closed), "TMPDIR": str(spare)}
    done = run(*ordinary([sys.executable, "-m", "whydied", "run", "--", "true"]), cwd=closed, env=env)
    assert done.returncode == 0, done.stderr
    (runs,) = spare.glob("whydied-*/runs")
    (started,) = session.records(runs, RunStarted)
    assert isinstance(started, RunStarted)
    assert "cannot write a recording to" in (started.runs_fallback or "")


def test_many_runs_share_a_directory(tmp_path: Path, runs: Path) -> None:
    argv = session.whydied_run(runs, "--", "sh", "-c", "exit 5")
    processes = [subprocess.Popen(argv, cwd=tmp_path, stdin=subprocess.DEVNULL) for _ in range(8)]
    assert [process.wait(120) for process in processes] == [5] * 8
    found = list_runs(runs)
    assert len(found) == 8
    for run_directory in found:
        (ended,) = session.records_of(run_directory, ProgramEnded)
        assert isinstance(ended, ProgramEnded)
        assert ended.exit_code == 5


def test_run_directory_is_private(tmp_path: Path, runs: Path) -> None:
    run(*session.whydied_run(runs, "--", "true"), cwd=tmp_path, check=True)
    (directory,) = list_runs(runs)
    assert directory.path.stat().st_mode & 0o077 == 0


def test_wrapped_python_is_recorded(tmp_path: Path, runs: Path) -> None:
    (tmp_path / "inner.py").write_text("print('inner')")
    done = run(*session.whydied_run(runs, "--", "sh", "-c", f"{sys.executable} inner.py; true"), cwd=tmp_path)
    assert done.stdout == b"inner\n"
    assert len(session.records(runs, ProcessBegan)) == 1


def test_arguments_that_are_no_text(tmp_path: Path, runs: Path) -> None:
    """Bytes that are no UTF-8, and more words than a record holds."""
    (tmp_path / "tells.py").write_text("import os, sys\nprint(os.fsencode(sys.argv[1]), len(sys.argv))")
    words = [b"tells.py", b"\xff\xfe", *[b"x" * 200] * 2000]
    argv = [os.fsencode(word) for word in session.whydied_run(runs)] + words
    done = subprocess.run(argv, cwd=tmp_path, stdin=subprocess.DEVNULL, capture_output=True)
    assert done.stdout == b"b'\\xff\\xfe' 2002\n"
    (started,) = session.records(runs, RunStarted)
    assert isinstance(started, RunStarted)
    assert started.argv[:2] == ["tells.py", "\\udcff\\udcfe"]


def test_no_process_left(nobody: Path) -> None:
    """The user's limit of processes is reached: one sentence, and no traceback."""
    runs = nobody / "runs"
    argv = ordinary(["prlimit", "--nproc=1", *session.whydied_run(runs, "--", "true")])
    done = run(*argv, cwd=nobody)
    if done.returncode == 0:
        pytest.skip("the limit of processes does not bind here")
    assert done.returncode == 125
    assert b"whydied: the system is out of processes or memory, and could not start true\n" in done.stderr
    assert len(session.records(runs, ProgramNotStarted)) == 1


def test_one_run_inside_another(tmp_path: Path, runs: Path) -> None:
    (tmp_path / "ends.py").write_text("print('inner')\nraise SystemExit(6)")
    inner = session.whydied_run(tmp_path / "inner", "ends.py")
    done = run(*session.whydied_run(runs, "--", *inner), cwd=tmp_path)
    assert (done.returncode, done.stdout) == (6, b"inner\n")
    for directory in (runs, tmp_path / "inner"):
        (ended,) = session.records(directory, ProgramEnded)
        assert isinstance(ended, ProgramEnded)
        assert ended.exit_code == 6


def test_supervisor_that_is_killed_leaves_a_recording(tmp_path: Path, runs: Path) -> None:
    argv = session.whydied_run(runs, "--", "sh", "-c", "echo ready; exec sleep 600")
    with session.started(argv, tmp_path) as process:
        assert session.read_line(process) == b"ready\n"
        process.kill()
        process.wait()
        assert len(session.records(runs, RunStarted)) == 1
        assert session.records(runs, ProgramEnded) == []
