"""The watched tensors of a run, as a short table. Pure; from TensorLogged records."""

from __future__ import annotations

import msgspec

from whydied.read.recording import Recording
from whydied.records import TensorLogged

LARGEST_TABLE = 40


class WatchedTensor(msgspec.Struct, frozen=True, kw_only=True):
    """A watched tensor when it was last logged. `norm_first` is its norm when it was logged first."""

    name: str
    role: str
    step: int
    logged: int
    shape: list[int]
    nonfinite: int = 0
    least: float | None = None
    greatest: float | None = None
    mean: float | None = None
    norm: float | None = None
    norm_first: float | None = None


def watched_tensors(recording: Recording) -> list[WatchedTensor]:
    """In the order in which they were logged first."""
    kept: dict[str, list[TensorLogged]] = {}
    for process in recording.processes:
        for logged in process.all(TensorLogged):
            kept.setdefault(logged.name, []).append(logged)
    return [_summed(series) for series in list(kept.values())[:LARGEST_TABLE]]


def _summed(series: list[TensorLogged]) -> WatchedTensor:
    last = series[-1]
    numbers = last.numbers
    return WatchedTensor(
        name=last.name,
        role=last.role,
        step=last.step,
        logged=len(series),
        shape=numbers.shape,
        nonfinite=numbers.nonfinite,
        least=numbers.least,
        greatest=numbers.greatest,
        mean=numbers.mean,
        norm=numbers.norm,
        norm_first=series[0].numbers.norm,
    )


def lines_of(watched: list[WatchedTensor]) -> list[str]:
    """One line a tensor."""
    return list(map(_line, watched))


def _line(one: WatchedTensor) -> str:
    if one.least is None or one.greatest is None or one.mean is None or one.norm is None:
        values = "no finite value" if one.nonfinite else "empty"
    else:
        values = f"{one.least:.3g} to {one.greatest:.3g}, mean {one.mean:.3g}, norm {one.norm:.3g}"
        if one.norm_first is not None and one.logged > 1:
            values += f" (first {one.norm_first:.3g})"
    bad = f", {one.nonfinite} not finite" if one.nonfinite else ""
    return f"{one.name} {one.shape} at use {one.step}: {values}{bad}"
