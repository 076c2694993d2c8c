"""A run in the standard TensorBoard, beside the user's own curves, as a browser shows it."""

from __future__ import annotations

import contextlib
import importlib.util
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from recordings import path_of, unpack
from tests import handmade, session
from whydied.places import RunDirectory
from whydied.read.recording import load
from whydied.records import LayerSeen, ModelSeen, Numbers, TensorLogged
from whydied.report.finish import compose
from whydied.report.tensorboard import logdir
from whydied.stream import Stream

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext

pytestmark = pytest.mark.skipif(importlib.util.find_spec("tensorboard") is None, reason="tensorboard is not installed")
_MS = 60_000
# It starts in seconds where it cannot find TensorFlow, which it only uses to read files of remote systems.
_TENSORBOARD = "import sys; sys.modules['tensorflow'] = None\nfrom tensorboard.main import run_main; run_main()"
_EVIL = "dense<img src=x onerror=alert(1)>"


@contextlib.contextmanager
def served(logs: Path) -> Iterator[str]:
    """The address of a TensorBoard on loopback."""
    log = logs.with_suffix(".log")
    argv = [sys.executable, "-c", _TENSORBOARD, "--logdir", str(logs), "--host", "127.0.0.1", "--port", "0"]
    with log.open("wb") as output:
        process = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=output, stderr=output, cwd=logs.parent)
    try:
        found: list[str] = []

        def answers() -> bool:
            text = log.read_text(errors="replace")
            assert process.poll() is None, text
            found[:] = re.findall(r"http://127\.0\.0\.1:\d+/", text)
            return bool(found)

        session.wait_until(answers, "TensorBoard")
        yield found[0]
    finally:
        process.terminate()
        try:
            process.wait(30)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def users_curve(directory: Path) -> None:
    """What a program's own summary writer leaves."""
    from tensorboard.compat.proto import event_pb2, summary_pb2
    from tensorboard.summary.writer.record_writer import RecordWriter

    directory.mkdir(parents=True)
    with (directory / "events.out.tfevents.1.mine").open("wb") as file:
        writer = RecordWriter(file)
        writer.write(event_pb2.Event(wall_time=1.0, file_version="brain.Event:2").SerializeToString())
        for step in range(5):
            value = summary_pb2.Summary.Value(tag="epoch_loss", simple_value=1.0 / (step + 1))
            event = event_pb2.Event(wall_time=1.0 + step, step=step, summary=summary_pb2.Summary(value=[value]))
            writer.write(event.SerializeToString())


def watching(runs: Path) -> RunDirectory:
    directory = handmade.recorded_run(runs)
    stream = Stream(directory.streams, f"process-{handmade.a_dead_pid()}-1", segment_bytes=1 << 20)
    numbers = Numbers(shape=[8], dtype="float32", count=8, mean=0.0, norm=2.0)
    stream.write(ModelSeen(model="small", type="Sequential", call=1, layers=[LayerSeen(name=_EVIL, type="Dense")]))
    for step in range(1, 6):
        stream.write(
            TensorLogged(
                name="dense/kernel", role="weight", step=step, numbers=numbers, edges=[-1.0, 0.0, 1.0], counts=[3, 5]
            )
        )
    return directory


def test_a_run_is_shown_beside_the_users_own_curves(browser: BrowserContext, tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    users_curve(logs / "train")
    killed = unpack(path_of("leaks/callback_keeps_predictions").read_bytes(), tmp_path).run
    for directory in (killed, watching(tmp_path / "runs")):
        logdir.write(directory, compose(load(directory)), logs)
    page = browser.new_page()
    try:
        alerts: list[str] = []
        page.on("dialog", lambda dialog: (alerts.append(dialog.message), dialog.dismiss()))
        with served(logs) as address:
            page.goto(f"{address}#timeseries", timeout=_MS)
            for text in ("epoch_loss", "memory_GiB", "step_s", "train", "whydied/run"):
                page.get_by_text(text, exact=True).first.wait_for(timeout=_MS)

            page.goto(f"{address}#text", timeout=_MS)
            page.reload(timeout=_MS)
            card = page.locator("tf-text-loader").filter(has_text="MEM005 tensors-kept-in-container").first
            card.wait_for(timeout=_MS)
            card.locator("code", has_text="self.seen.append(self.model(self.images))").first.wait_for(timeout=_MS)
            card.get_by_text("step 58").first.wait_for(timeout=_MS)
            page.get_by_text("callback_keeps_predictions.py was killed by the kernel: out of memory").first.wait_for(
                timeout=_MS, state="attached"
            )

            page.goto(f"{address}#graphs&run=whydied%2Frun", timeout=_MS)
            page.reload(timeout=_MS)
            page.locator("g.node title", has_text="sequential_1").first.wait_for(timeout=_MS, state="attached")

            page.goto(f"{address}#histograms", timeout=_MS)
            page.reload(timeout=_MS)
            page.get_by_text("watched", exact=True).first.wait_for(timeout=_MS)
            page.screenshot(path=tmp_path / "histograms.png")
        assert alerts == []
    finally:
        page.close()
