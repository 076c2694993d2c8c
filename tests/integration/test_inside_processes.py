"""Each process of a program has a stream of its own, and its end is in it."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from tests import child

from whydied.inside.recorder import LARGEST_PROCESSES
from whydied.records import (
    ExitRequested,
    InternalError,
    LineSampled,
    ProcessBegan,
    ProcessExiting,
    RecorderLimited,
    WarningIssued,
)


def _inside(tmp_path: Path, program: str, **more: dict[str, str]) -> child.Recorded:
    path = child.write(tmp_path, program)
    recorded = child.inside(path, cwd=tmp_path, run=tmp_path / "run", env=more.get("env"))
    assert recorded.all(InternalError) == []
    return recorded


def test_begin_and_end(tmp_path: Path) -> None:
    recorded = _inside(tmp_path, "print('on')")
    began = recorded.one(ProcessBegan)
    assert (began.start, began.argv[-1], began.cwd) == ("exec", str(tmp_path / "program.py"), str(tmp_path))
    assert recorded.one(ProcessExiting)
    assert list((recorded.run / "faults").iterdir()) == []


def test_secrets_in_arguments_are_not_recorded(tmp_path: Path) -> None:
    path = child.write(tmp_path, "pass")
    recorded = child.inside(path, "--api-key", "abcdef123", "--epochs", "3", cwd=tmp_path, run=tmp_path / "run")
    assert recorded.one(ProcessBegan).argv[-4:] == ["--api-key", "<redacted>", "--epochs", "3"]


@pytest.mark.parametrize(
    ("program", "how", "status", "number"),
    [
        ("import sys\nsys.exit(3)", "sys.exit", "3", None),
        ("import sys\nsys.exit('no data')", "sys.exit", "no data", None),
        ("import os\nos._exit(4)", "os._exit", "4", None),
        ("import os\nos.abort()", "os.abort", None, None),
        ("import os, signal\nos.kill(os.getpid(), signal.SIGKILL)", "os.kill", None, 9),
        ("import os, signal\nos.killpg(os.getpgrp(), 0); os.kill(os.getpid(), 15)", "os.kill", None, 15),
        ("import os, sys\nos.execv(sys.executable, [sys.executable, '-c', 'pass'])", "os.exec", sys.executable, None),
    ],
)
def test_the_way_out(program: str, how: str, status: str | None, number: int | None, tmp_path: Path) -> None:
    recorded = _inside(tmp_path, program)
    request = recorded.one(ExitRequested)
    assert (request.how, request.status, request.signal) == (how, status, number)
    assert (request.frames[-1].file, request.frames[-1].line) == (str(tmp_path / "program.py"), 2)


def test_forks_and_execs_have_their_own_streams(tmp_path: Path) -> None:
    recorded = _inside(
        tmp_path,
        """
        import os, subprocess, sys
        if os.fork() == 0:
            sys.exit(1)
        os.wait()
        subprocess.run([sys.executable, "-c", "pass"])
        os.execv(sys.executable, [sys.executable, "-c", "print('new')"])
        """,
    )
    began = recorded.all(ProcessBegan)
    assert [record.start for record in began] == ["exec", "fork", "exec", "exec"]
    first, fork, sub, again = (record.pid for record in began)
    assert first == again
    assert len({first, fork, sub}) == 3
    assert len({path.name.partition(".")[0] for path in (recorded.run / "streams").iterdir()}) == 4
    assert recorded.ended.stdout == "new\n"


def test_the_running_line_is_sampled_and_the_thread_is_unseen(tmp_path: Path) -> None:
    recorded = _inside(
        tmp_path,
        """
        import threading, time
        def wait():
            time.sleep(0.4)
        wait()
        print(threading.active_count())
        """,
    )
    assert recorded.ended.stdout == "1\n"
    lines = [[(frame.line, frame.function) for frame in sample.frames] for sample in recorded.all(LineSampled)]
    assert [(4, "<module>"), (3, "wait")] in lines


def test_the_line_is_sampled_again_after_a_fork(tmp_path: Path) -> None:
    recorded = _inside(
        tmp_path,
        """
        import os, time, warnings
        warnings.simplefilter("error")
        def busy():
            end = time.monotonic() + 0.6
            kept = []
            while time.monotonic() < end:
                kept = [[] for _ in range(10_000)]
        pid = os.fork()
        busy()
        if pid:
            os.waitpid(pid, 0)
        """,
    )
    pids = {pid for pid, record in recorded.entries() if isinstance(record, LineSampled) and record.frames}
    assert recorded.ended == (0, "", "")
    assert len(pids) == 2


def test_warnings(tmp_path: Path) -> None:
    recorded = _inside(tmp_path, "import warnings\nwarnings.warn('careful', UserWarning)")
    warning = recorded.one(WarningIssued)
    assert (warning.category, warning.message, warning.line) == ("UserWarning", "careful", 2)


def test_a_crash_leaves_its_line(tmp_path: Path) -> None:
    recorded = _inside(tmp_path, "import ctypes\ndef crash():\n    ctypes.string_at(0)\ncrash()")
    assert recorded.ended.status == -signal.SIGSEGV
    (file,) = (recorded.run / "faults").glob("*.txt")
    text = file.read_text()
    assert "Segmentation fault" in text
    assert f'"{tmp_path / "program.py"}", line 3 in crash' in text


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGXCPU, signal.SIGUSR1, signal.SIGALRM])
def test_a_deadly_signal_kills_as_before_and_leaves_the_line(number: signal.Signals, tmp_path: Path) -> None:
    program = "import sys, time\ndef wait():\n    print('on', flush=True)\n    time.sleep(60)\nwait()"
    path = child.write(tmp_path, program)
    run = tmp_path / "run"
    (run / "streams").mkdir(parents=True)
    (run / "faults").mkdir()
    env = {**os.environ, "PYTHONPATH": str(child.BOOTSTRAP), "WHYDIED_RUN": str(run)}
    env["WHYDIED_HOME"] = str(child.HOME)
    with subprocess.Popen([sys.executable, path], env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        process.send_signal(number)
        _, stderr = process.communicate(timeout=60)
    assert (process.returncode, stderr) == (-number, b"")
    (file,) = (run / "faults").glob("*.txt")
    assert re.search(r'program.py", line [34] in wait', file.read_text())


def test_a_signal_that_the_program_handles_leaves_no_fault(tmp_path: Path) -> None:
    recorded = _inside(
        tmp_path,
        """
        import os, signal
        signal.signal(signal.SIGTERM, lambda *a: print("handled"))
        os.kill(os.getpid(), signal.SIGTERM)
        signal.signal(signal.SIGUSR1, signal.SIG_IGN)
        os.kill(os.getpid(), signal.SIGUSR1)
        """,
    )
    assert recorded.ended == (0, "handled\n", "")
    assert list((recorded.run / "faults").iterdir()) == []


def test_closed_descriptors_cost_the_fault_file_a_second_at_most(tmp_path: Path) -> None:
    recorded = _inside(
        tmp_path,
        """
        import ctypes, os, time
        os.closerange(3, 4096)
        mine = os.open("mine.txt", os.O_WRONLY | os.O_CREAT)
        os.dup2(mine, 900)
        time.sleep(2.5)
        ctypes.string_at(0)
        """,
    )
    assert recorded.ended.status == -signal.SIGSEGV
    assert (tmp_path / "mine.txt").read_text() == ""
    texts = [path.read_text() for path in (recorded.run / "faults").glob("*.txt")]
    assert any("program.py" in text for text in texts)


def test_faulthandler_of_the_programs_own_is_left_alone(tmp_path: Path) -> None:
    program = "import faulthandler, ctypes\nfaulthandler.enable()\nctypes.string_at(0)"
    path = child.write(tmp_path, program)
    expected = child.plain(path, cwd=tmp_path)
    recorded = child.inside(path, cwd=tmp_path, run=tmp_path / "run")
    assert "Segmentation fault" in recorded.ended.stderr
    assert recorded.ended.status == expected.status
    before = child.inside(path, cwd=tmp_path, run=tmp_path / "run2", env={"PYTHONFAULTHANDLER": "1"})
    assert before.one(RecorderLimited).what == "fault file"


def test_a_full_disk_is_said_once_and_stops_nothing(tmp_path: Path) -> None:
    recorded = _inside(
        tmp_path,
        """
        import os, sys
        run = os.environ["WHYDIED_RUN"]
        os.rename(os.path.join(run, "streams"), os.path.join(run, "gone"))
        for n in range(5000):
            try:
                sys.exit("x" * 200)
            except SystemExit:
                pass
        os.rename(os.path.join(run, "gone"), os.path.join(run, "streams"))
        print("on")
        """,
    )
    assert recorded.ended == (0, "on\n", "")


def test_an_interpreter_without_us_gets_us_from_home_and_keeps_its_own(tmp_path: Path) -> None:
    bare = tmp_path / "bare"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(bare)], check=True)
    import msgspec

    home = Path(msgspec.__file__).parent.parent
    path = child.write(
        tmp_path, "import sys\nprint('click' in sys.modules, any('site-packages' in p for p in sys.path))"
    )
    # The home of an ordinary installation holds both packages; here the tree and msgspec lie apart.
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "whydied").symlink_to(child.HOME / "whydied")
    (tmp_path / "home" / "msgspec").symlink_to(home / "msgspec")
    env = {"WHYDIED_HOME": str(tmp_path / "home")}
    recorded = child.inside(bare / "bin" / "python", path, cwd=tmp_path, run=tmp_path / "run", env=env)
    assert recorded.ended.stdout == "False True\n"
    assert recorded.one(ProcessBegan)
    nowhere = {"WHYDIED_HOME": str(tmp_path / "nothing")}
    failed = child.inside(bare / "bin" / "python", path, cwd=tmp_path, run=tmp_path / "run2", env=nowhere)
    assert failed.ended.status == 0
    (note,) = (failed.run / "faults").iterdir()
    assert note.name.endswith(".inside-failed.txt")
    assert "No module named" in note.read_text()


def test_the_debugger_opens_at_the_users_line(tmp_path: Path) -> None:
    path = child.write(tmp_path, "import json\ndef go():\n    value = 41\n    json.loads('{')\ngo()")
    run = tmp_path / "run"
    (run / "streams").mkdir(parents=True)
    (run / "faults").mkdir()
    ours = {"PYTHONPATH": str(child.BOOTSTRAP), "WHYDIED_RUN": str(run), "WHYDIED_HOME": str(child.HOME)}
    env = {**os.environ, **ours, "WHYDIED_OPTIONS": "pdb"}
    done = subprocess.run(
        [sys.executable, path],
        env=env,
        input="p value + 1\nq\n",
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 1
    assert "(Pdb) 42" in done.stdout
    assert done.stderr == child.plain(path, cwd=tmp_path).stderr


def test_only_the_first_processes_of_a_run_are_recorded(tmp_path: Path) -> None:
    recorded = _inside(
        tmp_path,
        """
        import os, subprocess, sys
        sys.modules["whydied.inside.recorder"].LARGEST_PROCESSES = 3
        def work(deep):
            if deep:
                pid = os.fork()
                if pid == 0:
                    work(deep - 1)
                    sys.exit(5)
                assert os.waitpid(pid, 0)[1] >> 8 == 5
        for _ in range(4):
            work(2)
        print("done")
        """,
    )
    assert recorded.ended == (0, "done\n", "")
    assert [record.start for record in recorded.all(ProcessBegan)] == ["exec", "fork", "fork"]
    assert recorded.one(RecorderLimited).what == "processes"
    assert list((recorded.run / "faults").iterdir()) == []


def test_a_program_that_is_started_after_all_others_runs_unrecorded(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "processes").write_bytes(b"." * LARGEST_PROCESSES)
    recorded = _inside(tmp_path, "print('on')")
    assert recorded.ended == (0, "on\n", "")
    assert recorded.entries() == []
