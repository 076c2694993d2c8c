"""A program for test_accumulation.py: trains with one large batch and with accumulated small ones, and compares.

Arguments: the package ("keras" or "tf_keras"), the optimizer, the way of training ("fit", "eager" or "function").
Writes the largest difference of weights, and how far training moved them, of each comparison.
"""

from __future__ import annotations

import importlib
import sys
from typing import Any

import numpy as np
import tensorflow as tf

import whydied

PACKAGE, OPTIMIZER, WAY = sys.argv[1:4]
keras: Any = importlib.import_module(PACKAGE)
STEPS, BATCH, UPDATES = 4, 8, 5
generator = np.random.default_rng(1)
x = generator.normal(size=(STEPS * BATCH * UPDATES, 6)).astype("float32")
y = generator.normal(size=(len(x), 1)).astype("float32")
# Each id once: Keras 3 takes a row of an embedding that a batch has twice for two gradients, not for their sum.
ids = generator.permutation(len(x))[:, None]


def model() -> Any:
    keras.utils.set_random_seed(7)
    numbers, words = keras.Input((6,)), keras.Input((1,), dtype="int64")
    embedded = keras.layers.Flatten()(keras.layers.Embedding(len(x), 3)(words))
    hidden = keras.layers.Dense(5, activation="tanh")(keras.layers.Concatenate()([numbers, embedded]))
    return keras.Model([numbers, words], keras.layers.Dense(1)(hidden))


def optimizer() -> Any:
    o = keras.optimizers
    if OPTIMIZER == "legacy":
        return o.legacy.SGD(0.05, momentum=0.9)
    if OPTIMIZER == "scaled":
        inner = o.SGD(0.05)
        kind = o.LossScaleOptimizer if hasattr(o, "LossScaleOptimizer") else keras.mixed_precision.LossScaleOptimizer
        return kind(inner, initial_scale=8.0)
    schedule = o.schedules.ExponentialDecay(0.05, 2, 0.5)
    return {
        "sgd": lambda: o.SGD(0.05, momentum=0.9),
        "adam": lambda: o.Adam(0.01),
        "clipped": lambda: o.AdamW(0.01, weight_decay=0.1, clipnorm=0.5),
        "scheduled": lambda: o.SGD(schedule),
    }[OPTIMIZER]()


def train(batch: int, chosen: Any, rows: int) -> Any:
    trained = model()
    if WAY == "fit":
        trained.compile(chosen, "mse")
        trained.fit([x[:rows], ids[:rows]], y[:rows], batch_size=batch, epochs=1, shuffle=False, verbose=0)
        return trained

    def step(one: Any, word: Any, target: Any) -> None:
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((trained([one, word], training=True) - target) ** 2)
        variables = trained.trainable_variables
        chosen.apply_gradients(zip(tape.gradient(loss, variables), variables, strict=True))

    run = tf.function(step) if WAY == "function" else step
    for at in range(0, rows, batch):
        run(tf.constant(x[at : at + batch]), tf.constant(ids[at : at + batch]), tf.constant(y[at : at + batch]))
    return trained


def apart(one: Any, other: Any) -> float:
    pairs = zip(one.get_weights(), other.get_weights(), strict=True)
    return max(float(np.abs(weight - like).max()) for weight, like in pairs)


def tell(name: str, difference: float, moved: float) -> None:
    sys.stdout.write(f"{name} {difference} {moved}\n")


large = train(BATCH * STEPS, optimizer(), len(x))
small = train(BATCH, whydied.accumulate(optimizer(), STEPS), len(x))
tell("whole", apart(large, small), apart(large, model()))

# A window that is not full waits, and its flush is the update of one batch of all that is there.
chosen = whydied.accumulate(optimizer(), STEPS)
partial = train(BATCH, chosen, BATCH * 2)
tell("waiting", apart(partial, model()), 1.0)
chosen.flush()
tell("flushed", apart(partial, train(BATCH * 2, optimizer(), BATCH * 2)), apart(partial, model()))
kept = partial.get_weights()
chosen.flush()
tell("again", max(float(np.abs(a - b).max()) for a, b in zip(kept, partial.get_weights(), strict=True)), 1.0)
