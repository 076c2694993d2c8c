"""The memory of the GPU ran out.

## What it detects
A program that ended by a `ResourceExhaustedError` of a GPU's allocator, by `CUDA_ERROR_OUT_OF_MEMORY`, by "Dst
tensor is not initialized" (an array that did not fit when it was copied to the device), or by a cuDNN that could
not start because no memory was left for it.

## Why it happens
The tensors of a step, together with the weights, need more memory than the device has. Or the memory is there
in pieces, none of them large enough (fragmentation). Or another process holds it, which the finding
`device-held-by-others` says. TensorFlow takes nearly the whole device at its start unless told otherwise, and
libraries that need memory of their own (cuDNN) may then find none.

## Evidence
The exception, with the shape, type and allocator that it quotes; the allocator's dump in the log: its limit, what was
in use, the free memory and its largest piece, the largest holders; NVML's numbers for the device and for each
process on it, from the last look before the failure.

## How it is proved
An error of the allocator or of the driver is direct evidence: certain. A cuDNN that does not start is called a
lack of memory only where it says so itself or where less than 2.5 % of the device was free before (TensorFlow leaves
about 5 % when it takes everything): likely.

## Fix
Ask for less at the line shown: a smaller batch where the largest holders are activations, batches instead of
the whole data set, a `tf.data` pipeline on the host instead of one large array. Against fragmentation
`TF_GPU_ALLOCATOR=cuda_malloc_async`. For cuDNN `tf.config.experimental.set_memory_growth`.

## Known problems
Memory by process is not told on every system (Windows, some containers, MIG). TensorFlow holds memory that it does
not use, so the memory of a process says nothing about its tensors: for that the allocator's numbers count.

## References
tensorflow/tensorflow issues 24828, 52086, 60401; keras-team/keras issue 16997.
"""

from __future__ import annotations

from typing import NamedTuple

from whydied import words
from whydied.diagnose.case import Case, prefix
from whydied.diagnose.finding import Certainty, Culprit, Evidence, Finding
from whydied.diagnose.gpu.devices import DeviceState, Failure, failure_of, log_lines, place_of, used_device
from whydied.diagnose.memory import allocator_messages
from whydied.diagnose.memory.allocator_messages import Exhaustion
from whydied.diagnose.memory.compiled_steps import compiled_step
from whydied.texts import allocators, gpu_failures
from whydied.texts.entry import any_of

SCARCE_SHARE = 0.025
_CUDA = any_of(allocators.CUDA_OUT_OF_MEMORY, allocators.CUDA_RUNTIME_OUT_OF_MEMORY)
_LIBRARY = any_of(gpu_failures.LIBRARY_DID_NOT_START, gpu_failures.LIBRARY_NOT_FOUND)


class Shortage(NamedTuple):
    """How the device ran out: what the allocator said, and how sure that is."""

    exhaustion: Exhaustion
    certainty: Certainty
    kind: str


ROLE = "death"
YIELDS_TO = ("terminated",)


def check(case: Case) -> Finding | None:
    failure = failure_of(case)
    shortage = shortage_of(case, failure)
    if failure is None or shortage is None:
        return None
    device, exhaustion = used_device(case), shortage.exhaustion
    place, seen = place_of(case, failure)
    return Finding(
        message=f"{prefix(place)}{_sentence(shortage, device)}",
        certainty=shortage.certainty,
        location=place,
        culprit=Culprit(
            kind="tensor",
            name=exhaustion.op,
            shape=list(exhaustion.shape) if exhaustion.shape else None,
            dtype=exhaustion.dtype,
            bytes=exhaustion.asked_bytes,
        )
        if exhaustion.asked_bytes or exhaustion.shape
        else None,
        evidence=[
            *seen,
            *_allocator(exhaustion),
            *(device.evidence() if device else []),
            *log_lines(case, gpu_failures.MEMORY_IN_LOG.pattern),
        ],
        advice=[*_advice(shortage), *([step.advice] if (step := compiled_step(case)) else [])],
    )


def shortage_of(case: Case, failure: Failure | None) -> Shortage | None:
    """The shortage of device memory that the failure tells of, if it is one."""
    if failure is None:
        return None
    log = case.recording.output
    if failure.raised is None:
        if not (_CUDA.search(failure.text) or _LIBRARY.search(failure.text)):
            return None
    elif told := _told(case, failure, log):
        return told
    if gpu_failures.COPY_WITHOUT_ROOM.search(failure.text):
        logged = allocator_messages.parse("", log)
        if logged and logged.is_device:
            return Shortage(logged, "certain", "copy")
        return Shortage(Exhaustion(), "likely", "copy")
    if failure.matching(_CUDA):
        return Shortage(allocator_messages.parse(failure.text, log) or Exhaustion(), "certain", "request")
    if failure.matching(_LIBRARY) and _starved_library(case, failure.text + log):
        return Shortage(Exhaustion(), "likely", "library")
    return None


