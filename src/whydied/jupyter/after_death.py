"""What happens when a kernel has ended: diagnose, show the report in the cell that was running, or keep it. Runs in the
supervisor.

Invariant: the cell gets words within `SHORT_S`, in full or in short, and all that is left to do is bounded by
`LONG_S`; then the client sees the death. Whoever tells us to stop in that time is heard.
"""

from __future__ import annotations

import contextlib
import os
import threading
import time
from typing import Any

from whydied.config import Config
from whydied.diagnose.numerics.bad_steps import steps_of
from whydied.errors import NoRoom
from whydied.jupyter import death_message, ending
from whydied.jupyter.death_message import Said
from whydied.jupyter.last_cell import LastCell
from whydied.jupyter.publishing import Connection, Publisher, told_to_stop
from whydied.jupyter.unseen_reports import Place
from whydied.places import RunDirectory
from whydied.read.reader import read_streams
from whydied.read.recording import Recording, load
from whydied.report.finish import compose, finish, write_whole
from whydied.report.summary import Report, as_json
from whydied.report.views.run_views import Views, views_of
from whydied.run.supervise import RunOutcome

SHORT_S = 2.5
"""Jupyter looks every 3 s whether its kernel lives."""
LONG_S = 20.0
_CLIENTS_S = 2.0
_SAYS_NOTHING = ("whole-group-died", "terminated", "interrupted")


class Diagnosis:
    """The report, made in a thread of its own so that nobody waits for it longer than it is worth."""

    def __init__(self, directory: RunDirectory, settings: Config) -> None:
        self._directory = directory
        self._settings = settings
        self.report: Report | None = None
        self.views: Views | None = None
        self.error = ""
        self._stopped = False
        self._thread = threading.Thread(target=self._run, name="diagnosis", daemon=True)
        self._thread.start()

    def wait(self, until_s: float) -> Report | None:
        """The report, if it is made by then and nobody tells us to stop."""
        while self._thread.is_alive() and not self._stopped and (rest := until_s - time.monotonic()) > 0:
            self._thread.join(min(rest, 0.1))
            self._stopped = told_to_stop()
        return self.report

    def _run(self) -> None:
        try:
            recording = load(self._directory)
            report = compose(recording, self._settings.silence)
            # Steps that are worth a replay get it from `whydied show`, which makes the report anew.
            if not steps_of(recording):
                with contextlib.suppress(NoRoom):
                    write_whole(self._directory.report, as_json(report))
            self.views = views_of(recording, report)
            self.report = report
        except Exception as error:
            self.error = repr(error)


def tell(outcome: RunOutcome, cells: LastCell, connection_file: str | None, place: Place, settings: Config) -> None:
    """Say why a kernel died, where it did."""
    began_s = time.monotonic()
    diagnosis = Diagnosis(outcome.directory, settings)
    remark = death_message.remark(place.died(outcome.directory, connection_file), ran_cells=cells.any)
    shown = False
    try:
        connection = Connection.read(connection_file)
        shown = connection is not None and _publish(connection, cells, diagnosis, outcome, remark, began_s)
    except Exception as error:
        ending.say(f"whydied: the report could not be shown in the notebook: {error!r}")
    said = death_message.said(diagnosis.wait(began_s + LONG_S), outcome, remark, diagnosis.error, diagnosis.views)
    if shown:
        place.forget(outcome.directory)
    else:
        place.keep(outcome.directory, death_message.for_next_kernel(said))
    ending.say(said.text.removesuffix("\n"))


def _publish(
    connection: Connection, cells: LastCell, diagnosis: Diagnosis, outcome: RunOutcome, remark: str, began_s: float
) -> bool:
    """Show the report to whoever is connected; false where nobody is, or no cell is there to show it."""
    publisher = Publisher(connection)
    try:
        came = publisher.wait_for_clients(_CLIENTS_S)
        report = diagnosis.wait(began_s + SHORT_S)
        parent = cells.parent
        mark = {"display_id": f"whydied-{outcome.directory.id}"}
        said = death_message.said(report, outcome, remark, diagnosis.error, diagnosis.views)
        publisher.send("display_data", {**_content(said), "transient": mark}, parent)
        if report is None and came:
            said = death_message.said(
                diagnosis.wait(began_s + LONG_S), outcome, remark, diagnosis.error, diagnosis.views
            )
            publisher.send("update_display_data", {**_content(said), "transient": mark}, parent)
        publisher.send("status", {"execution_state": "idle"}, parent)
        return came and parent is not None
    finally:
        publisher.close()


def _content(said: Said) -> dict[str, Any]:
    return {"data": {"text/html": said.html, "text/plain": said.text}, "metadata": {}}


def show_again(gone: RunDirectory, run: RunDirectory, place: Place) -> None:
    """A kernel was killed with its supervisor: have the next one, of a run, show why, and tidy up after the first. An
    end that only says that both are gone is not spoken of: Jupyter itself ends kernels so when a user asks for it."""
    report = finish(gone, replay=False, quiet=True)
    _remove_group(gone)
    if report.death is None or report.death.name in _SAYS_NOTHING:
        return
    place.keep(run, death_message.for_next_kernel(death_message.said(report, RunOutcome(gone, 0), "")))
    place.hand_on(run)


def _remove_group(gone: RunDirectory) -> None:
    """The control group that was made for it; nobody was left to do that. One that is still in use stays."""
    limit = Recording(gone, read_streams(gone.streams)).limit
    if limit is not None and limit.ours and limit.path:
        with contextlib.suppress(OSError):
            os.rmdir(limit.path)
