"""The learning rate at which a loss falls, on losses that NumPy computes."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy

from whydied.records import Capture, FedValue, StateValue, Suspect
from whydied.replay.descent import descent
from whydied.replay.execution.graph_nodes import Source, tensor_source

LOSS, SLOPE = tensor_source("loss:0"), tensor_source("slope:0")


class Regression:
    """A line through points, as the trials of a replay compute it: loss and gradient of one weight."""

    def __init__(self, x: Any, y: Any, sign: float = 1.0) -> None:
        self.batch = SimpleNamespace(rows=len(x))
        self.x, self.y, self.sign = x, y, sign
        self.is_over = self.is_late = False

    def values(self, targets: tuple[Source, ...], feeds: dict[Source, Any], variables: dict[str, Any]) -> list[Any]:
        assert targets == (LOSS, SLOPE)
        x = feeds.get(tensor_source("x:0"), self.x)
        y = feeds.get(tensor_source("y:0"), self.y)
        with numpy.errstate(all="ignore"):
            error = x @ variables["w"] - y
            slope = 2 * x.T @ error / len(x)
            return [self.sign * numpy.mean(error * error), (self.sign * slope).astype("float32")]


def scene(x: Any, y: Any, slot: str = "") -> Any:
    fed = {
        tensor_source(f"{name}:0"): FedValue(
            tensor=f"{name}:0", name=name, role="batch", shape=list(value.shape), dtype="float32"
        )
        for name, value in (("x", x), ("y", y))
    }
    state = {"w": StateValue(node="w", name="dense/kernel", role="weight", shape=[3, 1], dtype="float32")}
    if slot:
        state["v"] = StateValue(node="v", name=slot, role="slot", shape=[3, 1], dtype="float32")
    suspects = [
        Suspect(role="loss", name="", tensor="loss:0"),
        Suspect(role="gradient", name="dense/kernel", tensor="slope:0"),
    ]
    return SimpleNamespace(
        capture=Capture(kind="traced", suspects=suspects),
        targets=(LOSS, SLOPE),
        fed=fed,
        feeds={tensor_source("x:0"): x, tensor_source("y:0"): y},
        state=state,
        variables={"w": numpy.full([3, 1], 1e30, "float32")},
    )


def points(scale: float) -> tuple[Any, Any]:
    draw = numpy.random.default_rng(0)
    x = (scale * draw.normal(size=[32, 3])).astype("float32")
    return x, (x / scale @ numpy.ones([3, 1])).astype("float32")


def test_data_of_ordinary_size_bears_an_ordinary_rate() -> None:
    x, y = points(1.0)
    trials: Any = Regression(x, y)
    found = descent(scene(x, y), trials)
    assert found is not None
    assert (found.rate, found.scaled, found.scaled_rate, found.signed) == (0.1, [], None, False)


def test_data_far_from_one_bears_a_tiny_rate_and_an_ordinary_one_once_it_is_scaled() -> None:
    x, y = points(1e5)
    trials: Any = Regression(x, y)
    found = descent(scene(x, y), trials)
    assert found is not None
    assert found.rate is not None
    assert found.rate <= 1e-10
    assert (found.scaled, found.scaled_rate) == (["x"], 0.1)


def test_a_loss_without_a_lower_bound_falls_at_any_rate() -> None:
    x, y = points(1.0)
    trials: Any = Regression(x, y, sign=-1.0)
    found = descent(scene(x, y), trials)
    assert found is not None
    assert found.rate == 10.0


def test_an_optimizer_that_divides_by_the_size_of_gradients_goes_by_their_signs() -> None:
    x, y = points(1.0)
    trials: Any = Regression(x, y)
    found = descent(scene(x, y, slot="adam/dense_kernel_velocity"), trials)
    assert found is not None
    assert found.signed


def test_nothing_is_said_where_no_gradient_is_named() -> None:
    x, y = points(1.0)
    given = scene(x, y)
    given.capture = Capture(kind="traced", suspects=[Suspect(role="loss", name="", tensor="loss:0")])
    given.targets = (LOSS,)
    trials: Any = Regression(x, y)
    assert descent(given, trials) is None