def _told(case: Case, failure: Failure, log: str) -> Shortage | None:
    for link in reversed(failure.raised.chain if failure.raised else []):
        if link.type != "ResourceExhaustedError" and not gpu_failures.OUT_OF_MEMORY_STATUS.search(link.message):
            continue
        exhaustion = allocator_messages.parse(link.message, log)
        if exhaustion is None:
            continue
        if exhaustion.is_device:
            return Shortage(exhaustion, "certain", "request")
        device = used_device(case)
        # XLA names no device: memory that the program holds on a GPU tells that it computes there.
        if exhaustion.allocator is None and exhaustion.device is None and device and device.own_bytes:
            return Shortage(exhaustion, "likely", "request")
    return None


def _starved_library(case: Case, text: str) -> bool:
    if gpu_failures.OTHER_REASON.search(text):
        return False
    if gpu_failures.LIBRARY_WITHOUT_MEMORY.search(text):
        return True
    device = used_device(case)
    return device is not None and device.free_share < SCARCE_SHARE


def _sentence(shortage: Shortage, device: DeviceState | None) -> str:
    found = shortage.exhaustion
    where = device.name if device else "the GPU"
    if shortage.kind == "library":
        free = f": {words.size(device.last.free_bytes)} was free before" if device else ""
        return f"cuDNN could not be initialised because {where} had no memory left for it{free}"
    asked = words.size(found.asked_bytes) if found.asked_bytes else "what was asked for"
    shape = f" (shape {list(found.shape)}, {found.dtype})" if found.shape else ""
    asked += " that XLA asked for the whole compiled step" if found.compiled else ""
    what = "an array copied to it as a whole" if shortage.kind == "copy" and not found.asked_bytes else asked
    return f"{where} had no room for {what}{shape}{_state(found, device)}"


def _state(found: Exhaustion, device: DeviceState | None) -> str:
    if found.fragmented:
        return (
            f": {words.size(found.free_bytes)} was free, but in pieces of at most "
            f"{words.size(found.largest_free_bytes)}"
        )
    if found.limit_bytes and found.in_use_bytes is not None:
        return f": {words.size(found.in_use_bytes)} of the allocator's {words.size(found.limit_bytes)} was in use"
    if found.device_free_bytes is not None:
        return f": {words.size(found.device_free_bytes)} was free"
    if device:
        return f": {words.size(device.last.free_bytes)} was free at the last sample"
    return ""


def _allocator(found: Exhaustion) -> list[Evidence]:
    source = f"the dump of allocator {found.allocator}" if found.limit_bytes else "the exception"
    sizes = {
        "requested": found.asked_bytes,
        "in use": found.in_use_bytes,
        "limit of the allocator": found.limit_bytes,
        "free in its pool": found.free_bytes,
        "largest free chunk": found.largest_free_bytes,
        "not yet allocated from the device": found.unreserved_bytes,
    }
    facts = [
        Evidence(fact=fact, value=words.size(size), source=source) for fact, size in sizes.items() if size is not None
    ]
    facts += [
        Evidence(fact=f"held by op {use.name}", value=words.size(use.used_bytes), source="the exception")
        for use in found.uses[:4]
    ]
    if found.groups and not found.uses:
        largest = "; ".join(
            f"{words.count(group.pieces, 'piece')} of {words.size(group.chunk_bytes)}" for group in found.groups[:4]
        )
        facts.append(Evidence(fact="largest holders", value=largest, source=source))
    return facts


def _advice(shortage: Shortage) -> list[str]:
    if shortage.kind == "library":
        return ["Let TensorFlow leave room: tf.config.experimental.set_memory_growth(gpu, True) before the first op."]
    if shortage.kind == "copy":
        return [
            "Feed the data in batches from the host (tf.data): a smaller batch size does not make the array smaller."
        ]
    if shortage.exhaustion.fragmented:
        return ["The memory is fragmented: try TF_GPU_ALLOCATOR=cuda_malloc_async, or sizes that vary less."]
    return ["Request less on this line: a smaller batch, or batches where the whole data set is passed at once."]
