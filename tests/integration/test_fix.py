"""`whydied fix` as a person uses it: a program fails, its fix is shown, written, and the program finishes."""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import nbformat
import pytest

from whydied.cli import main
from whydied.places import list_runs

Completed = subprocess.CompletedProcess[bytes]
Call = Callable[..., Completed]

PROGRAM = "import sizes\n\nvalues = {'a': sizes.of('a')}\nprint(1)\nprint(valeus)\n"
SIZES = "def of(name):\n    return len(name)\n"
RIGHT = PROGRAM.replace("valeus", "values")
TENSORFLOW = """\
import numpy as np
import keras

model = keras.Sequential([keras.layers.Input((4,)), keras.layers.Dense(3, activation="softmax")])
model.compile("sgd", "sparse_categorical_crossentropy")
x, y = np.ones((8, 4), "float32"), np.arange(8) % 5
model.fit(x, y, verbose=0)
print("trained")
"""


@pytest.fixture
def failed(whydied: Call, tmp_path: Path) -> Path:
    """A directory in which a program failed, that a change of one name fixes."""
    place = tmp_path / "my work"
    place.mkdir()
    (place / "train.py").write_text(PROGRAM)
    (place / "sizes.py").write_text(SIZES)
    assert whydied("run", "--no-trials", "--quiet", "train.py", cwd=place).returncode == 1
    return place


class Told(NamedTuple):
    returncode: int
    stdout: bytes
    stderr: bytes


@pytest.fixture
def fix(runs: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]) -> Callable[..., Told]:
    """`whydied fix` in this process."""
    monkeypatch.setenv("WHYDIED_RUNS", str(runs))

    def call(*words: str) -> Told:
        capfdbinary.readouterr()
        status = main(["fix", *words])
        return Told(status, *capfdbinary.readouterr())

    return call


def _judged(runs: Path, *verdicts: str) -> None:
    """The newest report as if its fixes had been tried; the first one stands there as often as there are verdicts."""
    path = list_runs(runs)[-1].report
    report = json.loads(path.read_bytes())
    first = report["fixes"][0]
    report["fixes"] = [
        {**first, "verdict": verdict, "title": f"{verdict} {at}"} for at, verdict in enumerate(verdicts, 1)
    ]
    path.write_text(json.dumps(report))


def test_a_fix_is_shown_written_tried_and_taken_back(whydied: Call, failed: Path) -> None:
    shown = whydied("fix")
    assert shown.returncode == 0
    assert shown.stdout.decode().splitlines()[:2] == ["--- a/train.py", "+++ b/train.py"]
    assert "-print(valeus)\n+print(values)\n" in shown.stdout.decode()
    words = shown.stderr.decode()
    assert words.startswith("Fix (not tried: `whydied prove` tries it): Write `values` instead of `valeus`.")
    assert "To write it: whydied fix --apply --untested" in words
    assert (failed / "train.py").read_text() == PROGRAM

    refused = whydied("fix", "--apply")
    assert refused.returncode == 1
    assert "was not tried on the program" in refused.stderr.decode()
    assert (failed / "train.py").read_text() == PROGRAM

    written = whydied("fix", "--apply", "--untested")
    assert written.returncode == 0
    assert f"Wrote {failed / 'train.py'}; the file as it was: {failed / 'train.py'}.whydied-backup" in (
        written.stdout.decode()
    )
    assert (failed / "train.py").read_text() == RIGHT
    assert (failed / "train.py.whydied-backup").read_text() == PROGRAM
    again = whydied("fix", "--apply", "--untested")
    assert (again.returncode, b"written already" in again.stderr) == (1, True)

    assert whydied("run", "--no-trials", "train.py", cwd=failed).returncode == 0
    # The newest run has nothing to fix; the fix that was written is that of an older one.
    assert whydied("fix").returncode == 1
    assert whydied("fix", "--undo").stdout.decode() == f"Restored {failed / 'train.py'}\n"
    assert sorted(path.name for path in failed.glob("*.py*")) == ["sizes.py", "train.py"]
    assert (failed / "train.py").read_text() == PROGRAM
    assert whydied("fix", "--undo").returncode == 1


@pytest.mark.parametrize("tool", [["patch", "-p1"], ["git", "apply"]])
def test_the_diff_applies_as_it_is_given(fix: Callable[..., Told], failed: Path, tool: list[str]) -> None:
    subprocess.run(tool, cwd=failed, input=fix().stdout, check=True)
    assert (failed / "train.py").read_text() == RIGHT


def test_a_file_in_its_own_encoding_is_patched_in_it(fix: Callable[..., Told], whydied: Call, tmp_path: Path) -> None:
    program = "# coding: latin-1\nname = 'größe'\nprint(nmae)\nprint('ende')"
    (tmp_path / "train.py").write_bytes(program.encode("latin-1"))
    assert whydied("run", "--no-trials", "--quiet", "train.py").returncode == 1
    done = fix()
    subprocess.run(["git", "apply", "-p1"], cwd=tmp_path, input=done.stdout, check=True)
    assert (tmp_path / "train.py").read_bytes() == program.replace("nmae", "name").encode("latin-1")


def test_a_file_that_changed_since_is_not_written(fix: Callable[..., Told], failed: Path) -> None:
    changed = PROGRAM.replace("print(1)", "print(2)")
    (failed / "train.py").write_text(changed)
    done = fix("--apply", "--untested")
    assert done.returncode == 1
    assert "was changed since the run: line 4 differs" in done.stderr.decode()
    assert "hint: run it again with `whydied run`" in done.stderr.decode()
    assert (failed / "train.py").read_text() == changed
    assert sorted(path.name for path in failed.glob("*.py*")) == ["sizes.py", "train.py"]


