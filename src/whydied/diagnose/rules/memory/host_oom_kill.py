"""The kernel's OOM killer ended the program because memory ran out.

## What it detects
A program that ended by SIGKILL while a counter of the kernel's OOM killer moved, or the kernel's log names
the process.

## Why it happens
The processes of a memory cgroup (a container, a job, `--memory-limit`) or of the whole machine needed more
memory than there was. The kernel then picks a process and kills it without a word to it.

## Evidence
The OOM-kill counters of the program's cgroup and its ancestors and of the machine, read before the start and
after the end; the kernel's log where it may be read; the peak counted by the cgroup; the memory of the
processes when last seen; the line at which the main thread was last seen.

## How it is proved
The counter of a cgroup that whydied made for the program, or a line of the log that names the process, is
direct evidence: certain. A counter of the whole machine or of a shared cgroup that moved, with no line that
names the process, is likely. Without readable counters, memory above 90 % of the limit at the last sample is
likely, because the kernel kills only when nothing can be reclaimed any more and samples are a tenth of a
second apart.

## Fix
Use less memory, or raise the limit. What took the memory is said by the finding below this one, where there
is one.

## Known problems
Memory managers in user space (earlyoom, systemd-oomd) kill by SIGKILL too and move no counter.

## References
Kernel documentation: cgroup v1 memory controller (memory.oom_control), cgroup v2 (memory.events).
"""

from __future__ import annotations

import signal

from whydied import words
from whydied.diagnose.case import Case, prefix
from whydied.diagnose.crash.ending_evidence import wait_status
from whydied.diagnose.finding import Certainty, Evidence, Finding
from whydied.diagnose.memo import once
from whydied.records import OomCounted
from whydied.texts import kernel_lines

NEAR_LIMIT = 0.90
NEAR_EMPTY = 0.03
"""Share of the machine's memory that is still available when the kernel is about to give up."""

ROLE = "memory death"
YIELDS_TO = ("cpu-time-limit",)


@once
def check(case: Case) -> Finding | None:
    if case.signal != signal.SIGKILL and not case.ended_with_group:
        return None
    asked = case.exit_request
    if asked is not None and asked.signal == signal.SIGKILL:
        return None
    proof = _kernel_proof(case)
    certainty: Certainty = "certain"
    if not proof:
        proof, certainty = _circumstances(case), "likely"
    if not proof:
        return None
    place, seen = case.last_seen()
    return Finding(
        message=f"{prefix(place)}the kernel's OOM killer killed {case.program}{_amount(case)}",
        certainty=certainty,
        location=place,
        evidence=[wait_status(case), *proof, *_peak(case), *seen],
        advice=["Use less memory on this line, or give the program more."],
    )


def _kernel_proof(case: Case) -> list[Evidence]:
    pids = case.recording.pids
    named = [
        Evidence(fact="kernel log", value=line, source="KernelLogged")
        for line in case.recording.kernel_lines
        if (found := kernel_lines.KILLED.pattern.search(line)) and int(found[1]) in pids
    ]
    limit = case.recording.limit
    own = limit.path if limit and limit.ours else None
    counted = [
        Evidence(fact="OOM kills in its cgroup during the run", value=by, source=f"OomCounted {counter.path}")
        for counter, by in case.recording.oom_kills()
        if counter.scope == "cgroup" and (counter.path == own or named)
    ]
    return counted + named


def _circumstances(case: Case) -> list[Evidence]:
    if not _is_short(case):
        return []
    moved = [
        Evidence(
            fact=f"OOM kills in the {counter.scope} during the run, process unknown",
            value=by,
            source=f"OomCounted {counter.path or '/proc/vmstat'}",
        )
        for counter, by in case.recording.oom_kills()
    ]
    counted = any(counter.moment == "end" for counter in case.recording.supervisor.all(OomCounted))
    return moved if counted else _is_short(case)


def _is_short(case: Case) -> list[Evidence]:
    """Memory at its limit, or the machine nearly empty of it, when last seen."""
    sample, limit = case.last_sample, case.recording.limit
    if sample is None:
        return []
    used = sample.machine.cgroup_bytes or sample.rss_bytes
    if limit and used >= NEAR_LIMIT * limit.limit_bytes:
        share = f"{words.size(used)} of {words.size(limit.limit_bytes)}"
        return [Evidence(fact="memory at the last sample", value=share, source="MachineSampled")]
    total = case.recording.started.memory_total_bytes if case.recording.started else 0
    available = sample.machine.available_bytes
    if available is not None and total and available <= NEAR_EMPTY * total:
        return [Evidence(fact="memory available on the machine", value=words.size(available), source="MachineSampled")]
    return []


def _amount(case: Case) -> str:
    limit, peak = case.recording.limit, case.recording.peak_rss_bytes
    if peak is None:
        return ""
    if limit is not None and limit.kind.startswith("cgroup"):
        # Resident memory counts pages of files too, which the group need not pay for.
        peak = min(peak, limit.limit_bytes)
    text = f" at {words.size(peak)}"
    if limit is None:
        return text
    if limit.ours:
        return f"{text}: --memory-limit allowed {words.size(limit.limit_bytes)}"
    if limit.kind == "machine":
        return f"{text}: the machine has {words.size(limit.limit_bytes)}"
    return f"{text}: its {limit.kind} allows {words.size(limit.limit_bytes)}"


def _peak(case: Case) -> list[Evidence]:
    found = [
        Evidence(
            fact="peak counted by the cgroup",
            value=words.size(counter.peak_bytes),
            source=f"OomCounted {counter.path}",
        )
        for counter in case.recording.supervisor.all(OomCounted)
        if counter.moment == "end" and counter.peak_bytes and counter.path
    ][:1]
    sample = case.last_sample
    if sample:
        largest = max(sample.machine.processes, key=lambda process: process.rss_bytes, default=None)
        if largest:
            found.append(
                Evidence(
                    fact="largest process at the last sample, RSS",
                    value=f"{largest.name} ({largest.pid}) {words.size(largest.rss_bytes)}",
                    source="MachineSampled",
                )
            )
    return found
