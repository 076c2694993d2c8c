"""The machine went down while the program was running.

## What it detects
A recording without an end whose boot id is not that of the machine now.

## Why it happens
A power cut, a reboot, a kernel panic, or a virtual machine that was stopped.

## Evidence
The boot id at the start and now, the last sample that reached the disk (the recording is synced every few
seconds), and the previous boot's kernel log where it may be read.

## How it is proved
Two boot ids are direct evidence that the machine restarted: certain.

## Fix
Save checkpoints; look at the previous boot's log (`journalctl -b -1`).

## Known problems
The last seconds before the end may be missing. A recording that was copied to another machine looks the same.
"""

from __future__ import annotations

from whydied import words
from whydied.diagnose.case import Case, prefix
from whydied.diagnose.finding import Evidence, Finding

ROLE = "death"
YIELDS_TO = ("stopped-on-nan",)


def check(case: Case) -> Finding | None:
    started, now = case.recording.started, case.recording.aftermath.boot_id
    if case.ended or started is None or not now or not started.boot_id or now == started.boot_id:
        return None
    if not case.recording.aftermath.same_machine or case.recording.aftermath.supervisor_alive:
        return None
    place, seen = case.last_seen()
    sample = case.last_sample
    memory = (
        [Evidence(fact="memory at the last sample", value=words.size(sample.rss_bytes), source="MachineSampled")]
        if sample
        else []
    )
    log = [
        Evidence(fact="log of the previous boot", value=line, source="kernel log")
        for line in case.recording.kernel_lines
    ]
    return Finding(
        message=f"{prefix(place)}the machine went down while {case.program} was running",
        certainty="certain",
        location=place,
        evidence=[
            Evidence(fact="boot id at the start", value=started.boot_id, source="RunStarted"),
            Evidence(fact="boot id now", value=now, source="the system"),
            *memory,
            *log[-3:],
            *seen,
        ],
        advice=["Save checkpoints, and look at the log of the previous boot: `journalctl -b -1`."],
    )
