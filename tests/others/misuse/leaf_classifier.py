# Sick or healthy leaf? Sub-classed model with a small convolutional body.
import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import numpy as np
import tensorflow as tf
from tensorflow.keras import Model
from tensorflow.keras import layers as L

tf.random.set_seed(4)
rng = np.random.default_rng(4)

SIZE = (24, 24)


def LeafNet(Model):  # <- cause
    def __init__(self, width, **kwargs):
        super().__init__(**kwargs)
        self.conv_a = L.Conv2D(width, 3, strides=2, activation="relu")
        self.conv_b = L.Conv2D(2 * width, 3, strides=2, activation="relu")
        self.gap = L.GlobalAveragePooling2D()
        self.norm = L.BatchNormalization()
        self.hidden = L.Dense(16, activation="relu")
        self.drop = L.Dropout(0.2)
        self.out = L.Dense(1, activation="sigmoid")

    def call(self, inputs, training=False):
        x = self.conv_a(inputs)
        x = self.conv_b(x)
        x = self.norm(self.gap(x), training=training)
        x = self.drop(self.hidden(x), training=training)
        return self.out(x)


# green leaves, sick ones get a few brown spots
healthy = rng.random(64) < 0.5
leaves = np.zeros((64, *SIZE, 3), dtype="float32")
leaves[..., 1] = 0.6 + 0.1 * rng.random((64, *SIZE))
for number in np.flatnonzero(~healthy):
    for row, col in rng.integers(0, SIZE[0] - 4, size=(5, 2)):
        leaves[number, row : row + 4, col : col + 4] = (0.5, 0.3, 0.1)
labels = (~healthy).astype("float32")[:, None]

model = LeafNet(8)
model.compile(
    optimizer="adam",
    loss="binary_crossentropy",
    metrics=["accuracy"],
)
history = model.fit(leaves, labels, epochs=2, batch_size=16, verbose=0)
print("loss:", [round(v, 3) for v in history.history["loss"]])

model.summary()
chances = model.predict(leaves[:4], verbose=0).ravel()
for chance, label in zip(chances, labels[:4, 0]):
    print(f"chance of disease {chance:.2f}   truth {int(label)}")
