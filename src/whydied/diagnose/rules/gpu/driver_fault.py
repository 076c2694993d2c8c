"""The GPU or its driver reported a fault.

## What it detects
A program that failed while the NVIDIA driver logged an Xid error for one of its processes, while the device was
lost, or with an error of CUDA that means that work on the device went wrong (a launch that failed, an address or
instruction that is illegal, an error of the memory).

## Why it happens
Xid 13 and 31 are mostly a program or library that read or wrote outside of its memory on the device; 48, 63, 64, 94
and 95 are errors of the device's memory; 79 is a device that left the bus (power, heat, a slot); 61, 62, 119 and
120 are the device's own controller.

## Evidence
The driver's lines in the kernel's log; NVML's errors; CUDA's errors in the exception or in the log.

## How it is proved
An Xid line that names a process of the program, or a device that NVML calls lost: certain. An error of CUDA alone, or
an Xid line that names no process beside such an error: likely.

## Fix
For 13 and 31: find the op (run with `CUDA_LAUNCH_BLOCKING=1`), check indices, update library and driver. For errors
of memory, bus and controller: reset the device or restart the machine; have the hardware looked at if it comes back.

## Known problems
The kernel's log often may not be read by an ordinary user, and not in a container. CUDA reports an error with a
later call than the one that caused it, so the line shown may be late.

## References
NVIDIA: XID Errors; tensorflow/tensorflow issues 25866, 28693, 46247, 59671.
"""

from __future__ import annotations

from typing import NamedTuple

from whydied.diagnose.case import Case, prefix
from whydied.diagnose.finding import Certainty, Culprit, Evidence, Finding
from whydied.diagnose.gpu.devices import CRASHES, Failure, devices_of, failure_of, log_lines, place_of
from whydied.records import GpuFailed
from whydied.texts import gpu_failures
from whydied.texts.entry import any_of

_CUDA = any_of(gpu_failures.WORK_FAILED, gpu_failures.WORK_FAILED_IN_WORDS)
# NVML_ERROR_GPU_IS_LOST and NVML_ERROR_RESET_REQUIRED.
_LOST = frozenset({15, 16})
# What the driver does after another fault: cleaning up, and stopping the channel.
_CLEANUP = 45
_AFTERMATH = frozenset({43, _CLEANUP})
_MEMORY_ERRORS = frozenset({48, 63, 64, 92, 94, 95})
_CONTROLLER = frozenset({61, 62, 119, 120})
_OFF_THE_BUS = 79
_HARDWARE = _MEMORY_ERRORS | _CONTROLLER | {_OFF_THE_BUS}
_PROGRAM = frozenset({13, 31, 68, 69})


class Xid(NamedTuple):
    number: int
    pid: int | None
    line: str


class Fault(NamedTuple):
    words: str
    certainty: Certainty
    advice: str
    evidence: list[Evidence]


ROLE = "cause"


def check(case: Case) -> Finding | None:
    failure = failure_of(case)
    fault = _logged(case, failure) or _lost(case) or _from_cuda(failure)
    if fault is None:
        return None
    place, seen = place_of(case, failure)
    return Finding(
        message=f"{prefix(place)}{fault.words}",
        certainty=fault.certainty,
        location=place,
        culprit=Culprit(kind="device", name=_device(case)),
        evidence=[*fault.evidence, *seen, *log_lines(case, _CUDA), *_versions(case)],
        advice=[fault.advice],
    )


def xids(lines: list[str]) -> list[Xid]:
    """The driver's error lines, first cause first: what it does after an error comes last."""
    found = []
    for line in lines:
        if told := gpu_failures.XID.search(line):
            pid = gpu_failures.XID_PROCESS.search(told["rest"])
            found.append(Xid(int(told["number"]), int(pid[1]) if pid else None, line))
        elif gpu_failures.OFF_THE_BUS.search(line):
            found.append(Xid(_OFF_THE_BUS, None, line))
    return sorted(found, key=lambda xid: xid.number in _AFTERMATH)


def _logged(case: Case, failure: Failure | None) -> Fault | None:
    ours = case.recording.pids
    ours |= {process.pid for sample in case.recording.samples for process in sample.machine.processes}
    mine = [xid for xid in xids(case.recording.kernel_lines) if xid.pid is None or xid.pid in ours]
    if failure is None:
        # A program that was killed in the middle of its work leaves lines too: only the device's own faults count.
        mine = [xid for xid in mine if xid.number in _HARDWARE and case.signal is not None]
    certain = any(xid.pid in ours for xid in mine)
    spoke = bool(failure and failure.matching(_CUDA)) or _lost(case) is not None or case.signal in CRASHES
    # A line that names no process may be about anybody's work on the device.
    if all(xid.number == _CLEANUP for xid in mine) or not (certain or (spoke and devices_of(case))):
        return None
    first = mine[0]
    evidence = [Evidence(fact="the kernel's log", value=xid.line, source="KernelLogged") for xid in mine[:4]]
    return Fault(
        f"the GPU's driver reported Xid {first.number}: {_meaning(first.number)}",
        "certain" if certain else "likely",
        _advice(first.number),
        evidence,
    )


def _lost(case: Case) -> Fault | None:
    failed = [error for error in case.recording.supervisor.all(GpuFailed) if error.code in _LOST]
    if not failed or (case.exit_code == 0 and case.signal is None):
        return None
    evidence = [Evidence(fact=f"NVML about GPU {failed[0].index}", value=failed[0].error, source="GpuFailed")]
    return Fault(f"GPU {failed[0].index} was lost while the program ran", "certain", _advice(_OFF_THE_BUS), evidence)


def _from_cuda(failure: Failure | None) -> Fault | None:
    found = failure.matching(_CUDA) if failure else None
    if found is None:
        return None
    return Fault(f"work on the GPU failed ({found[0]})", "likely", _advice(31), [])


def _device(case: Case) -> str | None:
    states = devices_of(case)
    return states[0].name if len(states) == 1 else None


def _versions(case: Case) -> list[Evidence]:
    return [
        Evidence(fact="driver", value=f"{state.found.driver}, {state.found.name}", source="GpuFound")
        for state in devices_of(case)[:1]
    ]


def _meaning(number: int) -> str:
    if number == _OFF_THE_BUS:
        return "the device fell off the bus"
    if number in _MEMORY_ERRORS:
        return "a memory error of the device"
    if number in _CONTROLLER:
        return "the device's own controller stopped"
    if number in _PROGRAM:
        return "code on the device accessed memory outside its bounds"
    return "see NVIDIA's list of Xid errors"


def _advice(number: int) -> str:
    if number in _HARDWARE:
        return (
            "Reset the device (nvidia-smi --gpu-reset) or restart the machine; if it happens again, check the hardware."
        )
    return (
        "Run once with CUDA_LAUNCH_BLOCKING=1: the error is then raised by the op that caused it. Check the "
        "indices there."
    )
