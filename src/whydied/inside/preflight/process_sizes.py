"""What the process takes before a step, and what real steps of a few rows add to it; runs in the user's process."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from whydied.graph.traced_step import Calibration, MeasuredRun
from whydied.inside.preflight import allocator_probe
from whydied.inside.preflight.untraced_reasons import told
from whydied.linux import proc

CALIBRATION_ROWS = 2
MEASURED_STEPS = 3
_CLEAR_PEAK = "5"


def sizes() -> dict[str, int]:
    """Resident bytes: now, the most so far, and those of mapped files."""
    return {"rss": _status(b"VmRSS"), "most": _status(b"VmHWM"), "mapped": _status(b"RssFile")}


def calibrated(prepare: Callable[[], Callable[[], Any]]) -> dict[str, Any]:
    """The field of a step with what real ones of a few rows take, or the one with why it is not known: a step of zeros
    may fail for reasons of its own. What `prepare` gives makes such a step."""
    try:
        return {"calibration": _calibration(prepare())}
    except Exception as error:
        return {"not_calibrated": told(error)}


def _calibration(run: Callable[[], Any]) -> Calibration:
    before = _status(b"VmRSS")
    with open("/proc/self/clear_refs", "w") as file:
        file.write(_CLEAR_PEAK)
    for _ in range(2):
        run()
    return Calibration(batch=CALIBRATION_ROWS, before_bytes=before, peak_bytes=_status(b"VmHWM"))


def measured(call: Any, rows: int) -> MeasuredRun:
    """What real steps of so many rows take."""
    for _ in range(MEASURED_STEPS):
        call(rows)
    return MeasuredRun(rows=rows, peak_tensor_bytes=allocator_probe.peak_bytes(), peak_rss_bytes=_status(b"VmHWM"))


def _status(field: bytes) -> int:
    return proc.field_bytes(proc.read("/proc/self/status"), field) or 0
