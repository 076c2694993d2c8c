"""The output of a program under whydied is the program's: byte for byte, in order, on the same kind of file."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests import session

from whydied.records import OutputWritten

WRITES = """
import os
for number in range(40):
    os.write(1, b"out %d\\n" % number)
    os.write(2, b"err %d\\r\\n" % number)
    os.write(1, b"progress\\r")
    os.write(2, bytes(range(1, 256)).replace(b"\\x04", b"") + b"\\n\\n\\r\\r\\n\\t|")
os.write(1, b"long " + b"0123456789\\n" * 30000)
os.write(2, b"no newline at the end")
"""

DESCRIBES = """
import os, sys, termios, time
def described(fd):
    words = [str(os.isatty(fd))]
    if os.isatty(fd):
        words.append(str(termios.tcgetattr(fd)))
        words.append(str(tuple(os.get_terminal_size(fd))))
    return " ".join(words)
with open("described.txt", "w") as file:
    for fd in (0, 1, 2):
        file.write(described(fd) + "\\n")
    file.write(sys.stdout.encoding + str(sys.stdout.line_buffering) + str(sys.stderr.line_buffering))
print("printed")
print("complained", file=sys.stderr)
"""


def both_ways(tmp_path: Path, source: str) -> list[tuple[Path, list[str]]]:
    """A directory and a command line without us, and with us."""
    ways = []
    for name in ("plain", "recorded"):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "program.py").write_text(source)
        runs = tmp_path / "runs"
        argv = [sys.executable, "program.py"] if name == "plain" else session.whydied_run(runs, "program.py")
        ways.append((folder, argv))
    return ways


@pytest.mark.parametrize("source", [WRITES, DESCRIBES], ids=["bytes", "kinds"])
def test_one_terminal(tmp_path: Path, source: str) -> None:
    screens, described = [], []
    for folder, argv in both_ways(tmp_path, source):
        with session.terminal(argv, folder) as terminal:
            assert terminal.finish() == 0
            screens.append(terminal.output)
        described.append((folder / "described.txt").read_text() if source is DESCRIBES else "")
    assert screens[0] == screens[1]
    assert described[0] == described[1]


@pytest.mark.parametrize("source", [WRITES, DESCRIBES], ids=["bytes", "kinds"])
def test_one_pipe(tmp_path: Path, source: str) -> None:
    outputs = []
    for folder, argv in both_ways(tmp_path, source):
        done = subprocess.run(
            argv, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
        )
        outputs.append((done.returncode, done.stdout))
    assert outputs[0] == outputs[1]


def test_one_file(tmp_path: Path) -> None:
    outputs = []
    for folder, argv in both_ways(tmp_path, WRITES):
        with open(folder / "log", "ab") as log:
            log.write(b"kept\n")
            log.flush()
            subprocess.run(argv, cwd=folder, stdin=subprocess.DEVNULL, stdout=log, stderr=log, check=True)
        outputs.append((folder / "log").read_bytes())
    assert outputs[0] == outputs[1]


@pytest.mark.parametrize("source", [WRITES, DESCRIBES], ids=["bytes", "kinds"])
def test_two_pipes(tmp_path: Path, source: str) -> None:
    outputs = []
    for folder, argv in both_ways(tmp_path, source):
        done = subprocess.run(argv, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True)
        outputs.append((done.returncode, done.stdout, done.stderr))
    assert outputs[0] == outputs[1]


@pytest.mark.parametrize("to_file", [1, 2], ids=["stdout", "stderr"])
def test_terminal_and_file(tmp_path: Path, to_file: int) -> None:
    seen = []
    for folder, argv in both_ways(tmp_path, DESCRIBES + WRITES):
        with open(folder / "log", "wb") as log:
            streams = {"stdout": log.fileno()} if to_file == 1 else {"stderr": log.fileno()}
            with session.terminal(argv, folder, **streams) as terminal:
                assert terminal.finish() == 0
                seen.append((terminal.output, (folder / "described.txt").read_text(), (folder / "log").read_bytes()))
    assert seen[0] == seen[1]


def test_stdout_file_is_the_very_same(tmp_path: Path) -> None:
    """A program may seek in the file that it was given."""
    source = "import sys\nsys.stdout.write('abc'); sys.stdout.flush(); sys.stdout.seek(0); sys.stdout.write('X')"
    for folder, argv in both_ways(tmp_path, source):
        with open(folder / "log", "wb") as log:
            subprocess.run(argv, cwd=folder, stdin=subprocess.DEVNULL, stdout=log, check=True)
        assert (folder / "log").read_bytes() == b"Xbc"


def test_output_appears_at_once(tmp_path: Path, runs: Path) -> None:
    """A program that waits for an answer to what it wrote gets it."""
    (tmp_path / "asks.py").write_text("print(input('name? ').upper())")
    with session.terminal(session.whydied_run(runs, "asks.py"), tmp_path) as terminal:
        terminal.expect(b"name? ")
        terminal.type(b"ada\n")
        terminal.expect(b"ADA")
        assert terminal.finish() == 0


def test_standard_input_from_a_pipe(tmp_path: Path, runs: Path) -> None:
    (tmp_path / "reads.py").write_text("import sys\nprint(len(sys.stdin.buffer.read()))")
    data = os.urandom(300_000)
    done = subprocess.run(session.whydied_run(runs, "reads.py"), cwd=tmp_path, input=data, capture_output=True)
    assert (done.returncode, done.stdout) == (0, b"300000\n")


def test_end_of_input_at_the_terminal(tmp_path: Path, runs: Path) -> None:
    (tmp_path / "reads.py").write_text("import sys\nprint(sys.stdin.read().upper(), 'end')")
    with session.terminal(session.whydied_run(runs, "reads.py"), tmp_path) as terminal:
        terminal.type(b"some words\n\x04")
        terminal.expect(b"SOME WORDS\r\n end")
        assert terminal.finish() == 0


def test_single_keys(tmp_path: Path, runs: Path) -> None:
    """Settings that the program makes on its output side reach the real terminal, as `curses` needs."""
    source = "import os, tty\ntty.setcbreak(1)\nos.write(1, b'ready ')\nprint(os.read(0, 1))"
    (tmp_path / "keys.py").write_text(source)
    with session.terminal(session.whydied_run(runs, "keys.py"), tmp_path) as terminal:
        terminal.expect(b"ready ")
        terminal.type(b"k")
        terminal.expect(b"b'k'")
        assert terminal.finish() == 0


def test_window_size_follows(tmp_path: Path, runs: Path) -> None:
    source = """
