"""Every way to declare a contract, kept; and an inferred one that is broken on purpose and without harm."""

import keras
import numpy as np
import tensorflow as tf

import whydied

rng = np.random.default_rng(1)
x = whydied.expect(rng.random([200, 4], "float32"), "rows 4", dtype="float32", low=0, high=1, finite=True)
y = whydied.expect(rng.integers(0, 3, 200), "rows", classes=3, one_of=[0, 1, 2])
whydied.expect((x, y), ("n 4", "n"))
model = keras.Sequential([keras.layers.Input([4]), keras.layers.Dense(3)])
model.compile("sgd", keras.losses.SparseCategoricalCrossentropy(from_logits=True, ignore_class=-1))
pipeline = tf.data.Dataset.from_tensor_slices((x, y)).batch(20)
model.fit(whydied.expect(pipeline, ("b 4", "b"), finite=(True, False), classes=(None, 3)), verbose=0)


def batches():
    for start in range(0, 200, 40):
        yield x[start : start + 40], y[start : start + 40]


model.fit(whydied.expect(batches(), ("b 4", "b")), verbose=0)
unlabelled = y.copy()
unlabelled[7] = -1
model.fit(x, unlabelled, verbose=0)
try:
    whydied.expect(x * 3, high=1, name="tripled")
except ValueError as error:
    print("caught", error)
print(model.evaluate(x, y, verbose=0) > 0)
