"""Cells of a real kernel are a unit of the recording, and what goes wrong in them is told in terms of cells."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.integration.cell_kernel import Kernel

from whydied.inside.guest import guard
from whydied.records import CellEnded, CellStarted, CensusTaken, ExceptionRaised, InternalError, MemoryWarned

MIB = 1 << 20


@pytest.fixture(scope="module")
def kernel(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kernel]:
    """One kernel that went through all kinds of cells."""
    kernel = Kernel(tmp_path_factory.mktemp("cells"))
    try:
        for source in CELLS:
            kernel.cell(source)
        yield kernel
    finally:
        kernel.close()


CELLS = [
    "\n\nimport numpy\ndef half(a):\n    return 1 / a\n",
    "half(0)",
    "%%time\nlarge = numpy.ones((1000, 1000))\nhalf(0)",
    "import asyncio\nawait asyncio.sleep(0.05)\nhalf(0)",
    "%%capture\nx = 1\nhalf(0)",
    "x = 1\n%time half(0)",
    "x = (1,\n  2",
    "get_ipython().run_cell('y = 2\\nhalf(0)')",
    "half(0)",
    "import sys\nsys.exit(3)",
    "large",
    "open('script.py', 'w').write('x = [1]\\n\\nx[5]\\n')\n%run script.py",
]


def _lines(raised: ExceptionRaised) -> list[tuple[str, int]]:
    """The cells and lines of the last link's frames."""
    return [(frame.file.rpartition("/")[2], frame.line) for frame in raised.chain[0].frames if frame.user]


def test_each_cell_is_recorded_with_its_text_and_its_request(kernel: Kernel) -> None:
    started = kernel.all(CellStarted)
    assert [cell.number for cell in started] == list(range(1, len(CELLS) + 1))
    assert [cell.source for cell in started] == CELLS
    assert all('"msg_type":"execute_request"' in cell.parent and '"msg_id":' in cell.parent for cell in started)
    assert len({cell.parent for cell in started}) == len(CELLS)


def test_each_cell_ends_with_what_it_took_and_made(kernel: Kernel) -> None:
    ended = {cell.number: cell for cell in kernel.all(CellEnded)}
    assert sorted(ended) == list(range(1, len(CELLS) + 1))
    assert ended[1].ok
    assert (ended[2].ok, ended[2].raised) == (False, "ZeroDivisionError")
    made = ended[3].made[0]
    assert (made.name, made.type, made.bytes, made.shape) == ("large", "numpy.ndarray", 8_000_000, [1000, 1000])
    assert ended[3].after - ended[3].before > 7 * MIB
    assert ended[3].peak >= ended[3].after
    assert not ended[4].made


@pytest.mark.parametrize(
    ("number", "way"),
    [
        (2, [("cell [2]", 1), ("cell [1]", 5)]),
        (3, [("cell [3]", 3), ("cell [1]", 5)]),
        (4, [("cell [4]", 3), ("cell [1]", 5)]),
        (5, [("cell [5]", 3), ("cell [1]", 5)]),
        (6, [("cell [6]", 2), ("cell [1]", 5)]),
        (9, [("cell [9]", 1), ("cell [1]", 5)]),
        (12, [("script.py", 3)]),
    ],
)
def test_an_exception_tells_cells_and_their_lines(kernel: Kernel, number: int, way: list[tuple[str, int]]) -> None:
    # IPython's versions differ in whether the line of a magic itself is among the frames.
    assert _lines(_raised_in(kernel, number))[-2:] == way


def test_what_left_a_cell_is_no_end_of_the_kernel(kernel: Kernel) -> None:
    assert {raised.where for raised in kernel.all(ExceptionRaised)} == {"cell"}
    process = kernel.process()
    assert process.uncaught is None
    assert process.exit_request is None


def test_text_that_is_no_python_is_placed_too(kernel: Kernel) -> None:
    raised = _raised_in(kernel, 7)
    assert _lines(raised)[-1][0] == "cell [7]"
    assert "ipykernel" not in raised.chain[0].message


def test_the_source_of_a_cell_comes_from_the_record(kernel: Kernel) -> None:
    sources = {file.rpartition("/")[2]: source for file, source in kernel.recording().sources.items()}
    statement = sources["cell [1]"].statement(5)
    assert statement is not None
    assert statement.source == "return 1 / a"
    timed = sources["cell [3]"].statement(2)
    assert timed is not None
    assert timed.source == "large = numpy.ones((1000, 1000))"


def test_nothing_of_ours_failed(kernel: Kernel) -> None:
    assert kernel.all(InternalError) == []


def _raised_in(kernel: Kernel, number: int) -> ExceptionRaised:
    """The exception that was recorded while a cell ran."""
    current = 0
    for entry in kernel.process().entries:
        if isinstance(entry.record, CellStarted):
            current = entry.record.number
        elif isinstance(entry.record, ExceptionRaised) and current == number:
            return entry.record
    raise AssertionError(f"no exception in cell {number}")


