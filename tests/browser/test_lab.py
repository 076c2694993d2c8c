"""The cell that killed the kernel says why, in JupyterLab as people see it: real kernels, deaths and browser."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from whydied.run.observe import limits

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

    from tests.browser.lab import Notebook, Server

KERNEL = "whydied"
FILLS_MEMORY = """\
kept = []
for step in range(100_000):
    kept.append(tf.random.normal([512, 1024]))"""
CRASHES = """\
import ctypes

address = 0
ctypes.string_at(address)"""
LEAVES = """\
import os

print("leaving")
input()
os._exit(3)"""
RAISES = """\
import numpy as np

def scaled(rows):
    return rows / np.ones(7)

scaled(np.ones((4, 3)))"""
SLEEPS = """\
import time

caught = 0
print("asleep")
for wait_s in (600, 1):
    try:
        time.sleep(wait_s)
    except KeyboardInterrupt:
        caught += 1
print(f"caught {caught}")"""

Open = Callable[..., "Notebook"]


@pytest.fixture
def open_notebook(page: Page, server: Server) -> Open:
    """`open_notebook("name", ["cell", "cell"])`"""
    from tests.browser import lab

    def opened(name: str, cells: list[str], kernel: str = KERNEL) -> Notebook:
        return lab.Notebook(page, server, lab.new_notebook(server, name, kernel, cells))

    return opened


def too_wide(report: Locator) -> list[str]:
    """Elements of the report whose content does not fit their width, or that reach out of it."""
    script = """report => {
        const edge = report.getBoundingClientRect().right + 1;
        return [report, ...report.querySelectorAll('*')]
            .filter(e => e.getClientRects().length)
            .filter(e => e.scrollWidth > e.clientWidth + 1 && getComputedStyle(e).display !== 'inline'
                         || e.getBoundingClientRect().right > edge)
            .map(e => e.outerHTML.slice(0, 200));
    }"""
    found: list[str] = report.evaluate(script)
    return found


def contrast(report: Locator) -> float:
    """Between the report's text and the page below it, as the rules for accessible pages count it."""
    script = """report => {
        const numbers = colour => colour.match(/[\\d.]+/g).map(Number);
        let ground = [255, 255, 255];
        for (let e = report; e; e = e.parentElement) {
            const [r, g, b, a = 1] = numbers(getComputedStyle(e).backgroundColor);
            if (a === 1) { ground = [r, g, b]; break; }
        }
        const light = ([r, g, b]) => [r, g, b].map(v => v / 255)
            .map(v => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
            .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
        const both = [light(ground), light(numbers(getComputedStyle(report).color))].sort((a, b) => b - a);
        return (both[0] + 0.05) / (both[1] + 0.05);
    }"""
    return float(report.evaluate(script))


@pytest.mark.tensorflow
@pytest.mark.cgroup
def test_out_of_memory(open_notebook: Open, memory_group: limits.ControlGroup | None, tmp_path: Path) -> None:
    if memory_group is None:
        pytest.skip("no memory control group can be made here")
    notebook = open_notebook("memory", ["import tensorflow as tf", FILLS_MEMORY, "print(6 * 7)"])
    notebook.run(0)
    notebook.run(1)
    report = notebook.reports(1, "out of memory", "cell [2], line 3", "kept.append", "whydied show")
    notebook.accept_restart()
    assert notebook.page.locator(".whydied-report").count() == 1

    for theme in ("JupyterLab Light", "JupyterLab Dark"):
        notebook.theme(theme)
        assert contrast(report) > 4.5
        for width in (1280, 800):
            notebook.page.set_viewport_size({"width": width, "height": 1000})
            assert too_wide(report) == []
            notebook.page.screenshot(path=tmp_path / f"{theme.split()[1].lower()}-{width}.png")
        report.screenshot(path=tmp_path / f"{theme.split()[1].lower()}-report.png")

    saved = notebook.saved()[1]
    (shown,) = [output for output in saved["outputs"] if output["output_type"] == "display_data"]
    assert "kept" in "".join(shown["data"]["text/html"])
    assert "kept" in "".join(shown["data"]["text/plain"])

    notebook.run(2)
    notebook.shows(2, "42")
    # The report is an ordinary output: the cell that runs again takes it away.
    notebook.run(1)
    notebook.shows(1, "NameError")
    assert notebook.page.locator(".whydied-report").count() == 0


def test_crash_and_exit(open_notebook: Open) -> None:
    notebook = open_notebook("crash", [CRASHES, "print(6 * 7)", LEAVES, "print(7 * 8)"])
    notebook.run(0)
    notebook.reports(0, "segmentation fault", "cell [1], line 4", "ctypes.string_at(address)")
    notebook.accept_restart()
    notebook.run(1)
    notebook.shows(1, "42")

    notebook.run(2)
    # What was printed a moment before `os._exit` may be lost in any kernel, so the cell waits until it was seen.
    notebook.shows(2, "leaving")
    notebook.answer(2, "")
    notebook.reports(2, "exit status 3", "cell [2], line 5", "os._exit(3)")
    notebook.accept_restart()
    notebook.run(3)
    notebook.shows(3, "56")
    # Each of the two reports is below its own cell, once, and behind what the cell printed.
    saved = notebook.saved()
    kinds = [[output["output_type"] for output in cell["outputs"]] for cell in saved]
    assert [kind.count("display_data") for kind in kinds] == [1, 0, 1, 0]
    assert [kind[-1] for kind in kinds] == ["display_data", "stream", "display_data", "stream"]
    assert "".join(saved[2]["outputs"][0]["text"]) == "leaving\n"


def test_interrupt_and_input(open_notebook: Open) -> None:
    notebook = open_notebook("interrupt", [SLEEPS, 'print("hello", input("who? "))'])
    notebook.run(0)
    notebook.shows(0, "asleep")
    notebook.press("interrupt")
    notebook.shows(0, "caught 1")

    notebook.run(1)
    notebook.answer(1, "world")
    notebook.shows(1, "hello world")
    assert notebook.page.locator(".whydied-report").count() == 0


def test_magics_in_a_kernel_of_somebody_else(open_notebook: Open) -> None:
    notebook = open_notebook("magics", ["%load_ext whydied", RAISES, "%whydied why", "%whydied top"], "python3")
    notebook.run(0)
    notebook.run(1)
    notebook.shows(1, "ValueError")
    notebook.settled(1)
    notebook.run(2)
    report = notebook.reports(2, "Cell [2] failed", "cell [2], line 4", "return rows / np.ones(7)")
    assert too_wide(report) == []
    notebook.run(3)
    notebook.shows(3, "nothing of")


def test_a_notebook_of_the_ordinary_kernel_where_every_kernel_says_why(open_notebook: Open, server: Server) -> None:
    """What a hub sets once, for notebooks that nobody changed."""
    from jupyter_client.kernelspec import KernelSpecManager

    ordinary = server.home / "data" / "kernels" / "python3"
    shutil.copytree(KernelSpecManager().get_kernel_spec("python3").resource_dir, ordinary)
    server.whydied("kernel", "install", "--all")
    try:
        notebook = open_notebook("ordinary", [CRASHES, "print(6 * 7)"], "python3")
        notebook.run(0)
        notebook.reports(0, "segmentation fault", "cell [1], line 4", "ctypes.string_at(address)")
        notebook.accept_restart()
        notebook.run(1)
        notebook.shows(1, "42")
    finally:
        server.end_sessions()
        server.whydied("kernel", "uninstall", "python3")
        shutil.rmtree(ordinary)
