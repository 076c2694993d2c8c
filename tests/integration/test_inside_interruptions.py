"""What the program does with signals, descriptors, interpreters and odd values is as it would be without us."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests import child

from whydied.records import ExceptionRaised, InternalError, ProcessBegan, RaisedException


def _alike(tmp_path: Path, program: str) -> child.Recorded:
    """The program, seen to do the same with and without the recorder."""
    path = child.write(tmp_path, program)
    expected = child.plain(path, cwd=tmp_path)
    recorded = child.inside(path, cwd=tmp_path, run=tmp_path / "run")
    assert recorded.ended == expected
    assert recorded.all(InternalError) == []
    return recorded


def _raised(recorded: child.Recorded) -> RaisedException:
    return recorded.one(ExceptionRaised).chain[0]


def test_an_alarm_that_goes_off_in_our_code_is_the_programs(tmp_path: Path) -> None:
    program = """
        import signal, sys, warnings

        def late(number, frame):
            raise TimeoutError("late")

        signal.signal(signal.SIGALRM, late)
        if "whydied.inside.journal" in sys.modules:
            sys.modules["whydied.inside.journal"].Journal.write = lambda *_: signal.raise_signal(signal.SIGALRM)
        try:
            warnings.warn("as the program wants")
        except TimeoutError:
            print("timed out in time")
    """
    path = child.write(tmp_path, program)
    recorded = child.inside(path, cwd=tmp_path, run=tmp_path / "run")
    assert recorded.ended == (0, "timed out in time\n", "")
    assert recorded.all(InternalError) == []


def test_the_programs_handler_outlives_our_descriptor(tmp_path: Path) -> None:
    program = """
        import os, signal, sys, time

        def leave(number, frame):
            os.write(1, b"handled")
            sys.exit(5)

        signal.signal(signal.SIGTERM, leave)
        os.closerange(3, 4096)
        # More than one round of our chores, which find the descriptor gone.
        time.sleep(2.5)
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(5)
    """
    recorded = _alike(tmp_path, program)
    assert (recorded.ended.status, recorded.ended.stdout) == (5, "handled")


def test_subinterpreters_are_left_alone(tmp_path: Path) -> None:
    program = """
        try:
            import _interpreters as interpreters
        except ImportError:
            import _xxsubinterpreters as interpreters
        for _ in range(6):
            one = interpreters.create()
            interpreters.run_string(one, "import sys, os; os.write(1, b'%d ' % ('whydied' in sys.modules))")
            interpreters.destroy(one)
        print("destroyed", flush=True)
    """
    recorded = _alike(tmp_path, program)
    assert recorded.ended.stdout == "0 " * 6 + "destroyed\n"
    assert recorded.one(ProcessBegan)
    assert list((recorded.run / "faults").iterdir()) == []


def test_start_in_a_subinterpreter_does_nothing(tmp_path: Path) -> None:
    inner = f"""
try:
    from whydied.inside import recorder
except ImportError:
    pass  # An interpreter with a lock of its own cannot load the modules that we need.
else:
    recorder.begin_at({str(tmp_path)!r}, "start")
    assert recorder._recorder is None
"""
    program = f"""
        try:
            import _interpreters as interpreters
        except ImportError:
            import _xxsubinterpreters as interpreters
        one = interpreters.create()
        interpreters.run_string(one, {inner!r})
        interpreters.destroy(one)
        print("destroyed")
    """
    assert child.plain(child.write(tmp_path, program), cwd=tmp_path) == (0, "destroyed\n", "")


@pytest.mark.parametrize(
    "value",
    [
        "__import__('unittest.mock').mock.MagicMock(spec=dict)",
        "Proxy()",
    ],
)
def test_a_proxy_among_the_locals_costs_no_exception(value: str, tmp_path: Path) -> None:
    program = f"""
        class Proxy:
            __class__ = dict

        def work():
            settings = {value}
            count = 3
            raise ValueError("wrong")

        work()
    """
    raised = _raised(_alike(tmp_path, program))
    assert raised.type == "ValueError"
    assert {"settings", "count"} <= {local.name for local in raised.frames[-1].locals}


def test_the_parser_prints_no_warning_of_ours(tmp_path: Path) -> None:
    """The program runs from its compiled file, so that only we parse its source."""
    path = child.write(tmp_path, 'pattern = "\\d"\nraise ValueError(pattern)\n', "late.py")
    program = child.write(
        tmp_path, "import warnings\nwarnings.simplefilter('ignore')\nimport late_loader\n", "program.py"
    )
    child.write(
        tmp_path,
        f"""
        import warnings
        code = compile(open({str(path)!r}).read(), {str(path)!r}, "exec")
        warnings.resetwarnings()
        warnings.simplefilter("always")
        exec(code)
        """,
        "late_loader.py",
    )
    expected = child.plain(program, cwd=tmp_path)
    recorded = child.inside(program, cwd=tmp_path, run=tmp_path / "run")
    assert "invalid escape" not in expected.stderr
    assert recorded.ended == expected
    assert _raised(recorded).type == "ValueError"


def test_notes_and_file_names_are_searched_for_secrets(tmp_path: Path) -> None:
    program = """
        error = FileNotFoundError(2, "missing", "/data/x?token=abcdef99")
        error.__notes__ = ["with password=hunter22"]
        raise error
    """
    path = child.write(tmp_path, program)
    raised = _raised(child.inside(path, cwd=tmp_path, run=tmp_path / "run"))
    assert raised.filename == "/data/x?token=<redacted>"
    assert raised.notes == ["with password=<redacted>"]
