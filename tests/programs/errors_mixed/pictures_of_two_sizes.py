"""Pictures of two sizes go into one batch."""

import keras
import numpy as np
import tensorflow as tf


class Folder:
    def __init__(self, count):
        self.count = count

    def __call__(self):
        for n in range(self.count):
            height = 16 if n % 11 else 18
            yield np.full((height, 16, 3), n / 255.0, "float32"), n % 2


shown = (tf.TensorSpec((None, None, 3), tf.float32), tf.TensorSpec((), tf.int32))
train = tf.data.Dataset.from_generator(Folder(40), output_signature=shown)
train = train.skip(1).batch(4)  # <- cause
model = keras.Sequential(
    [
        keras.Input((None, None, 3)),
        keras.layers.Conv2D(4, 3, activation="relu"),
        keras.layers.GlobalMaxPooling2D(),
        keras.layers.Dense(2),
    ]
)
model.compile("adam", keras.losses.SparseCategoricalCrossentropy(from_logits=True))
model.fit(train, verbose=0)
