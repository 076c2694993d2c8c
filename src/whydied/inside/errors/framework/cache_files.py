"""A cache file of a data set that is in use already: which stages use it, and how often they stand in the pipeline that
failed; runs in the user's process, after an exception.

Invariant: data sets are only read, nothing is iterated. A pipeline is followed through TensorFlow's own stages.
"""

from __future__ import annotations

import os
import time
from typing import Any

from whydied.inside.errors.stack_steps import Step, frame_of
from whydied.inside.guest.lookup import instance_dict
from whydied.inside.model.layer_lines import caches
from whydied.records import CacheLocked, CacheStage
from whydied.texts import data_pipelines

LARGEST_STAGES = 500
LARGEST_NAMES = 60


def look(number: int, error: BaseException, steps: list[Step]) -> CacheLocked | None:
    if type(error).__name__ != "AlreadyExistsError":
        return None
    said = data_pipelines.CACHE_LOCKED.pattern.search(str(error))
    if said is None:
        return None
    used: dict[int, int] = {}
    for pipeline in _pipelines(steps):
        counted: dict[int, int] = {}
        for stage in _stages(pipeline):
            counted[id(stage)] = counted.get(id(stage), 0) + 1
        used = {key: max(number, used.get(key, 0)) for key, number in {**used, **counted}.items()}
    alive = [one for one in caches.living() if _file(one) == said["prefix"]]
    return CacheLocked(
        link=number,
        file=said["file"],
        prefix=said["prefix"],
        age_s=_age(said["file"]),
        run_s=_running(),
        stages=[_stage(one, used.get(id(one), 0)) for one in alive[:8]],
    )


def _stage(dataset: Any, uses: int) -> CacheStage:
    line, caller = caches.line(dataset), caches.caller(dataset)
    return CacheStage(
        made=frame_of(*line) if line is not None else None,
        caller=frame_of(*caller) if caller is not None else None,
        uses=uses,
    )


def _file(dataset: Any) -> str:
    """The name that a stage was given, where it is there as a value."""
    name: Any = instance_dict(dataset).get("_filename")
    value = name.numpy() if type(name).__name__ == "EagerTensor" else b""
    return value.decode(errors="replace") if isinstance(value, bytes) else ""


def _pipelines(steps: list[Step]) -> list[Any]:
    """The data set that was being read: that of the iterator in the frames, the innermost first. Keras leaves none of
    its frames: then the data sets that the user's line has at hand."""
    for step in reversed(steps):
        for value in list(step.names.values())[:LARGEST_NAMES]:
            kind = type(value)
            if kind.__name__ == "OwnedIterator" and kind.__module__.startswith("tensorflow."):
                return [instance_dict(value).get("_dataset")]
    users = [step for step in steps if step.file is not None]
    return [value for step in users[-1:] for value in list(step.names.values())[:LARGEST_NAMES] if _is_data(value)]


def _is_data(value: Any) -> bool:
    return type(value).__module__.startswith("tensorflow.") and "_variant_tensor_attr" in instance_dict(value)


def _stages(dataset: Any) -> list[Any]:
    """All stages that a data set reads through, one as often as it is read."""
    found: list[Any] = []
    pending = [dataset]
    while pending and len(found) < LARGEST_STAGES:
        one = pending.pop()
        if one is None or not type(one).__module__.startswith("tensorflow."):
            continue
        found.append(one)
        pending += one._inputs() if hasattr(type(one), "_inputs") else []
    return found


def _age(path: str) -> float | None:
    try:
        return max(0.0, time.time() - os.stat(path).st_mtime)
    except OSError:
        return None


def _running() -> float | None:
    """Seconds since this process began."""
    try:
        with open("/proc/self/stat", encoding="ascii", errors="replace") as file:
            ticks = int(file.read().rpartition(")")[2].split()[19])
        return time.clock_gettime(time.CLOCK_BOOTTIME) - ticks / os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError, IndexError, AttributeError):
        return None