import os, select, signal
signal.signal(signal.SIGWINCH, lambda *_: os.write(1, b"now %d %d " % tuple(os.get_terminal_size(1))))
os.write(1, b"first %d %d " % tuple(os.get_terminal_size(1)))
while not select.select([0], [], [], 0.05)[0]:
    pass
"""
    (tmp_path / "size.py").write_text(source)
    with session.terminal(session.whydied_run(runs, "size.py"), tmp_path) as terminal:
        terminal.expect(b"first 97 31")
        terminal.resize(20, 55)
        terminal.expect(b"now 55 20")
        terminal.type(b"\n")
        assert terminal.finish() == 0


def test_reader_that_goes_away(tmp_path: Path) -> None:
    """`… | head -1`: the program dies of SIGPIPE, not of us, and it does not write on for ever."""
    source = "import os, signal\nsignal.signal(signal.SIGPIPE, signal.SIG_DFL)\nwhile True: os.write(1, b'line\\n')"
    for folder, argv in both_ways(tmp_path, source):
        with session.started(argv, folder) as process:
            assert session.read_line(process) == b"line\n"
            assert process.stdout is not None
            process.stdout.close()
            process.stdout = None
            assert process.wait(session.PATIENCE_S) in (-13, 141)


def test_last_words_are_recorded(tmp_path: Path, runs: Path) -> None:
    (tmp_path / "dies.py").write_text("import os\nos.write(1, b'result')\nos.write(2, b'last words')\nos.abort()")
    done = subprocess.run(
        session.whydied_run(runs, "dies.py"), cwd=tmp_path, stdin=subprocess.DEVNULL, capture_output=True
    )
    assert done.returncode == 134
    written = session.records(runs, OutputWritten)
    assert b"".join(record.data for record in written) == b"last words"  # type: ignore[attr-defined]


def test_descendant_that_keeps_the_pipe(tmp_path: Path, runs: Path) -> None:
    """It neither delays us nor dies because of us."""
    source = """
import subprocess
subprocess.Popen(["sh", "-c", "while [ ! -e go ]; do sleep 0.05; done; echo later; echo alive > proof"])
print("done")
"""
    (tmp_path / "leaves.py").write_text(source)
    done = subprocess.run(
        session.whydied_run(runs, "leaves.py"),
        cwd=tmp_path,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=session.PATIENCE_S,
    )
    assert (done.returncode, done.stdout) == (0, b"done\n")
    (tmp_path / "go").touch()
    session.wait_until((tmp_path / "proof").exists, "the descendant's proof of life")


def test_descendant_writes_on_into_a_file(tmp_path: Path, runs: Path) -> None:
    source = """
import subprocess
subprocess.Popen(["sh", "-c", "while [ ! -e go ]; do sleep 0.05; done; echo later"])
print("done", flush=True)
"""
    (tmp_path / "leaves.py").write_text(source)
    with open(tmp_path / "log", "wb") as log:
        argv = session.whydied_run(runs, "leaves.py")
        subprocess.run(argv, cwd=tmp_path, stdin=subprocess.DEVNULL, stdout=log, stderr=log, check=True)
    assert (tmp_path / "log").read_bytes() == b"done\n"
    (tmp_path / "go").touch()
    session.wait_until(lambda: (tmp_path / "log").read_bytes() == b"done\nlater\n", "the descendant's later line")


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_closed_standard_streams(tmp_path: Path, closed: str) -> None:
    source = """
import os
def state(fd):
    try:
        return oct(os.fstat(fd).st_mode)
    except OSError:
        return "closed"
states = state(0) + state(1) + state(2)
with open("states", "w") as file:
    file.write(states)
raise SystemExit(5)
"""
    for folder, argv in both_ways(tmp_path, source):
        command = " ".join(f"'{word}'" for word in argv)
        done = subprocess.run(
            ["sh", "-c", f"{command} {closed}"], cwd=folder, stdin=subprocess.DEVNULL, capture_output=True
        )
        assert done.returncode == 5
    states = [(tmp_path / name / "states").read_text() for name in ("plain", "recorded")]
    assert states[0] == states[1]


def test_program_that_closes_every_descriptor(tmp_path: Path, runs: Path) -> None:
    (tmp_path / "closes.py").write_text("import os, time\nos.closerange(0, 256)\ntime.sleep(0.2)\nos._exit(7)")
    done = subprocess.run(session.whydied_run(runs, "closes.py"), cwd=tmp_path, capture_output=True, timeout=60)
    assert done.returncode == 7
