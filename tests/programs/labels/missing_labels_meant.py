"""The loss is told that -1 stands for a missing label."""

import keras
import numpy as np

rng = np.random.default_rng(9)
answers = rng.integers(0, 5, 240)
answers[[12, 100, 239]] = -1
survey = rng.random((240, 6)).astype("float32")
model = keras.Sequential([keras.Input((6,)), keras.layers.Dense(5)])
model.compile("sgd", keras.losses.SparseCategoricalCrossentropy(from_logits=True, ignore_class=-1))
model.fit(survey, answers, batch_size=24, verbose=0)