def test_proved_fixes_come_first_and_refuted_ones_are_not_offered(
    fix: Callable[..., Told], failed: Path, runs: Path
) -> None:
    _judged(runs, "refuted", "untested", "proved")
    listed = fix("--list").stdout.decode().splitlines()
    assert [re.split(r"\s{2,}", line.strip())[:2] for line in listed] == [[str(at), "PRC008"] for at in (1, 2, 3)]
    assert [line.rpartition(" (")[0].split()[2] for line in listed] == ["proved", "untested", "refuted"]
    assert "Fix 1 of 3 (proved): proved 3." in fix().stderr.decode()
    assert "Fix 2 of 3 (not tried" in fix("--number", "2").stderr.decode()
    assert "tried, it does not help" in fix("-n", "3").stderr.decode()
    assert fix("--number", "4").returncode == 2
    assert fix("--list", "--apply").returncode == fix("--undo", "--list").returncode == 2
    refuted = fix("--number", "3", "--apply", "--untested")
    assert (refuted.returncode, b"does not help" in refuted.stderr) == (1, True)
    found = json.loads(fix("--json", "--apply").stdout)
    assert (found["schema"], found["number"], [one["verdict"] for one in found["fixes"]]) == (
        1,
        1,
        ["proved", "untested", "refuted"],
    )
    assert found["written"] == [{"file": str(failed / "train.py"), "backup": f"{failed / 'train.py'}.whydied-backup"}]
    assert (failed / "train.py").read_text() == RIGHT
    other = fix("--number", "2", "--apply", "--untested")
    assert (other.returncode, b"is written: --undo it first" in other.stderr) == (1, True)
    assert json.loads(fix("--undo", "--json").stdout)["restored"] == [str(failed / "train.py")]


def test_without_a_fix_what_is_known_is_said(
    fix: Callable[..., Told], whydied: Call, failed: Path, runs: Path, tmp_path: Path
) -> None:
    _judged(runs, "refuted")
    done = fix()
    assert (done.returncode, done.stdout) == (1, b"")
    assert "1 tried in vain" in done.stderr.decode()
    assert "did you mean 'values'?" in done.stderr.decode()
    (tmp_path / "fine.py").write_text("print(1)\n")
    whydied("run", "--no-trials", "--quiet", "fine.py")
    assert "nothing to fix" in fix().stderr.decode()
    assert json.loads(fix("--json").stdout)["fixes"] == []
    assert fix("--list").returncode == 1


def test_a_terminal_gets_colours(failed: Path, runs: Path) -> None:
    main, terminal = pty.openpty()
    environment = {**os.environ, "WHYDIED_RUNS": str(runs), "TERM": "xterm-256color"}
    done = subprocess.run([sys.executable, "-m", "whydied", "fix"], env=environment, stdout=terminal, check=True)
    os.close(terminal)
    shown = os.read(main, 10000).decode()
    os.close(main)
    assert done.returncode == 0
    assert "\x1b[31m-print(valeus)" in shown
    assert "\x1b[32m+print(values)" in shown


def test_the_report_names_the_command(fix: Callable[..., Told], whydied: Call, failed: Path, runs: Path) -> None:
    short = list_runs(runs)[-1].id.rpartition("-")[2]
    assert f"whydied fix {short} · whydied prove {short}" in whydied("show").stdout.decode()
    assert fix(short).returncode == 0
    _judged(runs, "proved")
    shown = whydied("show").stdout.decode()
    assert f"whydied fix {short}" in shown
    assert "whydied prove" not in shown


def test_a_notebook_is_fixed(fix: Callable[..., Told], whydied: Call, tmp_path: Path) -> None:
    nodes: Any = nbformat.v4
    cells = ["%config Application.log_level = 'ERROR'\nvalues = {'größe': 1}", "print('here')\nprint(valeus)", "values"]
    made = nodes.new_notebook(cells=[nodes.new_markdown_cell("# a"), *map(nodes.new_code_cell, cells)])
    path = tmp_path / "work book.ipynb"
    nbformat.write(made, path)  # type: ignore[no-untyped-call]
    before = path.read_bytes()
    assert whydied("run", "--no-trials", "--quiet", path).returncode == 1
    subprocess.run(["patch", "-p1", "--dry-run"], cwd=tmp_path, input=fix().stdout, check=True)
    written = fix("--apply", "--untested")
    assert written.returncode == 0, written.stderr
    assert path.read_bytes() == before.replace(b"valeus", b"values")
    done = whydied("run", "--no-trials", path)
    assert (done.returncode, b"no problem was seen" in done.stderr) == (0, True)
    assert fix("--undo").returncode == 0
    assert path.read_bytes() == before


def test_a_program_of_tensorflow_is_fixed(fix: Callable[..., Told], whydied: Call, tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(TENSORFLOW)
    failed = whydied("run", "--no-trials", "train.py")
    assert failed.returncode == 1
    shown = fix().stdout.decode()
    assert "keras.layers.Dense(5, activation=" in shown
    assert fix("--apply", "--untested").returncode == 0
    done = whydied("run", "--no-trials", "train.py")
    assert (done.returncode, done.stdout) == (0, b"trained\n")
