"""A program runs with the recorder inside as it runs without: the same bytes, the same exit status."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from tests import child

from whydied.records import ExitRequested, InternalError, MainFound

PROGRAMS = {
    "an error": """
        def inner(n):
            return 1 / n
        inner(0)
    """,
    "a printed traceback": """
        import traceback, sys
        def leave():
            sys.exit("gone")
        for work in (leave, lambda: int("x"), lambda: __import__("nowhere_at_all")):
            try:
                work()
            except BaseException:
                print(traceback.format_exc())
    """,
    "a chain": """
        try:
            {}["a"]
        except KeyError as error:
            raise ValueError("b") from error
    """,
    "warnings": """
        import warnings, sys
        def old():
            warnings.warn("old is old", DeprecationWarning, stacklevel=2)
        old()
        warnings.warn("plain")
        with warnings.catch_warnings(record=True) as kept:
            warnings.simplefilter("always")
            old()
        print(len(kept), kept[0].lineno, kept[0].filename == __file__)
        warnings.simplefilter("error")
        old()
    """,
    "a shown warning with a stack": """
        import traceback, warnings
        def show(*args):
            traceback.print_stack()
        warnings.showwarning = show
        warnings.warn("look")
    """,
    "sys.exit": "import sys; sys.exit(3)",
    "sys.exit with words": "import sys; sys.exit('no data')",
    "sys.exit with nothing": "import sys; sys.exit()",
    "sys.exit with a tuple": "import sys; sys.exit((1, 2))",
    "sys.exit with too much": "import sys; sys.exit(1, 2)",
    "os._exit": "import os; os._exit(4)",
    "os._exit by keyword": "import os; os._exit(status=5)",
    "os._exit with nonsense": "import os; os._exit('x')",
    "os.abort": "import os; os.abort()",
    "a segmentation fault": "import ctypes; ctypes.string_at(0)",
    "SIGKILL to itself": "import os, signal; os.kill(os.getpid(), signal.SIGKILL)",
    "SIGTERM to itself": "import os, signal; os.kill(os.getpid(), signal.SIGTERM)",
    "SIGINT to itself": "import os, signal; os.kill(os.getpid(), signal.SIGINT)",
    "a signal that is refused": """
        import os, traceback
        print(os.kill(os.getpid(), 0))
        def poke():
            os.kill(os.getpid(), 9999)
        try:
            poke()
        except OSError:
            traceback.print_exc()
        os.kill("a", 1)
    """,
    "a handler and its frame": """
        import os, signal, sys, traceback
        def handler(number, frame):
            print(number, frame.f_code.co_name, frame.f_lineno)
            traceback.print_stack(frame)
            raise SystemExit(9)
        print(signal.getsignal(signal.SIGTERM))
        print(signal.signal(signal.SIGTERM, handler))
        def go():
            os.kill(os.getpid(), signal.SIGTERM)
        go()
    """,
    "a handler taken back": """
        import os, signal
        signal.signal(signal.SIGTERM, lambda *a: print("no"))
        print(signal.signal(signal.SIGTERM, signal.SIG_DFL) is not None)
        os.kill(os.getpid(), signal.SIGTERM)
    """,
    "a hook of its own": """
        import sys
        print(sys.excepthook is sys.__excepthook__, sys.unraisablehook is sys.__unraisablehook__)
        def hook(kind, value, trace):
            print("mine", kind.__name__, value)
        sys.excepthook = hook
        1 / 0
    """,
    "a thread's error": """
        import threading
        print(threading.active_count(), [t.name for t in threading.enumerate()])
        print(threading.excepthook is threading.__excepthook__)
        def work():
            [].pop()
        thread = threading.Thread(target=work, name="worker")
        thread.start()
        thread.join()
    """,
    "an unraisable error": """
        class A:
            def __del__(self):
                raise ValueError("late")
        a = A()
        del a
        print("on")
    """,
    "an import that fails": """
        import sys, pathlib
        pathlib.Path("tensorflow.py").write_text("import nothing_like_this\\n")
        sys.path.insert(0, ".")
        import tensorflow
    """,
    "a deep recursion": """
        def down(n):
            return down(n + 1)
        down(0)
    """,
    "a deep recursion, caught": """
        deepest = 0
        def down(n):
            global deepest
            deepest = n
            down(n + 1)
        try:
            down(0)
        except RecursionError:
            print(deepest)
    """,
    "closed descriptors": """
        import os
        os.closerange(3, 4096)
        print(open(__file__).read()[:9])
        raise RuntimeError("after")
    """,
    "another directory": """
        import os
        os.mkdir("elsewhere")
        os.chdir("elsewhere")
        os.rmdir(os.getcwd())
        raise RuntimeError("nowhere")
    """,
    "forks": """
        import os, sys, warnings
        warnings.simplefilter("always")
        for n in range(3):
            pid = os.fork()
            if pid == 0:
                sys.exit(n)
            print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
    """,
    "exec": """
        import os, sys
        if len(sys.argv) == 1:
            os.execv(sys.executable, [sys.executable, __file__, "again"])
        print(sys.argv[1:])
        os.execvp("no-such-command", ["no-such-command"])
    """,
    "children of multiprocessing": """
        import multiprocessing, sys
        def work(n):
            if n == 2:
                raise ValueError(n)
            if n == 3:
                sys.exit(7)
        if __name__ == "__main__":
            for way in ("fork", "spawn", "forkserver"):
                context = multiprocessing.get_context(way)
                for n in (1, 2, 3):
                    process = context.Process(target=work, args=(n,), name=f"{way}-{n}")
                    process.start()
                    process.join()
                    print(way, n, process.exitcode)
    """,
    "a pool": """
        import concurrent.futures
        def square(n):
            return n * n
        if __name__ == "__main__":
            with concurrent.futures.ProcessPoolExecutor(2) as pool:
                print(list(pool.map(square, range(5))))
    """,
    "subprocesses": """
        import subprocess, sys
        done = subprocess.run([sys.executable, "-c", "import sys; print('hi'); sys.exit(5)"], capture_output=True)
        print(done)
        print(subprocess.run([sys.executable, "-I", "-c", "print(1/0)"], capture_output=True).returncode)
    """,
    "the look of things": """
        import copy, gc, inspect, os, pickle, sys
        print("sitecustomize" in sys.modules, [p for p in sys.path if "bootstrap" in p])
        print(sys.exit, os._exit, os.kill, sys.exit.__name__, sys.exit.__doc__[:20], callable(os.abort))
        print(inspect.signature(sys.exit), inspect.signature(os.kill), copy.deepcopy(os._exit) is os._exit)
        print([pickle.loads(pickle.dumps(f)) is f for f in (sys.exit, os.kill, os._exit)])
        print(gc.isenabled(), sorted(map(str, gc.callbacks)))
        print(os.kill(os.getpid(), 0), [n for n in os.listdir() if n != "program.py"])
    """,
    "a module like one of ours": """
        import pathlib, subprocess, sys
        if len(sys.argv) == 1:
            for name in ("secrets", "uuid", "records", "platform", "decimal"):
                pathlib.Path(name + ".py").write_text("mine = True\\n")
            sys.exit(subprocess.run([sys.executable, __file__, "again"]).returncode)
        import decimal, platform, records, secrets, uuid
        print([getattr(m, "mine", False) for m in (decimal, platform, records, secrets, uuid)])
    """,
    "no standard streams": """
        import os, sys
        sys.stdout.flush()
        os.close(1)
        os.close(2)
        sys.stdout = sys.stderr = None
        raise ValueError("unheard")
    """,
    "an orderly end": """
        import atexit
        atexit.register(print, "bye")
        print("hello")
    """,
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_program_does_not_notice(name: str, tmp_path: Path) -> None:
    directory = tmp_path / "work"
    path = child.write(directory, PROGRAMS[name])
    before = set(directory.iterdir())
    expected = child.plain(path, cwd=directory)
    for left in set(directory.iterdir()) - before:
        left.rmdir() if left.is_dir() else left.unlink()
    recorded = child.inside(path, cwd=directory, run=tmp_path / "run")
    assert _without_addresses(recorded.ended) == _without_addresses(expected)
    assert recorded.all(InternalError) == []


def _without_addresses(ended: child.Ended) -> child.Ended:
    return ended._replace(stderr=re.sub("0x[0-9a-f]+", "0x", ended.stderr))


def test_a_module_is_interrupted_as_without_us(tmp_path: Path) -> None:
    child.write(tmp_path, "import os, signal; os.kill(os.getpid(), signal.SIGINT)")
    expected = child.plain("-m", "program", cwd=tmp_path)
    assert child.inside("-m", "program", cwd=tmp_path, run=tmp_path / "run").ended == expected


def test_a_sitecustomize_of_the_users_own_still_runs(tmp_path: Path) -> None:
    theirs = tmp_path / "theirs"
    child.write(theirs, "import sys; sys.mark = 'set'; print('site')", "sitecustomize.py")
    path = child.write(tmp_path, "import sys, sitecustomize; print(sys.mark, sitecustomize.__file__); sys.exit(2)")
    expected = child.plain(path, cwd=tmp_path, env={"PYTHONPATH": str(theirs)})
    both = f"{child.BOOTSTRAP}:{theirs}"
    recorded = child.inside(path, cwd=tmp_path, run=tmp_path / "run", env={"PYTHONPATH": both})
    assert expected.stdout.startswith("site\nset ")
    assert recorded.ended == expected


def test_a_sitecustomize_that_fails_fails_as_without_us(tmp_path: Path) -> None:
    theirs = tmp_path / "theirs"
    child.write(theirs, "raise ValueError('broken')", "sitecustomize.py")
    path = child.write(tmp_path, "print('on')")
    expected = child.plain(path, cwd=tmp_path, env={"PYTHONPATH": str(theirs)})
    recorded = child.inside(path, cwd=tmp_path, run=tmp_path / "run", env={"PYTHONPATH": f"{child.BOOTSTRAP}:{theirs}"})
    assert "broken" in expected.stderr
    assert recorded.ended == expected
    assert recorded.entries()


@pytest.mark.parametrize("flag", ["-I", "-S", "-E"])
def test_flags_that_keep_us_out_keep_us_out(flag: str, tmp_path: Path) -> None:
    path = child.write(tmp_path, "print('on')")
    recorded = child.inside(flag, path, cwd=tmp_path, run=tmp_path / "run")
    assert recorded.ended == (0, "on\n", "")
    assert recorded.entries() == []


def test_a_run_directory_that_is_gone_or_closed_changes_nothing(tmp_path: Path) -> None:
    path = child.write(tmp_path, "print('on')")
    gone = {"PYTHONPATH": str(child.BOOTSTRAP), "WHYDIED_RUN": str(tmp_path / "nowhere")}
    assert child.plain(path, cwd=tmp_path, env=gone) == (0, "on\n", "")
    (tmp_path / "file").touch()
    strange = {"PYTHONPATH": str(child.BOOTSTRAP), "WHYDIED_RUN": str(tmp_path / "file")}
    assert child.plain(path, cwd=tmp_path, env=strange) == (0, "on\n", "")


def test_the_spec_of_a_module_prints_as_without_us(tmp_path: Path) -> None:
    program = """
        import importlib.util
        spec = importlib.util.find_spec("keras")
        print(repr(spec).split(",")[0], type(spec).__qualname__, type(spec).__module__)
    """
    path = child.write(tmp_path, program)
    child.write(tmp_path, "", "keras.py")
    recorded = child.inside(path, cwd=tmp_path, run=tmp_path / "run")
    assert recorded.ended == child.plain(path, cwd=tmp_path)
    assert recorded.ended.stdout.startswith("ModuleSpec(name='keras'")


def test_a_directory_whose_name_is_not_utf8(tmp_path: Path) -> None:
    """The line is recorded, with the name as far as UTF-8 can hold it."""
    directory = Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9"))
    path = child.write(directory, "import sys\n\nsys.exit(3)\n")
    recorded = child.inside(path, cwd=directory, run=tmp_path / "run")
    assert recorded.ended == child.plain(path, cwd=directory)
    assert recorded.all(InternalError) == []
    shown = str(tmp_path / "caf\\udce9" / "program.py")
    assert recorded.one(MainFound).file == shown
    (frame,) = recorded.one(ExitRequested).frames
    assert (frame.file, frame.line, frame.user) == (shown, 3, True)
