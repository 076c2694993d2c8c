"""The commands on terminals of every width and kind, and in pipes of other encodings: real terminals, real pipes.

One interpreter runs all commands on one terminal, each as `whydied` would, because starting eighty takes minutes.
"""

from __future__ import annotations

import fcntl
import itertools
import json
import os
import pty
import re
import struct
import subprocess
import sys
import termios
from pathlib import Path

import pytest
from tests.handmade import RUN_ID, recorded_run
from tests.layers import varied
from tests.stored import stored_run

WIDTHS = (40, 60, 80, 100, 200)
LONG_ID = "20250111-101010-activations-of-one-picture-a0b1c2"
SHORT_ID = "20250112-101010-accumulates-for-ever-d3e4f5"
DRIVER = """
import json, os, sys
from whydied.cli import main
for number, words in enumerate(json.loads(sys.argv[1])):
    status = main(words)
    sys.stdout.flush(); sys.stderr.flush()
    os.write(1, f"<<{number}:{status}>>\\n".encode())
"""
COMMANDS: dict[str, list[str]] = {
    "help": ["--help"],
    "help of run": ["run", "--help"],
    "help of kernel install": ["kernel", "install", "--help"],
    "runs": ["runs", "--runs", "RUNS"],
    "show": ["show", "a0b1c2", "--runs", "RUNS"],
    "show all": ["show", "d3e4f5", "--all", "--runs", "RUNS"],
    "fixes": ["fix", "--list", "a0b1c2", "--runs", "RUNS"],
    "contract": ["contract", "d3e4f5", "--runs", "RUNS"],
    "explain": ["explain"],
    "explain one": ["explain", "MEM001"],
    "diff": ["diff", "d3e4f5", "a0b1c2", "--runs", "RUNS"],
    "lint": ["lint", "PROJECT/tests/programs/leaks"],
    "doctor": ["doctor", "--runs", "RUNS"],
    "kernels": ["kernel", "list", "--prefix", "RUNS"],
    "no such run": ["show", "nosuch", "--runs", "RUNS"],
    "no such command": ["shw"],
    "no such option": ["runs", "--kep-days", "3"],
}
NOT_WORDS = re.compile(r"[│━─|]")


