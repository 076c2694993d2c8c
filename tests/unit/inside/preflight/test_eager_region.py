"""Which statements are the step of an eager loop, and what of the program's data becomes an argument."""

from __future__ import annotations

import linecache
import sys
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
import pytest

from whydied.inside.preflight.eager_region import Region, regions

FOUND: list[list[Region]] = []


class Tape:
    """Stands for a `GradientTape`: looks for the step of the first time that it is opened."""

    def __enter__(self) -> Tape:
        if not FOUND:
            FOUND.append(list(regions(_caller())))
        return self

    def __exit__(self, *_: Any) -> None:
        return

    def gradient(self, loss: Any, weights: Any) -> Any:
        return [loss for _ in weights]


class Optimizer:
    def __init__(self) -> None:
        self.applied: list[Any] = []

    def apply_gradients(self, pairs: Any) -> None:
        self.applied += [np.shape(gradient) for gradient, _ in pairs]


def _caller() -> FrameType:
    return sys._getframe(2)


def run(tmp_path: Path, source: str) -> tuple[list[Region], dict[str, Any]]:
    """The regions that are found when the program opens its first tape."""
    FOUND.clear()
    file = tmp_path / "program.py"
    file.write_text(source)
    linecache.checkcache(str(file))
    names = {
        "Tape": Tape,
        "np": np,
        "optimizer": Optimizer(),
        "weights": [1.0],
        "x": np.ones((12, 3)),
        "y": np.ones(12),
    }
    exec(compile(source, str(file), "exec"), names)
    return FOUND[0], names


LOOP = """
for start in range(0, 12, 4):
    images = x[start:start + 4]
    with Tape() as tape:
        images = images * 2
        loss = images.sum(axis=1)
    gradients = tape.gradient(loss, weights)
    optimizer.apply_gradients(zip(gradients, weights))
    print(float(loss[0]))
"""


def test_a_step_ends_where_the_weights_are_updated(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found, names = run(tmp_path, LOOP)
    capsys.readouterr()
    first = found[0]
    assert first.updates
    assert first.stays
    assert [one.shape for one in first.arguments] == [(4, 3)]
    names["optimizer"].applied.clear()
    first.function(np.zeros((7, 3)))
    assert names["optimizer"].applied == [(7,)]
    assert capsys.readouterr().out == ""


def test_slices_of_arrays_are_the_batch(tmp_path: Path) -> None:
    source = """
for i in range(2):
    with Tape() as tape:
        loss = (x[i * 4:i * 4 + 4].sum(axis=1) - y[i * 4:i * 4 + 4]) ** 2
    optimizer.apply_gradients(zip(tape.gradient(loss, weights), weights))
"""
    found, names = run(tmp_path, source)
    assert [one.shape for one in found[0].arguments] == [(4, 3), (4,)]
    names["optimizer"].applied.clear()
    found[0].function(np.zeros((9, 3)), np.zeros(9))
    assert names["optimizer"].applied == [(9,)]


def test_the_update_may_be_the_callers(tmp_path: Path) -> None:
    source = """
def gradients_of(images):
    with Tape() as tape:
        loss = images.sum(axis=1)
    return tape.gradient(loss, weights)


def step(images):
    found = gradients_of(images)
    optimizer.apply_gradients(zip(found, weights))


step(x)
"""
    found, names = run(tmp_path, source)
    assert found[0].updates
    assert not found[0].stays
    names["optimizer"].applied.clear()
    found[0].function(np.zeros((5, 3)))
    assert names["optimizer"].applied == [(5,)]
    # What is left where that cannot be traced: up to the gradient.
    assert [one.updates for one in found] == [True, False]


def test_a_break_and_a_counter_of_the_loop(tmp_path: Path) -> None:
    source = """
count = 0
for images in (x, x):
    with Tape() as tape:
        count += 1
        if count > 100:
            break
        loss = images.sum(axis=1)
    optimizer.apply_gradients(zip(tape.gradient(loss, weights), weights))
"""
    found, _ = run(tmp_path, source)
    assert [one.shape for one in found[0].arguments] == [(12, 3)]
    found[0].function(np.zeros((2, 3)))


def test_gradients_that_nobody_applies_are_not_an_update(tmp_path: Path) -> None:
    source = """
with Tape() as tape:
    loss = x.sum(axis=1)
seen = tape.gradient(loss, weights)
"""
    found, _ = run(tmp_path, source)
    assert [one.updates for one in found] == [False]
