"""Another process holds the memory of the GPU that the program needed.

## What it detects
A program that found no memory on its GPU while processes outside of it held a fifth of the device or more, and
whose request would have fitted without them.

## Why it happens
The device is shared: another user, a notebook whose kernel still lives, a run that was stopped and not ended, a
display. TensorFlow takes nearly the whole device unless told otherwise, and keeps it until its process ends.

## Evidence
NVML's list of the processes on the device with their memory, from the last look before the failure; since when each
is there; what the program asked for and what it held itself.

## How it is proved
Where the failed request is known and it would have fitted beside the program's own memory on an otherwise empty
device: certain. Otherwise likely.

## Fix
Wait for the other process or end it, choose another GPU with `CUDA_VISIBLE_DEVICES`, or share: memory growth or a
limit (`tf.config.LogicalDeviceConfiguration`) in both programs.

## Known problems
In a container the driver may tell numbers of processes that cannot be matched: such a process is not called a
stranger. The display and other small holders below a fifth of the device are not reported.

## References
tensorflow/tensorflow issues 8170, 9400.
"""

from __future__ import annotations

from whydied import words
from whydied.diagnose.case import Case
from whydied.diagnose.finding import Culprit, Evidence, Finding
from whydied.diagnose.gpu.devices import DeviceState, failure_of, used_device, who
from whydied.diagnose.rules.gpu.device_memory_exhausted import shortage_of
from whydied.records import DeviceProcess

FOREIGN_SHARE = 0.2
_USABLE_SHARE = 0.97

ROLE = "cause"


def check(case: Case) -> Finding | None:
    shortage = shortage_of(case, failure_of(case))
    device = used_device(case)
    if shortage is None or device is None or not device.foreign:
        return None
    if device.foreign_bytes < FOREIGN_SHARE * device.found.total_bytes:
        return None
    found = shortage.exhaustion
    asked = found.asked_bytes
    in_use = found.in_use_bytes if found.in_use_bytes is not None else 0
    if asked and asked + in_use > _USABLE_SHARE * device.found.total_bytes:
        return None
    largest = device.foreign[0]
    needed = f" and needed {words.size(asked)} more" if asked else ""
    return Finding(
        message=f"{device.name}: {who(largest)} holds {words.size(largest.used_bytes)}{_others(device)}, "
        f"{_since(largest, device)}; {case.program} held {words.size(device.own_bytes)}{needed}",
        certainty="certain" if asked and shortage.certainty == "certain" else "likely",
        culprit=Culprit(
            kind="process", name=largest.name or None, bytes=largest.used_bytes, value=f"pid {largest.pid}"
        ),
        evidence=[
            *device.evidence(),
            *(
                [Evidence(fact="its command", value=largest.command, source=f"/proc/{largest.pid}/cmdline")]
                if largest.command
                else []
            ),
            *(
                [Evidence(fact="its age when seen", value=words.duration(largest.age_s), source="GpuSampled")]
                if largest.age_s is not None
                else []
            ),
        ],
        advice=["Wait for that process or stop it, or choose another GPU with CUDA_VISIBLE_DEVICES."],
    )


def _others(device: DeviceState) -> str:
    rest = device.foreign[1:]
    if not rest:
        return ""
    total = words.size(sum(process.used_bytes or 0 for process in rest))
    return f" ({words.count(len(rest), 'other process')} {total})"


def _since(process: DeviceProcess, device: DeviceState) -> str:
    before = next((seen for seen in device.first.processes if seen.pid == process.pid), None)
    if before is None:
        return "taken while the program ran"
    grown = (process.used_bytes or 0) - (before.used_bytes or 0)
    if grown > (process.used_bytes or 0) / 2:
        return f"{words.size(grown)} of it taken while the program ran"
    return "since before the program started"
