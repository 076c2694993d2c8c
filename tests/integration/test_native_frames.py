"""Real crashes in native code, with a library that is compiled here: the frames, the thread, the process, the end."""

from __future__ import annotations

import json
import os
import platform
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from tests import child, session

from whydied.places import list_runs
from whydied.records import CrashSeen, InternalError

COMPILER = shutil.which("gcc")
pytestmark = pytest.mark.skipif(
    platform.machine() != "x86_64" or sys.platform != "linux", reason="the handler is for Linux on x86_64"
)

LIBRARY = """
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

static volatile int zero;
static int *volatile nowhere;

__attribute__((noinline)) static int inner(int value) { *nowhere = value; return value + 1; }
__attribute__((noinline)) int middle(int value) { return inner(value) * 2 + zero; }
int outer(int value) { return middle(value) + 3; }

int share(int value) { return value / zero; }

static void *in_thread(void *value) { return (void *)(long)(middle(1) + zero); }
int elsewhere(int threads) {
    pthread_t all[16];
    for (int n = 0; n < threads; n++) pthread_create(&all[n], 0, in_thread, 0);
    for (int n = 0; n < threads; n++) pthread_join(all[n], 0);
    return 0;
}

__attribute__((noinline)) int deep(int value) {
    volatile char room[4096];
    room[0] = value;
    return deep(value + 1) + room[0];
}
int give_up(int value) { if (value) abort(); return 0; }
int call_nothing(int value) { int (*volatile function)(int) = 0; return function(value) + 1; }
"""

PROGRAM = """
import ctypes, os, sys

library = ctypes.CDLL(os.environ["LIBRARY"])


def work():
    return getattr(library, sys.argv[1])(int(sys.argv[2]))


work()
"""


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if COMPILER is None:
        pytest.skip("needs a compiler")
    place = tmp_path_factory.mktemp("library")
    (place / "broken.c").write_text(LIBRARY)
    made = place / "libbroken.so"
    subprocess.run(
        [COMPILER, "-O1", "-shared", "-fPIC", "-fomit-frame-pointer", "-o", made, place / "broken.c", "-lpthread"],
        check=True,
        timeout=120,
    )
    return made


def crashed(tmp_path: Path, library: Path, function: str, value: int = 4) -> tuple[int, CrashSeen]:
    """The status of the run, and its only crash."""
    path = child.write(tmp_path, PROGRAM)
    runs = tmp_path / "runs"
    done = subprocess.run(
        [*session.whydied_run(runs, path), function, str(value)],
        env={**os.environ, "LIBRARY": str(library)},
        capture_output=True,
        timeout=120,
        check=False,
    )
    (run,) = list_runs(runs)
    assert session.records_of(run, InternalError) == []
    assert list(run.faults.glob("*.crash")) == []
    (seen,) = session.records_of(run, CrashSeen)
    assert isinstance(seen, CrashSeen)
    return done.returncode, seen


def names(seen: CrashSeen) -> list[str]:
    return [frame.function for frame in seen.frames]


def test_the_frames_of_a_crash_lead_from_the_fault_to_the_interpreter(tmp_path: Path, library: Path) -> None:
    status, seen = crashed(tmp_path, library, "outer")
    assert status == 128 + signal.SIGSEGV
    assert names(seen)[:3] == ["inner", "middle", "outer"]
    assert {frame.library for frame in seen.frames[:3]} == {str(library)}
    assert any(name.startswith("_PyEval_EvalFrame") for name in names(seen))
    assert (seen.address, seen.access, seen.memory, seen.sender) == (0, "write", "null", None)


def test_threads_that_crash_together_leave_one_whole_dump(tmp_path: Path, library: Path) -> None:
    status, seen = crashed(tmp_path, library, "elsewhere", 8)
    assert status == 128 + signal.SIGSEGV
    assert names(seen)[:3] == ["inner", "middle", "in_thread"]
    assert seen.thread != seen.pid
    assert not any(name.startswith("_PyEval") for name in names(seen))


def test_a_division_has_its_divisor(tmp_path: Path, library: Path) -> None:
    status, seen = crashed(tmp_path, library, "share")
    assert status == 128 + signal.SIGFPE
    assert names(seen)[0] == "share"
    assert seen.divisor in (0, None)


def test_a_stack_that_ran_out(tmp_path: Path, library: Path) -> None:
    status, seen = crashed(tmp_path, library, "deep")
    assert status == 128 + signal.SIGSEGV
    assert seen.memory == "stack"
    assert names(seen)[0] == "deep"


