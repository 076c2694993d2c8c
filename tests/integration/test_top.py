"""`whydied top`: textual's own pilot on stored recordings, on a recording that grows, and on a living program."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.handmade import RUN_ID, recorded_run
from tests.layers import varied
from tests.session import terminal
from tests.stored import stored_run

from whydied.places import RunDirectory
from whydied.read.life import boot_id
from whydied.read.tail import Heard, Tail
from whydied.records import RunEnded, RunStarted, StepCaptured
from whydied.stream import Stream

pytest.importorskip("textual")
from textual.widgets import Static

from whydied.cli import catalogue
from whydied.screen.app import TopApp

PATIENCE_S = 60.0
LEAK = """
import os, subprocess, sys, time
kept = []
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
print("ready", os.getpid(), flush=True)
while not os.path.exists(sys.argv[1]):
    kept.append(bytearray(b"x" * (1 << 20)))
    time.sleep(0.1)
child.kill()
raise ValueError("enough")
"""


def text_of(app: TopApp, selector: str) -> str:
    return str(app.query_one(selector, Static).render())


async def until(pilot: Any, condition: Callable[[], bool], what: str) -> None:
    give_up = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < give_up, f"{what}: {[str(one.render()) for one in pilot.app.query(Static)]}"
        await pilot.pause(0.05)


def watched(directory: RunDirectory, use: Callable[[TopApp, Any], Awaitable[None]], width: int = 110) -> None:
    async def session() -> None:
        app = TopApp(directory, every_s=0.1)
        async with app.run_test(size=(width, 40), notifications=True) as pilot:
            await use(app, pilot)
        assert app.failure is None

    asyncio.run(session())


@pytest.mark.parametrize("width", varied([60, 110], 60))
def test_a_run_that_has_ended_shows_how_and_why(tmp_path: Path, width: int) -> None:
    directory = stored_run(tmp_path, "numerics/nan_in_one_row")

    async def use(app: TopApp, pilot: Any) -> None:
        await until(pilot, lambda: app.report is not None, "a verdict")
        await pilot.pause()
        assert app.report is not None
        assert app.report.cause is not None
        assert "nan_in_one_row.py" in text_of(app, "#head")
        assert "ended" in text_of(app, "#head")
        assert f"whydied explain {app.report.cause.code}" in text_of(app, "#verdict")
        assert "has become NaN" in text_of(app, "#findings")
        assert "gradient norm" in text_of(app, "#training")
        assert "growing" not in text_of(app, "#memory")
        # A path that no line holds stays whole in a command.
        lines = [line for line in text_of(app, "#verdict").splitlines() if str(tmp_path) not in line]
        assert max(map(len, lines)) <= width - 6
        await pilot.press("c")
        await until(pilot, lambda: any("has ended" in one.message for one in app._notifications), "a refusal")

    watched(directory, use, width)


def test_an_error_of_ours_leaves_the_view_and_is_told_outside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    directory = stored_run(tmp_path, "numerics/nan_in_one_row")
    monkeypatch.setattr("whydied.screen.panels.memory", lambda *_, **__: {}["x"])

    async def session() -> None:
        app = TopApp(directory, every_s=0.1)
        async with app.run_test() as pilot:
            await until(pilot, lambda: app.failure is not None, "a failure")
        assert isinstance(app.failure, KeyError)

    asyncio.run(session())


class Growing:
    """A stored recording, written anew bit by bit as if it ran now, under a supervisor that lives."""

    def __init__(self, runs: Path, name: str) -> None:
        stored = Tail(stored_run(runs / "stored", name).streams).fresh()
        self.rest = [heard for heard in stored if not isinstance(heard.record, RunEnded)]
        self.directory = RunDirectory(runs / "20990101-000000-grows-ab12cd")
        self.directory.make()
        self._streams: dict[str, Stream] = {}

    def write(self, until: Callable[[Heard], bool]) -> None:
        """Up to a record, that one included."""
        while self.rest:
            heard = self.rest.pop(0)
            record = heard.record
            if isinstance(record, RunStarted):
                record = msgspec.structs.replace(
                    record, supervisor_pid=os.getpid(), boot_id=boot_id(), hostname="", wall_time_s=time.time()
                )
            if heard.stream not in self._streams:
                self._streams[heard.stream] = Stream(self.directory.streams, heard.stream)
            self._streams[heard.stream].write(record)
            if until(heard):
                return

    def end(self) -> None:
        self.write(lambda heard: False)
        self._streams["supervisor"].write(RunEnded())


def test_a_nan_is_announced_when_it_happens_and_once(tmp_path: Path) -> None:
    growing = Growing(tmp_path, "numerics/nan_in_one_row")
    bad = next(heard for heard in growing.rest if isinstance(heard.record, StepCaptured))
    growing.write(lambda heard: growing.rest[0] is bad)

    async def use(app: TopApp, pilot: Any) -> None:
        def announced() -> list[str]:
            return [one.message for one in app._notifications if "has become NaN" in one.message]

        await until(pilot, lambda: "running" in text_of(app, "#head"), "the program")
        assert "has become NaN" not in text_of(app, "#findings")
        growing.write(lambda heard: heard is bad)
        await until(pilot, lambda: bool(announced()), "an announcement")
        growing.write(lambda heard: not growing.rest)
        for _ in range(5):
            growing._streams[bad.stream].write(bad.record)
            await pilot.pause(0.2)
        assert len(announced()) == 1
        assert text_of(app, "#findings").count("has become NaN") == 1

    watched(growing.directory, use)


def test_what_was_there_before_is_listed_and_not_announced(tmp_path: Path) -> None:
    growing = Growing(tmp_path, "numerics/nan_in_one_row")
    growing.write(lambda heard: not growing.rest)

    async def use(app: TopApp, pilot: Any) -> None:
        await until(pilot, lambda: "has become NaN" in text_of(app, "#findings"), "the finding")
        assert not list(app._notifications)

    watched(growing.directory, use)


@pytest.mark.variation
def test_a_view_that_is_left_does_not_wait_for_the_report(tmp_path: Path) -> None:
    from whydied.screen.verdict import Ending

    directory = stored_run(tmp_path, "numerics/nan_in_one_row")
    # Reading a pipe that nobody writes to waits for ever.
    os.mkfifo(directory.streams / "process-0-9.key.000000.rec")
    ending = Ending(directory)
    asking = threading.Thread(target=ending.report, args=(None,))
    asking.start()
    time.sleep(0.2)
    ending.stop()
    asking.join(60)
    assert not asking.is_alive()
    assert ending.report(None) is None


@pytest.fixture
def leak(runs: Path, tmp_path: Path) -> Any:
    script, stop = tmp_path / "leak.py", tmp_path / "stop"
    script.write_text(LEAK)
    command = [sys.executable, "-m", "whydied", "run", "--quiet", "--name", "leaky", "--memory-limit", "1G"]
    environment = {**os.environ, "WHYDIED_RUNS": str(runs)}
    with subprocess.Popen(
        [*command, str(script), str(stop)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment
    ) as running:
        try:
            assert running.stdout is not None
            pid = int(running.stdout.readline().split()[1])
            yield running, pid, stop
        finally:
            stop.touch()
            running.send_signal(signal.SIGTERM)
            running.wait(60)


def test_a_living_program_from_its_leak_to_its_end(leak: Any, runs: Path) -> None:
    running, pid, stop = leak
    directory = catalogue.going(str(pid), runs)
    found = [catalogue.going(wanted, runs) for wanted in (None, "leaky", str(running.pid), directory.id[-6:])]
    assert found == [directory] * 4

    async def use(app: TopApp, pilot: Any) -> None:
        await until(pilot, lambda: "growing by" in text_of(app, "#memory"), "a trend")
        assert "of 1.00 GiB" in text_of(app, "#memory")
        assert "at the limit in" in text_of(app, "#memory")
        slope = app.picture.memory.bytes_per_s
        assert slope is not None
        assert 1 << 20 < slope < 20 << 20
        assert len(app.picture.processes) == 2
        assert str(pid) in text_of(app, "#processes")

        await pilot.press("c")
        await until(pilot, lambda: "`kept`" in text_of(app, "#holders"), "the holder")
        assert "bytearray" in text_of(app, "#holders")

        await pilot.press("p")
        before, read = text_of(app, "#memory"), app._tail.bytes_read
        assert "paused" in text_of(app, "#head")
        await pilot.pause(1.0)
        assert (text_of(app, "#memory"), app._tail.bytes_read) == (before, read)
        await pilot.press("p")
        await until(pilot, lambda: text_of(app, "#memory") != before, "the view to go on")

        assert not app.query_one("#help").display
        await pilot.press("h")
        assert app.query_one("#help").display

        stop.touch()
        await until(pilot, lambda: app.report is not None, "the verdict")
        await pilot.pause()
        assert "ValueError" in text_of(app, "#findings")
        assert "ValueError" in text_of(app, "#verdict")
        assert "ended" in text_of(app, "#head")
        await pilot.press("q")

    watched(directory, use)


@pytest.mark.variation
def test_on_a_real_terminal(leak: Any, runs: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "whydied", "top", "--runs", str(runs)]
    with terminal(command, tmp_path) as session:
        session.expect(b"leak.py")
        session.expect(b"Largest holders")
        session.type(b"q")
        assert session.finish() == 0
    assert b"Traceback" not in session.output


def test_where_it_cannot_draw_it_says_so(whydied: Any, runs: Path) -> None:
    recorded_run(runs)
    done = whydied("top")
    assert (done.returncode, b"needs a terminal" in done.stderr, RUN_ID.encode() in done.stderr) == (2, True, True)
    assert b"no run 'nosuch'" in whydied("top", "nosuch").stderr
