"""The program asks for a GPU, and the library that computes has none.

## What it detects
An index into the empty list that `tf.config.list_physical_devices("GPU")` gave, an op that was put on a GPU which
TensorFlow does not have, and PyTorch's "Torch not compiled with CUDA enabled".

## Why it happens
The code was written on a machine with a GPU. Here there is none, or the library does not use it: a build without CUDA,
libraries that are missing, a variable that hides it.

## Evidence
The exception; the list on that line with its length; the statement that made it; the devices that the library found;
NVML's list of GPUs.

## How it is proved
The list is empty and was made by a call that lists GPUs, or the library says itself that it has no such device:
certain.

## Fix
Ask for the GPU only where there is one (`if gpus:`); where there is one that is not used, what the reason names.

## References
keshavoct98/Indian-Number-Plate-Recognition issue 2; frankkramer-lab/MIScnn issue 32.
"""

from __future__ import annotations

import ast

from whydied.diagnose.case import Case, prefix
from whydied.diagnose.errors.exception_words import evidence_of
from whydied.diagnose.finding import Culprit, Finding, Location
from whydied.diagnose.gpu import builds
from whydied.diagnose.gpu.device_blocks import DeviceBlock, device_block, soft_session
from whydied.diagnose.gpu.unused_devices import reason
from whydied.records import RaisedException
from whydied.source.edits.edit import Change
from whydied.source.edits.statement_edits import only_if
from whydied.source.trees import across, written
from whydied.texts import gpu_failures

_LISTS = ("list_physical_devices", "list_logical_devices", "get_visible_devices")

ROLE = "explanation"


def check(case: Case) -> Finding | None:
    raised = case.uncaught
    for link in raised.chain if raised else []:
        place = case.locate_exception([link, *raised.chain]) if raised else None
        found = _missed(case, link, place)
        if found is None or raised is None:
            continue
        what, advice, name = found
        why = reason(case)
        block = _block(case, raised.chain) if gpu_failures.DEVICE_NOT_AVAILABLE.search(link.message) else None
        changes = _only_with(case, place, name) if name and place is not None else []
        if block is not None:
            place = block.place
            what = f"`{block.device}` places what is made below it on a GPU, and TensorFlow has none of that number"
            soft = soft_session(case)
            advice = f"Leave out `{block.device}`, or {soft.words}." if soft is not None else advice
            changes = soft.changes if soft is not None else []
        return Finding(
            message=f"{prefix(place)}{what}{f': {why}' if why else ''}",
            certainty="certain",
            location=place,
            culprit=Culprit(kind="device", name="GPU"),
            evidence=evidence_of(link, raised),
            advice=[advice],
            changes=changes,
        )
    return None


def _missed(case: Case, link: RaisedException, place: Location | None) -> tuple[str, str, str] | None:
    """What the program asked for in vain, what to write instead, and the name of the empty list."""
    if link.type == "IndexError" and place is not None:
        empty = [one.text for one in link.operands if one.length == 0]
        name = next((text for text in empty if _lists_gpus(case, text)), "")
        direct = any(name in (place.source or "") for name in _LISTS)
        if name:
            words = f"Write `if {name}:` around what uses it."
            return f"TensorFlow found no GPU, so `{name}` is empty", words, name
        return ("TensorFlow found no GPU, and this line takes the first one", _FIRST, "") if direct else None
    if told := gpu_failures.DEVICE_NOT_AVAILABLE.search(link.message):
        return f"an op is placed on GPU {told['index']}, and TensorFlow has none of that number", _SOFT, ""
    if gpu_failures.TORCH_WITHOUT_CUDA.search(link.message):
        build = next((one for one in builds.seen_devices(case) if one.library == "torch"), None)
        name = builds.spelled(build) if build else "this PyTorch"
        return f"the program asks for CUDA, and {name} cannot use it", _TORCH, ""
    return None


def _only_with(case: Case, place: Location, name: str) -> list[Change]:
    """The statements that use the list, or what is made of it, only where it is not empty."""
    source = case.project.get(place.file)
    edits = only_if(source, place.file, place.line, name) if source is not None else []
    return [Change(title=f"Use `{name}` only where it is not empty", kind="statement", edits=edits)] if edits else []


def _block(case: Case, chain: list[RaisedException]) -> DeviceBlock | None:
    """The device block around what made the op, which the text of one of the exceptions names."""
    found = (device_block(case, link.message) for link in chain)
    return next((one for one in found if one is not None), None)


_FIRST = "Keep the list under a name and write `if gpus:` around what uses it."
_SOFT = "Leave out `tf.device`, or let TensorFlow choose: `tf.config.set_soft_device_placement(True)`."
_TORCH = 'Choose the device: `device = "cuda" if torch.cuda.is_available() else "cpu"`, and `.to(device)`.'


def _lists_gpus(case: Case, name: str) -> bool:
    """Whether a name is assigned what a call gives that lists the GPUs."""
    for _, node in across(case.sources, ast.Assign):
        if any(written(target) == name for target in node.targets):
            text = ast.unparse(node.value)
            if any(listing in text for listing in _LISTS) and "GPU" in text:
                return True
    return False
