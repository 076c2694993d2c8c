"""`%load_ext whydied` in a kernel that nobody supervises: the magics, the watcher, and the report after its death."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.integration.cell_kernel import Kernel, Ran, until

from whydied.places import RunDirectory, list_runs
from whydied.prove.sandbox import mechanism
from whydied.report.finish import stored_report

CELLS = {
    "load": "%load_ext whydied\nimport whydied\nwhydied.load_ipython_extension(get_ipython())",
    "status": "%whydied status",
    "made": "import numpy\nlarge = numpy.ones((1000, 1500))\nparts = [numpy.ones(200_000) for _ in range(4)]\nlarge",
    "result": "numpy.ones(2_000_000)",
    "top": "%whydied top",
    "top 1": "%whydied top 1",
    "account": "%%whydied\nimport asyncio\nawait asyncio.sleep(0.05)\nfresh = numpy.ones(3_000_000)\n40 + 2",
    "account of a failure": "%%whydied\nimport math\nmath.sqrt('x')",
    "nothing raised": "",
    "raises": "def look(table):\n    return table['epochs']\nlook({'epoch': 3})",
    "why": "%whydied why",
    "fix": "%whydied fix",
    "prove": "%whydied prove",
    "fix after proof": "%whydied fix",
    "guard": "%whydied guard on",
    "guard off": "%whydied guard off",
    "help": "%whydied",
    "no death yet": "%whydied last",
}


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("magics")


@pytest.fixture(scope="module")
def ran(place: Path) -> Iterator[dict[str, Ran]]:
    """What each cell showed; at the end the kernel is killed by the system's hardest signal."""
    kernel = Kernel(place / "first", recorded=False, env={"WHYDIED_RUNS": str(place / "runs")})
    try:
        seen = {name: kernel.cell(source) for name, source in CELLS.items() if source}
        seen["end"] = kernel.cell("import os, signal\nos.kill(os.getpid(), signal.SIGSEGV)")
        yield seen
    finally:
        kernel.close()


def _run(place: Path) -> RunDirectory:
    return list_runs(place / "runs")[0]


def test_loading_says_nothing_and_twice_is_once(ran: dict[str, Ran]) -> None:
    assert ran["load"] == Ran("", "", [], "", "", [])


def test_status_says_where_and_how_much(ran: dict[str, Ran], place: Path) -> None:
    said = ran["status"].stdout
    assert f"recording to {_run(place).path}" in said
    assert "MiB" in said
    assert "memory guard: off" in said


def test_top_names_what_is_large(ran: dict[str, Ran]) -> None:
    rows = [line.split() for line in ran["top"].stdout.splitlines()]
    assert [row[0] for row in rows] == ["Out[4]", "large", "parts"]
    assert "(and Out[3]" in ran["top"].stdout.splitlines()[1]
    assert "11.4 MiB" in ran["top"].stdout
    assert "(1000, 1500) float64" in ran["top"].stdout
    assert len(ran["top 1"].stdout.splitlines()) == 1


def test_an_account_of_one_cell_leaves_the_cell_as_it_is(ran: dict[str, Ran]) -> None:
    seen = ran["account"]
    assert seen.results[0]["text/plain"] == "42"
    assert "cell [7] took" in seen.stdout
    assert "fresh" in seen.stdout
    assert "22.9 MiB" in seen.stdout
    failed = ran["account of a failure"]
    assert failed.error == "TypeError"
    assert any("line 3" in line for line in failed.traceback)
    assert "cell [8] took" in failed.stdout


def test_fix_shows_the_change_of_the_cell(ran: dict[str, Ran]) -> None:
    (shown,) = ran["fix"].results
    told = shown["text/plain"].splitlines()
    assert told[0].startswith("Fix (not tried: `whydied prove` tries it): ")
    assert told[1].startswith("--- a/cell ")
    assert "-    return table['epochs']" in told
    assert "+    return table['epoch']" in told
    assert 'class="whydied-fix"' in shown["text/html"]


def test_why_explains_the_last_exception_though_the_kernel_lives(ran: dict[str, Ran]) -> None:
    (shown,) = ran["why"].results
    assert "cell [9], line 2" in shown["text/plain"]
    assert "'epochs' is not in `table`; did you mean 'epoch'" in shown["text/plain"]
    assert "exit status" not in shown["text/plain"]
    assert "return table" in shown["text/html"]


def test_the_guard_is_switched(ran: dict[str, Ran]) -> None:
    assert ran["guard"].stdout.startswith("memory guard: on")
    assert ran["guard off"].stdout == "memory guard: off\n"


def test_an_empty_word_is_a_question(ran: dict[str, Ran]) -> None:
    assert "%whydied top" in ran["help"].stdout
    assert "no recorded kernel has died" in ran["no death yet"].stdout


def test_the_watcher_outlives_the_kernel_and_the_next_one_shows_its_report(ran: dict[str, Ran], place: Path) -> None:
    assert ran["end"].died
    until(lambda: stored_report(_run(place)) is not None, "the watcher's report")
    report: Any = stored_report(_run(place))
    assert report.outcome == "died"
    assert report.death.location.cell == len([source for source in CELLS.values() if source]) + 1
    assert report.internal_errors == []
    kernel = Kernel(place / "second", recorded=False, env={"WHYDIED_RUNS": str(place / "runs")})
    try:
        kernel.cell("%load_ext whydied")
        (shown,) = kernel.cell("%whydied last").results
    finally:
        kernel.close()
    assert "segmentation fault" in shown["text/plain"].lower() or "SIGSEGV" in shown["text/plain"]
    assert 'class="whydied-report"' in shown["text/html"]
    second = list_runs(place / "runs")[-1]
    until(lambda: stored_report(second) is not None, "the second watcher's report")
    healthy: Any = stored_report(second)
    assert (healthy.outcome, healthy.findings) == ("finished", [])
    _no_watcher(place)


def _no_watcher(place: Path) -> None:
    """Nothing that watched is left."""

    def is_gone() -> bool:
        for name in os.listdir("/proc"):
            if name.isdigit():
                try:
                    words = Path(f"/proc/{name}/cmdline").read_bytes()
                except OSError:
                    continue
                if b"whydied.cli.watch" in words and os.fsencode(place) in words:
                    return False
        return True

    until(is_gone, "the end of the watchers")


@pytest.mark.skipif(mechanism() is None, reason="no sandbox can be had here")
def test_a_fix_is_tried_on_the_cells_that_ran(ran: dict[str, Ran]) -> None:
    told, shown = ran["prove"].stdout, ran["prove"].results[-1]["text/plain"]
    assert "it fails again" in told
    assert "Write `epoch` instead of `epochs`: finished in" in told
    assert "tried, it works" in " ".join(shown.split())
    assert "+    return table['epoch']" in ran["fix after proof"].results[-1]["text/plain"]
