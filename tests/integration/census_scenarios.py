"""Programs in which something is kept, one after the other in one process; a census of each goes to stdout as JSON.

Started by test_census_tensorflow.py. Each scenario lets go of what it kept before the next one begins.
"""

from __future__ import annotations

import gc
import json
import sys
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import keras
import msgspec
import numpy as np
import tensorflow as tf

from whydied.inside.census import census

SHAPE = [256, 1024]
KEPT = 40


def tell(name: str) -> None:
    gc.collect()
    taken = census.take("peek")
    assert taken is not None
    record = json.loads(msgspec.json.encode(taken))
    record["name"] = name
    sys.stdout.write(json.dumps(record) + "\n")
    sys.stdout.flush()


tensors: list[Any] = []


def module_level() -> None:
    for _ in range(KEPT):
        tensors.append(tf.ones(SHAPE))
    tell("module level")
    tensors.clear()


def in_a_function() -> None:
    kept = []
    for _ in range(KEPT):
        kept.append(tf.ones(SHAPE))
    tell("function")


class Trainer:
    def __init__(self) -> None:
        self.debug: list[Any] = []

    def step(self) -> None:
        self.debug.append(tf.ones(SHAPE))


def attribute() -> None:
    trainer = Trainer()
    for _ in range(KEPT):
        trainer.step()
    tell("attribute")


def dictionary_of_lists() -> None:
    outputs: dict[str, list[Any]] = {"loss": [], "activation": []}
    for step in range(KEPT):
        outputs["loss"].append(float(step))
        outputs["activation"].append(tf.ones(SHAPE))
    tell("dictionary of lists")


def make_adder() -> Callable[[], None]:
    history: list[Any] = []

    def add() -> None:
        history.append(tf.ones(SHAPE))

    return add


def closure() -> None:
    add = make_adder()
    for _ in range(KEPT):
        add()
    tell("closure")


recent: deque[Any] = deque()


def ring() -> None:
    for _ in range(KEPT):
        recent.append(tf.ones(SHAPE))
    tell("deque")
    recent.clear()


@dataclass
class Statistics:
    values: list[Any] = field(default_factory=list)


def dataclass_field() -> None:
    statistics = Statistics()
    for _ in range(KEPT):
        statistics.values.append(tf.ones(SHAPE))
    tell("dataclass")


def records_of_arrays() -> None:
    samples = []
    for number in range(KEPT):
        samples.append({"id": number, "image": np.full(SHAPE, number, np.float32)})
    tell("records of arrays")


def variables_in_a_loop() -> None:
    made = []
    for _ in range(KEPT):
        made.append(tf.Variable(tf.ones(SHAPE)))
    tell("variables")


class Remembering(keras.layers.Layer):
    def __init__(self) -> None:
        super().__init__()
        self.cache: list[Any] = []

    def call(self, inputs: Any) -> Any:
        self.cache.append(inputs * 2.0)
        return inputs


def custom_layer() -> None:
    model = keras.Sequential([keras.layers.Input([1024]), keras.layers.Flatten(), Remembering()])
    model.layers[1].cache.clear()
    for number in range(KEPT):
        model(tf.fill(SHAPE, float(number)))
    tell("custom layer")


class Collecting(keras.callbacks.Callback):
    def __init__(self) -> None:
        super().__init__()
        self.outputs: list[Any] = []

    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
        self.outputs.append(tf.fill(SHAPE, float(batch)))

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        tell("callback")


def callback() -> None:
    model = keras.Sequential([keras.layers.Input([8]), keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    rows = KEPT * 4
    model.fit(np.ones([rows, 8]), np.ones([rows, 1]), batch_size=4, verbose=0, callbacks=[Collecting()])


def tensors_in_history() -> None:
    model = keras.Sequential([keras.layers.Input([8]), keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    history = model.fit(np.ones([8, 8]), np.ones([8, 1]), verbose=0)
    history.history["outputs"] = []
    for number in range(KEPT):
        history.history["outputs"].append(tf.fill(SHAPE, float(number)))
    tell("history")


def models_in_a_list() -> None:
    candidates = []
    for _ in range(KEPT):
        candidates.append(keras.Sequential([keras.layers.Input([256]), keras.layers.Dense(1024)]))
    tell("models")


def growing_graph() -> None:
    graph = tf.Graph()
    with graph.as_default():
        value = tf.compat.v1.placeholder(tf.float32, [4])
        for _ in range(500):
            value = value + 1.0
        sessions = [tf.compat.v1.Session(graph=graph) for _ in range(3)]
    tell("graph")
    for session in sessions:
        session.close()


def many_small_tensors() -> None:
    crowd = []
    for _ in range(20_000):
        crowd.append(tf.zeros([64]))
    tell("crowd")


def aliases() -> None:
    original = tf.random.normal([1024, 1024])
    flat = tf.reshape(original, [-1])
    tell("aliases")
    del original, flat


def copies() -> None:
    rows = np.random.default_rng(0).normal(size=[2000, 784])
    single = rows.astype(np.float32)
    tensor = tf.convert_to_tensor(single)
    tell("copies")
    del rows, single, tensor


def main() -> None:
    for scenario in (
        module_level,
        in_a_function,
        attribute,
        dictionary_of_lists,
        closure,
        ring,
        dataclass_field,
        records_of_arrays,
        variables_in_a_loop,
        custom_layer,
        callback,
        tensors_in_history,
        models_in_a_list,
        growing_graph,
        many_small_tensors,
        aliases,
        copies,
    ):
        scenario()


if __name__ == "__main__":
    main()
