"""What the process takes before a step, and what real steps of a few rows add to it; runs in the user's process."""

from __future__ import annotations

import contextlib
from typing import Any

from whydied.graph.traced_step import Calibration, MeasuredRun
from whydied.inside.preflight import allocator_probe
from whydied.linux import proc

CALIBRATION_ROWS = 2
MEASURED_STEPS = 3
_CLEAR_PEAK = "5"


def sizes() -> dict[str, int]:
    """Resident bytes: now, the most so far, and those of mapped files."""
    return {"rss": _status(b"VmRSS"), "most": _status(b"VmHWM"), "mapped": _status(b"RssFile")}


def calibration(call: Any) -> Calibration:
    """What real steps of a few rows take beside tensors."""
    before = _status(b"VmRSS")
    with contextlib.suppress(OSError), open("/proc/self/clear_refs", "w") as file:
        file.write(_CLEAR_PEAK)
    for _ in range(2):
        call(CALIBRATION_ROWS)
    return Calibration(batch=CALIBRATION_ROWS, before_bytes=before, peak_bytes=_status(b"VmHWM"))


def measured(call: Any, rows: int) -> MeasuredRun:
    """What real steps of so many rows take."""
    for _ in range(MEASURED_STEPS):
        call(rows)
    return MeasuredRun(rows=rows, peak_tensor_bytes=allocator_probe.peak_bytes(), peak_rss_bytes=_status(b"VmHWM"))


def _status(field: bytes) -> int:
    return proc.field_bytes(proc.read("/proc/self/status"), field) or 0