def test_memory_that_the_notebook_keeps_is_named(tmp_path: Path) -> None:
    """`Out`, the last traceback, an alias of a variable in `Out`; then the warning, once a cell that takes more."""
    kernel = Kernel(tmp_path, env={"WHYDIED_MEMORY_LIMIT": str(500 * MIB)})
    try:
        kernel.cell("import numpy, time")
        kernel.cell("numpy.ones(6_000_000)")
        kernel.cell("named = numpy.ones(5_000_000)\nnamed")
        kernel.cell("def work():\n    inner = numpy.ones(7_000_000)\n    raise ValueError('x')\nwork()")
        warned = kernel.cell("kept = []\nfor _ in range(85):\n    kept.append(numpy.ones(500_000)); time.sleep(0.02)")
        quiet = kernel.cell("time.sleep(0.3)")
        freed = kernel.cell("kept.clear()\ntime.sleep(0.2)\nprint('freed')")
        census = kernel.all(CensusTaken)[-1]
        said = kernel.all(MemoryWarned)
    finally:
        kernel.close()
    held = {tuple(group.shape or ()): group.holders[0] for group in census.groups if group.kind == "array"}
    assert (held[6_000_000,].path, held[6_000_000,].root) == ("Out[2]", "output")
    assert held[5_000_000,].path == "named"
    assert "Out[3]" in held[5_000_000,].also
    assert held[7_000_000,].path == "the last traceback: frame work, variable inner"
    assert "whydied: memory is almost exhausted" in warned.stderr
    assert "Out[2]" in warned.stderr
    assert "frame work, variable inner" in warned.stderr
    assert quiet.stderr == ""
    assert freed.stdout == "freed\n"
    assert [(one.number, one.how) for one in said] == [(5, "warning")]


def test_the_guard_raises_in_the_cell_and_the_notebook_lives(tmp_path: Path) -> None:
    kernel = Kernel(tmp_path, env={"WHYDIED_MEMORY_LIMIT": str(400 * MIB), "WHYDIED_OPTIONS": "memory-guard"})
    try:
        kernel.cell("import numpy, time\nkept = []\nstate = 'here'")
        stopped = kernel.cell(
            "def fill():\n    while True:\n        kept.append(numpy.ones(500_000)); time.sleep(0.005)\nfill()"
        )
        count = int(kernel.cell("print(len(kept))").stdout)
        spared = kernel.cell("kept.clear()\ntime.sleep(1.5)\nprint(state)")
        refused = kernel.cell("numpy.ones(500_000_000)")
        alive = kernel.cell("print(state)\n%whydied guard")
        said = kernel.all(MemoryWarned)
        errors = kernel.all(InternalError)
    finally:
        kernel.close()
    assert stopped.error == "GuardedMemoryError"
    assert "whydied's memory guard stopped this cell at" in stopped.message
    assert "kept" in stopped.message
    assert not any("low_memory" in line for line in stopped.traceback)
    assert count > 20
    assert spared.stdout == "here\n"
    assert "MemoryError" in refused.error
    assert alive.stdout == "here\nmemory guard: on\n"
    assert ("guard", 2) in [(one.how, one.number) for one in said]
    assert errors == []


PLACES = [
    "cells.after",
    "cells.attach",
    "cells.before",
    "cells.made",
    "cells.shown",
    "cells.triggered",
    "install.cells.hook_shell",
    "low_memory.begin",
    "low_memory.noticed",
    "cell_notes.write",
]


def test_a_failure_of_ours_is_recorded_and_unnoticed(tmp_path: Path) -> None:
    """Each place fails on purpose in one kernel or another: the cells go on as if nothing were."""
    parts = [
        ["cells.triggered"],
        ["cells.attach"],
        ["low_memory.begin", "cells.before", "cells.after"],
        ["cells.made", "low_memory.noticed", "kept_sources.run_again"],
    ]
    for number, places in enumerate(parts):
        env = {"WHYDIED_INJECT": ",".join(places), "WHYDIED_MEMORY_LIMIT": str(50 * MIB)}
        kernel = Kernel(tmp_path / str(number), env=env)
        try:
            assert kernel.cell("x = 1  # no %run").error == ""
            assert kernel.cell("y = [0] * 300_000\nprint(x)").stdout == "1\n"
            assert kernel.cell("import time\ntime.sleep(0.3)\n1 / 0").error == "ZeroDivisionError"
            found = {error.where for error in kernel.all(InternalError)}
        finally:
            kernel.close()
        assert found <= set(places)
        assert found


def test_no_place_is_forgotten() -> None:
    for name in ("cells", "low_memory", "notebook_variables", "notebook_variables"):
        importlib.import_module(f"whydied.inside.notebook.{name}")
    assert {place for place in guard.PLACES if place.partition(".")[0] in ("cells", "low_memory")} <= set(PLACES)
