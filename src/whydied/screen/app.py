"""`whydied top`: the view itself. Runs in a process of its own; the main thread draws, a thread reads.

Invariant: it only follows the recording, and asks for nothing but a census; the program does not notice that it is
watched. A look costs what is new.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable
from typing import ClassVar

import psutil
from rich.text import Text
from textual.app import App, ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, VerticalScroll
from textual.widgets import Footer, Static

from whydied import places
from whydied.live.notices import Notice
from whydied.live.program import LiveProgram, Picture
from whydied.places import RunDirectory
from whydied.read import life
from whydied.read.tail import Tail
from whydied.report import plain
from whydied.report.summary import Report
from whydied.screen import panels
from whydied.screen.verdict import Ending, page

EVERY_S = 1.0
CENSUS_PATIENCE_S = 15.0
_MOST_ROWS = 8
_LEAST_WIDTH = 20
_AROUND = 6
"""What a border, its padding and a scroll bar take."""


class TopApp(App[None]):
    """Of one run. `clock` is the machine's monotonic one, on which the records are."""

    CSS = """
    Screen { layout: vertical; }
    #head { height: auto; padding: 0 1; }
    .panel { border: round $surface-lighten-2; border-title-color: $text-muted; padding: 0 1; height: auto; }
    #beside { height: auto; }
    #beside .panel { width: 1fr; height: 100%; min-height: 5; }
    .-narrow #beside { layout: vertical; }
    .-narrow #beside .panel { height: auto; width: 100%; }
    #told { border: round $surface-lighten-2; border-title-color: $text-muted; height: 1fr; min-height: 4; }
    #told { padding: 0 1; }
    #help { display: none; border: round $primary; padding: 0 1; height: auto; }
    #ending { display: none; border: round $primary; height: 2fr; min-height: 6; padding: 0 1; }
    """
    TITLE = "whydied top"
    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = [
        ("q", "quit", "Quit"),
        ("p", "pause", "Pause"),
        ("c", "census", "Census"),
        ("h,question_mark", "help", "Help"),
    ]

    def __init__(
        self, directory: RunDirectory, *, clock: Callable[[], float] = time.monotonic, every_s: float = EVERY_S
    ) -> None:
        super().__init__()
        self.HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (90, "-wide")]
        self.run_directory = directory
        self.report: Report | None = None
        self.failure: Exception | None = None
        """An error of ours, for which the view was left."""
        self.state = "going"
        self.is_paused = False
        self._clock = clock
        self._every_s = every_s
        self._tail = Tail(directory.streams)
        self._program = LiveProgram()
        self._ending = Ending(directory)
        self._is_reading = False
        self._has_read = False
        self._asked_s: float | None = None
        self._remark = ""

    @property
    def picture(self) -> Picture:
        return self._program.at(self._clock())

    def compose(self) -> ComposeResult:
        yield Static("reading the recording…", id="head", markup=False)
        yield _panel(Static(markup=False, id="memory"), title="Memory")
        yield _panel(Static(markup=False, id="training"), title="Training")
        with Horizontal(id="beside"):
            yield _panel(Static(markup=False, id="holders"), title="Largest holders")
            yield _panel(Static(markup=False, id="processes"), title="Processes")
        yield Static(panels.help_text(), id="help", markup=False)
        with VerticalScroll(id="ending") as ending:
            ending.border_title = "The end"
            yield Static(markup=False, id="verdict")
        with VerticalScroll(id="told") as told:
            told.border_title = "Findings"
            yield Static(markup=False, id="findings")
        yield Footer()

    def on_mount(self) -> None:
        self.title = f"whydied top {self.run_directory.id}"
        self.set_interval(self._every_s, self._look)
        self._look()

    def on_resize(self) -> None:
        if self._has_read:
            self._draw()

    def _look(self) -> None:
        if not (self._is_reading or self.is_paused or self.report is not None):
            self._is_reading = True
            self.run_worker(self._read, thread=True, group="reading")

    def _read(self) -> None:
        """In a thread."""
        try:
            found = self._found()
        except Exception as error:
            self._from_thread(self._fail, error)
        else:
            self._from_thread(self._take, *found)

    def _from_thread(self, call: Callable[..., None], *given: object) -> None:
        # The view may have been left meanwhile.
        with contextlib.suppress(RuntimeError):
            self.call_from_thread(call, *given)

    def _found(self) -> tuple[list[Notice], str, Report | None]:
        """What is new, and how the run is."""
        fresh = [notice for heard in self._tail.fresh() if (notice := self._program.hear(heard)) is not None]
        picture = self.picture
        state = self._state_of(picture)
        return fresh, state, self._ending.report(picture.started) if state != "going" else None

    def _state_of(self, picture: Picture) -> str:
        """Whether the run goes on, as `life.life` says it, without reading the recording again."""
        if picture.is_over:
            return "ended"
        if picture.started is None or life.is_elsewhere(picture.started):
            # Nothing of it can be known but when its files were written.
            return life.life(self.run_directory)
        return "going" if life.is_supervised(picture.started) else "abandoned"

    def on_unmount(self) -> None:
        self._ending.stop()

    def _fail(self, error: Exception) -> None:
        """Leave the view; whoever ran it says what happened."""
        self.failure = self.failure or error
        self.exit(return_code=1)

    def _take(self, fresh: list[Notice], state: str, report: Report | None) -> None:
        self._is_reading = False
        self.state, self.report = state, report
        # What was there before us is listed, and not announced.
        if self._has_read:
            for notice in fresh:
                told = plain.line(notice.words)
                self.notify(told, severity="error" if notice.level == "bad" else "warning", timeout=10, markup=False)
        self._has_read = True
        self._answered()
        self._draw()

    def _draw(self) -> None:
        # A view that is being left has no panels any more.
        if not self.query("#head"):
            return
        try:
            self._draw_panels(self.picture)
        except Exception as error:
            self._fail(error)

    def _answered(self) -> None:
        if self._asked_s is None:
            return
        census = self.picture.census
        if census is not None and census.trigger == "peek" and census.at_s >= self._asked_s:
            self._asked_s, self._remark = None, ""
        elif self._clock() - self._asked_s > CENSUS_PATIENCE_S:
            self._asked_s, self._remark = None, "the program did not answer: it may be in a long native call"

    def _draw_panels(self, picture: Picture) -> None:
        show = self._show
        show("#head", panels.head(picture, self.state))
        width = self._width("#memory")
        memory = panels.memory(picture.memory, ended=self.state != "going")
        held = panels.bars(picture.memory_history, width, 2)
        show("#memory", _stacked(memory, held, *panels.gpus(picture)))
        losses = picture.training.losses if picture.training is not None else ()
        show("#training", _stacked(panels.training(picture), panels.bars(losses, width, from_zero=False)))
        show("#holders", panels.holders(picture, self._width("#holders"), _MOST_ROWS, self._remark))
        show("#processes", panels.processes(picture.processes, self._width("#processes"), _MOST_ROWS))
        show("#findings", panels.findings(picture.notices, picture.now_s - picture.elapsed_s))
        ending = self.query_one("#ending")
        ending.display = self.state != "going"
        self.query_one("#beside").display = self.report is None
        if self.report is not None:
            show("#verdict", page(self.report, max(_LEAST_WIDTH, self.size.width - _AROUND)))
        elif self.state != "going":
            show("#verdict", Text("the report is being made…", "dim"))

    def _show(self, selector: str, text: Text) -> None:
        self.query_one(selector, Static).update(text)

    def _width(self, selector: str) -> int:
        return max(_LEAST_WIDTH, self.query_one(selector).content_size.width or self.size.width // 2 - 4)

    def action_pause(self) -> None:
        self.is_paused = not self.is_paused
        self.sub_title = "paused" if self.is_paused else ""
        head = panels.head(self.picture, self.state)
        self._show("#head", Text.assemble(head, ("  view paused: p goes on", "reverse")) if self.is_paused else head)
        self._look()

    def action_help(self) -> None:
        shown = self.query_one("#help")
        shown.display = not shown.display

    def action_census(self) -> None:
        picture = self.picture
        pid = next((pid for pid in picture.recorders if psutil.pid_exists(pid)), None)
        if self.state != "going" or pid is None:
            reason = "the program has ended" if self.state != "going" else "no process has a recorder inside"
            self.notify(f"no census: {reason}", severity="warning")
            return
        try:
            places.peek_request(self.run_directory, pid).touch(mode=0o600)
        except OSError as error:
            self.notify(f"no census: {error.strerror or error}", severity="warning")
            return
        self._asked_s, self._remark = self._clock(), f"asked process {pid} for a census…"
        self._draw()


def _panel(*children: Static, title: str) -> VerticalScroll:
    panel = VerticalScroll(*children, classes="panel")
    panel.border_title = title
    return panel


def _stacked(*parts: Text) -> Text:
    return Text("\n").join(part for part in parts if part.plain)