def environment(**given: str) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if name in ("PATH", "PYTHONPATH", "LD_LIBRARY_PATH")}
    return {**kept, **given}


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two runs with causes, whose reports are made."""
    runs = tmp_path_factory.mktemp("r") / "runs"
    stored_run(runs, "memory/activations_of_one_picture", LONG_ID)
    stored_run(runs, "numerics/accumulates_for_ever", SHORT_ID)
    for run in (LONG_ID, SHORT_ID):
        subprocess.run(
            [sys.executable, "-m", "whydied", "show", run, "--runs", str(runs)],
            env=environment(),
            capture_output=True,
            check=True,
            timeout=120,
        )
    return runs


def commands(runs: Path, project: Path) -> list[list[str]]:
    replaced = {"RUNS": str(runs), "PROJECT": str(project)}
    return [
        [re.sub("RUNS|PROJECT", lambda found: replaced[found[0]], word) for word in words]
        for words in COMMANDS.values()
    ]


def parts(printed: str) -> dict[str, tuple[str, int]]:
    """What each command printed, and its status."""
    pieces = re.split(r"<<(\d+):(\d+)>>\n", printed.replace("\r\n", "\n"))
    names = list(COMMANDS)
    return {
        names[int(number)]: (text, int(status))
        for text, number, status in zip(pieces[::3], pieces[1::3], pieces[2::3], strict=False)
    }


def on_terminal(words: list[list[str]], columns: int, cwd: Path, **extra: str) -> str:
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    with subprocess.Popen(
        [sys.executable, "-c", DRIVER, json.dumps(words)],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        cwd=cwd,
        env=environment(**{"TERM": "xterm-256color", **extra}),
    ):
        os.close(theirs)
        received = b""
        try:
            while chunk := os.read(ours, 65536):
                received += chunk
        except OSError:
            pass
        os.close(ours)
    return received.decode()


def unstyled(text: str) -> str:
    # A line that was drawn and taken away again was not printed.
    text = re.sub(r"[^\n]*\r\x1b\[2K", "", text)
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text)


def broken_words(lines: list[str], whole: set[str], columns: int) -> list[str]:
    """Words of a wide terminal that a narrow one shows on two lines although a line would hold them."""
    found = []
    for first, second in itertools.pairwise(lines):
        if first.split() and second.split():
            joined = first.split()[-1] + second.split()[0]
            if joined in whole and len(joined) < columns * 2 // 3:
                found.append(joined)
    return found


class Printed:
    """By width, what each command printed; every one ended as it should have. A width is tried when it is asked for."""

    def __init__(self, words: list[list[str]], cwd: Path) -> None:
        self._words, self._cwd = words, cwd
        self._found: dict[int, dict[str, str]] = {}

    def __getitem__(self, columns: int) -> dict[str, str]:
        if columns not in self._found:
            told = parts(unstyled(on_terminal(self._words, columns, self._cwd)))
            assert list(told) == list(COMMANDS)
            expected = {"diff": 1, "lint": 1, "no such run": 2, "no such command": 2, "no such option": 2}
            assert {name: status for name, (_, status) in told.items()} == {
                name: expected.get(name, 0) for name in COMMANDS
            }
            self._found[columns] = {name: text for name, (text, _) in told.items()}
        return self._found[columns]


@pytest.fixture(scope="module")
def printed(stored: Path, project: Path, tmp_path_factory: pytest.TempPathFactory) -> Printed:
    return Printed(commands(stored, project), tmp_path_factory.mktemp("cwd"))


@pytest.mark.parametrize("columns", varied(WIDTHS, 60))
def test_no_line_is_wider_than_the_terminal(printed: Printed, columns: int) -> None:
    for name, text in printed[columns].items():
        assert "Traceback" not in text, name
        for line in text.splitlines():
            # A word of a command that a line cannot hold stays whole: whoever copies it needs it so.
            alone = len(line.split()) <= 2 and line.strip().removesuffix("\\").strip().startswith(("/", "--runs"))
            assert len(line) <= columns or alone, (name, line)


@pytest.mark.parametrize("columns", varied(WIDTHS[:-1], 60))
def test_no_word_is_broken_that_fits(printed: Printed, columns: int) -> None:
    for name, text in printed[columns].items():
        wide = {word for word in printed[200][name].split() if not NOT_WORDS.search(word)}
        assert broken_words(text.splitlines(), wide, columns) == [], name


def test_the_check_of_broken_words_can_fail() -> None:
    assert broken_words(["a  gradie", "   nt-acc"], {"gradient-acc"}, 60) == ["gradient-acc"]


@pytest.mark.parametrize("columns", varied(WIDTHS, 60))
def test_every_width_tells_the_cause(printed: Printed, columns: int) -> None:
    text = printed[columns]["runs"]
    for word in ("MEM026", "row-too-large", "NUM011", "gradient-accumulation-unbounded", "died", "finished"):
        assert word in text.split() or f"{word}," in text.split(), word
    ends = [run.rpartition("-")[2] for run in (LONG_ID, SHORT_ID)]
    assert all(end in text for end in ends)
    assert "whydied explain MEM026" in printed[columns]["show"]


def test_no_colour_where_none_is_wanted(stored: Path, project: Path, tmp_path: Path) -> None:
    words = commands(stored, project)
    coloured = r"\x1b\[(?:\d+;)*(?:3[0-7]|9[0-7]|38;[\d;]+)m"
    assert re.search(coloured, on_terminal(words, 80, tmp_path))
    assert not re.search(coloured, on_terminal(words, 80, tmp_path, NO_COLOR="1"))


def test_a_dumb_terminal_gets_no_control(stored: Path, project: Path, tmp_path: Path) -> None:
    assert "\x1b" not in on_terminal(commands(stored, project), 80, tmp_path, TERM="dumb")


ENCODINGS = {
    "ascii": {"PYTHONIOENCODING": "ascii"},
    "latin-1": {"PYTHONIOENCODING": "latin-1"},
    "C": {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
}


@pytest.mark.parametrize("kind", varied(ENCODINGS, next(iter(ENCODINGS))))
def test_a_pipe_of_another_encoding(kind: str, stored: Path, project: Path, tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    recorded_run(runs, argv=["träin.py", "模型", "→"], name="été")
    words = [*commands(stored, project), ["show", "--runs", str(runs), "--all"], ["runs", "--runs", str(runs)]]
    words += [["show", "--runs", str(runs), "--json"], ["runs", "--json", "--runs", str(runs)]]
    done = subprocess.run(
        [sys.executable, "-c", DRIVER, json.dumps(words)],
        cwd=tmp_path,
        env=environment(**ENCODINGS[kind]),
        capture_output=True,
        check=True,
        timeout=300,
    )
    encoding = "latin-1" if kind == "latin-1" else "ascii"
    told = done.stdout.decode(encoding)
    assert "Traceback" not in told + done.stderr.decode(encoding)
    assert "internal error" not in told + done.stderr.decode(encoding)
    *_, listed, report, table, _ = re.split(r"<<\d+:\d+>>\n", told)
    assert ("été" in listed) == (kind == "latin-1")
    assert json.loads(report)["run"]["argv"] == ["träin.py", "模型", "→"]
    assert json.loads(table)["runs"][0]["name"] == "été"


def test_a_pipe_gets_one_line_per_run(stored: Path, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "whydied", "runs", "--runs", str(stored)],
        env=environment(),
        capture_output=True,
        check=True,
    )
    lines = done.stdout.decode().splitlines()
    assert len(lines) == 3
    assert all(word in lines[1] for word in (LONG_ID, "died", "MEM026 row-too-large"))


def test_what_takes_long_is_told_at_a_terminal_and_nowhere_else(tmp_path: Path) -> None:
    run = recorded_run(tmp_path / "runs")
    # Reading a pipe that nobody writes to waits for ever; the stream of a run is read first.
    slow = run.streams / "process-1-0.key.000000.rec"
    os.mkfifo(slow)
    words = ["show", RUN_ID, "--runs", str(tmp_path / "runs")]
    shown = _while_it_waits(words, slow, b"making the report from the recording (", TERM="xterm")
    assert shown.count(b"\r\x1b[2K") >= 2
    assert b"exited on its own" in shown.rpartition(b"\x1b[2K")[2]
    run.report.unlink()
    dumb = _while_it_waits(words, slow, b"whydied: making the report from the recording\r\n", TERM="dumb")
    assert b"\x1b" not in dumb


def _while_it_waits(words: list[str], slow: Path, awaited: bytes, **extra: str) -> bytes:
    """All that a terminal received; the pipe is ended once what is awaited was there."""
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "whydied", *words]
    with subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, env=environment(**extra)) as process:
        os.close(theirs)
        received = b""
        try:
            while awaited not in received:
                received += os.read(ours, 65536)
            os.close(os.open(slow, os.O_WRONLY))
            while chunk := os.read(ours, 65536):
                received += chunk
        except OSError:
            pass
        finally:
            os.close(ours)
            process.kill()
    return received
