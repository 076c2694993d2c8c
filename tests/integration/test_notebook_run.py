"""`whydied run notebook.ipynb`: all cells in a real kernel, without a server, and a report by cell."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import nbformat
import pytest
from tests.integration.cell_kernel import until

from whydied.places import list_runs
from whydied.read.recording import load
from whydied.records import CellStarted

Completed = subprocess.CompletedProcess[bytes]
Call = Callable[..., Completed]


def _notebook(directory: Path, *cells: str, name: str = "work.ipynb") -> Path:
    nodes: Any = nbformat.v4
    made = nodes.new_notebook(cells=[nodes.new_markdown_cell("# a"), *map(nodes.new_code_cell, cells)])
    path = directory / name
    nbformat.write(made, path)  # type: ignore[no-untyped-call]
    return path


def _report(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(path.read_bytes())
    return found


def test_a_healthy_notebook_raises_no_alarm(whydied: Call, runs: Path, tmp_path: Path) -> None:
    (tmp_path / "data.txt").write_text("beside the notebook")
    path = _notebook(tmp_path, "text = open('data.txt').read()\nprint(text)", "x = 6 * 7\nx", "1 / (x > 0)")
    before = path.read_bytes()
    done = whydied("run", "--json", tmp_path / "r.json", path, "--output", tmp_path / "out.ipynb", cwd=runs.parent)
    assert done.returncode == 0, done.stderr
    assert done.stdout.decode().splitlines() == ["beside the notebook", "42", "1.0"]
    report = _report(tmp_path / "r.json")
    assert (report["outcome"], report["findings"], report["internal_errors"]) == ("finished", [], [])
    assert b"no problem was seen" in done.stderr
    assert path.read_bytes() == before
    (run,) = list_runs(runs)
    for copy in (tmp_path / "out.ipynb", run.path / "work.ipynb"):
        cells = nbformat.read(copy, as_version=4).cells  # type: ignore[no-untyped-call]
        assert cells[2]["outputs"][0]["data"]["text/plain"] == "42"
    (process,) = (process for process in load(run).processes if process.first(CellStarted))
    assert process.all(CellStarted)[0].notebook == str(path)


def test_the_first_cell_that_raises_ends_it(whydied: Call, tmp_path: Path) -> None:
    path = _notebook(
        tmp_path,
        "def rate(options):\n    return options['learning_rat']",
        "try:\n    rate({})\nexcept KeyError:\n    print('caught')",
        "\nprint('here')\nrate({'learning_rate': 1})",
        "print('never')",
    )
    done = whydied("run", "--json", tmp_path / "r.json", path)
    assert done.returncode == 1
    assert done.stdout.decode().splitlines() == ["caught", "here"]
    assert b"KeyError" in done.stderr
    report = _report(tmp_path / "r.json")
    assert (report["outcome"], report["cause"]["name"]) == ("failed", "uncaught-exception")
    place = report["cause"]["location"]
    assert (place["cell"], place["line"], place["source"]) == (1, 2, "return options['learning_rat']")
    assert "cell [1], line 2" in done.stderr.decode()
    assert "'learning_rate'" in report["cause"]["message"]
    assert report["internal_errors"] == []


@pytest.mark.parametrize(
    ("cell", "status", "name", "line"),
    [
        ("import os\n\nos._exit(3)", 3, "exited-early", 3),
        ("import ctypes\ndef crash():\n    ctypes.string_at(0)\ncrash()", 139, "segmentation-fault", 3),
    ],
)
def test_a_dead_kernel_passes_its_end_on(
    whydied: Call, tmp_path: Path, cell: str, status: int, name: str, line: int
) -> None:
    done = whydied("run", "--json", tmp_path / "r.json", _notebook(tmp_path, "x = 1", cell, "print('never')"))
    assert done.returncode == status
    report = _report(tmp_path / "r.json")
    assert report["death"]["name"] == name
    assert (report["death"]["location"]["cell"], report["death"]["location"]["line"]) == (2, line)
    assert b"never" not in done.stdout


@pytest.mark.cgroup
def test_what_the_notebook_keeps_is_the_cause_of_an_oom_kill(whydied: Call, tmp_path: Path) -> None:
    cells = [f"numpy.ones(5_000_000) * {number}" for number in range(14)]
    path = _notebook(tmp_path, "import numpy", *cells)
    done = whydied("run", "--memory-limit", "400M", "--json", tmp_path / "r.json", path)
    report = _report(tmp_path / "r.json")
    assert (done.returncode, report["death"]["name"]) == (137, "host-oom-kill")
    assert report["cause"]["name"] == "kept-by-notebook"
    assert report["cause"]["location"]["source"].startswith("numpy.ones(5_000_000)")
    assert any("%reset -f out" in advice for advice in report["cause"]["advice"])
    assert "memory is almost exhausted" in done.stderr.decode()


def test_errors_may_be_allowed(whydied: Call, tmp_path: Path) -> None:
    path = _notebook(tmp_path, "1 / 0", "print('on')")
    done = whydied("run", "--json", tmp_path / "r.json", path, "--allow-errors")
    assert done.returncode == 0
    assert done.stdout == b"on\n"
    assert _report(tmp_path / "r.json")["findings"] == []


def test_an_interrupt_reaches_the_running_cell(runs: Path, tmp_path: Path) -> None:
    path = _notebook(tmp_path, "import time\nopen('started', 'w').close()\nwhile True:\n    time.sleep(0.05)")
    process = subprocess.Popen(
        [sys.executable, "-m", "whydied", "run", "--json", str(tmp_path / "r.json"), str(path)],
        env={**os.environ, "WHYDIED_RUNS": str(runs)},
        cwd=tmp_path,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        until((tmp_path / "started").exists, "the cell")
        os.killpg(process.pid, signal.SIGINT)
        status = process.wait(timeout=120)
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
    assert status == 130
    assert _report(tmp_path / "r.json")["outcome"] == "stopped"


def test_a_file_that_is_no_notebook(whydied: Call, tmp_path: Path) -> None:
    (tmp_path / "bad.ipynb").write_text("no json")
    done = whydied("run", "bad.ipynb")
    assert done.returncode == 2
    assert b"cannot be read as a notebook" in done.stderr
    missing = whydied("run", "wrok.ipynb")
    assert missing.returncode == 125
    assert b"no such script: wrok.ipynb" in missing.stderr


def test_without_nbclient_the_hint_says_what_to_install(tmp_path: Path) -> None:
    path = _notebook(tmp_path, "1")
    code = (
        "import sys, importlib.util as u\n"
        "find = u.find_spec\n"
        "u.find_spec = lambda name, *rest: None if name == 'nbclient' else find(name, *rest)\n"
        f"sys.argv = ['whydied', 'run', {str(path)!r}]\n"
        "from whydied.cli import main\nsys.exit(main())"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, timeout=120, check=False, cwd=tmp_path)
    assert done.returncode == 125
    assert b"running a notebook needs nbclient" in done.stderr
    assert b"pip install nbclient" in done.stderr
