"""Printed tracebacks, made by the real interpreter."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from whydied.read.tracebacks import last_traceback


def printed(tmp_path: Path, source: str) -> str:
    script = tmp_path / "script.py"
    script.write_text(source)
    return subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=False, timeout=60).stderr


def test_a_plain_exception(tmp_path: Path) -> None:
    text = printed(tmp_path, "def f(x):\n    return 1 / x\n\nf(0)\n")
    (found,) = last_traceback("some words before\n" + text)
    assert (found.type, found.module, found.message) == ("ZeroDivisionError", "builtins", "division by zero")
    assert [(frame.line, frame.function, frame.source) for frame in found.frames] == [
        (4, "<module>", "f(0)"),
        (2, "f", "return 1 / x"),
    ]
    assert all(frame.user for frame in found.frames)


@pytest.mark.parametrize(("how", "link"), [(" from error", "cause"), ("", "context")])
def test_a_chain_begins_with_the_exception_that_surfaced(tmp_path: Path, how: str, link: str) -> None:
    source = f"try:\n    {{}}['a']\nexcept KeyError as error:\n    raise RuntimeError('no a'){how}\n"
    found = last_traceback(printed(tmp_path, source))
    assert [(one.type, one.link) for one in found] == [("RuntimeError", link), ("KeyError", "")]


def test_only_the_last_one_counts(tmp_path: Path) -> None:
    source = "import traceback\ntry:\n    1/0\nexcept ZeroDivisionError:\n    traceback.print_exc()\nint('x')\n"
    (found,) = last_traceback(printed(tmp_path, source))
    assert (found.type, found.frames[-1].line) == ("ValueError", 6)


def test_a_syntax_error_has_no_traceback_line(tmp_path: Path) -> None:
    (found,) = last_traceback(printed(tmp_path, "x = 1\ny = (2\n"))
    assert (found.type, found.frames[-1].line) == ("SyntaxError", 2)


def test_frames_of_the_library_are_not_the_users(tmp_path: Path) -> None:
    (found,) = last_traceback(printed(tmp_path, "import json\njson.loads('{')\n"))
    assert [frame.user for frame in found.frames] == [True] + [False] * (len(found.frames) - 1)
    assert (found.type, found.module) == ("JSONDecodeError", "json.decoder")


@pytest.mark.parametrize("text", ["", "no error\n", "Traceback (most recent call last):\n", "\x00\xff" * 10])
def test_other_texts_give_nothing(text: str) -> None:
    assert last_traceback(text) == []