def test_an_abort_leads_to_who_asked_for_it(tmp_path: Path, library: Path) -> None:
    status, seen = crashed(tmp_path, library, "give_up")
    assert status == 128 + signal.SIGABRT
    assert "give_up" in names(seen)
    assert seen.sender == seen.pid


def test_a_call_of_nothing_leads_to_the_caller(tmp_path: Path, library: Path) -> None:
    status, seen = crashed(tmp_path, library, "call_nothing")
    assert status == 128 + signal.SIGSEGV
    assert names(seen)[:2] == ["", "call_nothing"]
    assert (seen.access, seen.memory) == ("execute", "null")


def test_a_signal_from_outside_has_its_sender(tmp_path: Path) -> None:
    path = child.write(tmp_path, "import time\nprint('on', flush=True)\ntime.sleep(60)")
    recorded = tmp_path / "run"
    for name in ("streams", "faults"):
        (recorded / name).mkdir(parents=True)
    env = {**os.environ, "PYTHONPATH": str(child.BOOTSTRAP), "WHYDIED_RUN": str(recorded)}
    env["WHYDIED_HOME"] = str(child.HOME)
    with subprocess.Popen([sys.executable, path], env=env, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        process.send_signal(signal.SIGSEGV)
        process.communicate(timeout=60)
    assert process.returncode == -signal.SIGSEGV
    from whydied.run.observe.crashes import crashes_in

    (seen,) = crashes_in(recorded / "faults")
    assert isinstance(seen, CrashSeen)
    assert (seen.sender, seen.pid) == (os.getpid(), process.pid)


def test_a_fork_has_a_dump_of_its_own_and_a_handler_of_the_programs_own_is_left_alone(tmp_path: Path) -> None:
    program = """
        import ctypes, os, signal
        pids = []
        for _ in range(2):
            pid = os.fork()
            if pid == 0:
                ctypes.string_at(0)
            pids.append(pid)
        print([os.waitpid(pid, 0)[1] & 127 for pid in pids])
        signal.signal(signal.SIGFPE, lambda *a: print("mine"))
        os.kill(os.getpid(), signal.SIGFPE)
        print(signal.getsignal(signal.SIGSEGV) is signal.SIG_DFL)
    """
    path = child.write(tmp_path, program)
    recorded = child.inside(path, cwd=tmp_path, run=tmp_path / "run")
    assert recorded.ended == child.plain(path, cwd=tmp_path)
    assert recorded.ended.stdout == "[11, 11]\nmine\nTrue\n"
    assert len(list((recorded.run / "faults").glob("*.crash"))) == 2


def test_a_crash_after_the_supervisor_died_is_told_by_the_next_show(tmp_path: Path) -> None:
    program = """
        import ctypes, os, time
        parent = os.getppid()
        os.kill(parent, 9)
        while os.getppid() == parent:
            time.sleep(0.01)
        ctypes.string_at(0)
    """
    path = child.write(tmp_path, program)
    runs = tmp_path / "runs"
    subprocess.run(session.whydied_run(runs, path), capture_output=True, timeout=120, check=False)
    (run,) = list_runs(runs)
    session.wait_until(lambda: any(file.stat().st_size for file in run.faults.glob("*.txt")), "the dump")
    pid = int(next(run.faults.glob("*.txt")).stem)
    session.wait_until(lambda: session.state_of(pid) in ("", "Z"), "the end of the program")
    show = [sys.executable, "-m", "whydied", "show", "--runs", str(runs), "--json"]
    done = subprocess.run(show, capture_output=True, text=True, timeout=120, check=True)
    death = json.loads(done.stdout)["death"]
    assert (death["name"], death["location"]["line"]) == ("segmentation-fault", 6)
    assert "read through a null pointer (address 0x0)" in death["message"]
    assert list(run.faults.glob("*.crash")) == []


def test_an_interpreter_that_gives_up_is_told_in_its_words(tmp_path: Path) -> None:
    """No program of the corpus, because the interpreter lists our thread among those of the program."""
    program = """
        import ctypes
        interpreter = ctypes.CDLL(None)
        def resume():
            interpreter.PyEval_RestoreThread(None)
        resume()
    """
    path = child.write(tmp_path, program)
    report = tmp_path / "report.json"
    command = session.whydied_run(tmp_path / "runs", "--json", report, path)
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 128 + signal.SIGABRT
    death = json.loads(report.read_text())["death"]
    assert (death["name"], death["location"]["line"]) == ("native-abort", 4)
    assert "(SIGABRT): the interpreter aborted: PyEval_RestoreThread: the function must be called" in death["message"]
