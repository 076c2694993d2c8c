"""Boxes of number plates: photos with a table of their labels, and a network that gives four numbers for each."""

import os

import numpy as np
import pandas as pd
import tensorflow as tf
from PIL import Image

DATA = "plates"
SIZE = 48


def write_photos(folder, count=60):
    os.makedirs(folder, exist_ok=True)
    rng = np.random.default_rng(0)
    rows = []
    for i in range(count):
        w, h = rng.integers(80, 140, 2)
        picture = rng.integers(0, 90, (h, w, 3)).astype("uint8")
        x0, y0 = rng.integers(5, 30, 2)
        x1, y1 = x0 + 35, y0 + 14
        picture[y0:y1, x0:x1] = 230
        name = f"car_{i:03d}.png"
        Image.fromarray(picture).save(os.path.join(folder, name))
        rows.append((name, x0, x1, y0, y1))
    pd.DataFrame(rows, columns=["file", "xmin", "xmax", "ymin", "ymax"]).to_csv(os.path.join(folder, "labels.csv"),
                                                                                index=False)


write_photos(DATA)
df = pd.read_csv(os.path.join(DATA, "labels.csv"))
image_path = [os.path.join(DATA, name) for name in df["file"]]
labels = df.iloc[:, 1:].values

data = []
output = []
for ind in range(len(image_path)):
    image = Image.open(image_path[ind])
    w, h = image.size
    small = np.asarray(image.resize((SIZE, SIZE)), dtype="float32") / 255.0
    xmin, xmax, ymin, ymax = labels[ind]
    label_norm = (xmin / w, xmax / w, ymin / h, ymax / h)
    data.append(small)
    output.append(label_norm)

X = np.array(data, dtype=np.float32)
y = np.array(output, dtype=np.float32)
split = int(0.8 * len(X))
x_train, x_test, y_train, y_test = X[:split], X[split:], y[:split], y[split:]
print(x_train.shape, x_test.shape, y_train.shape, y_test.shape)

inputs = tf.keras.layers.Input(shape=(SIZE, SIZE, 3))
base = tf.keras.layers.Conv2D(16, 3, strides=2, activation="relu")(inputs)
base = tf.keras.layers.Conv2D(32, 3, strides=2, activation="relu")(base)
head = tf.keras.layers.Flatten()(base)
head = tf.keras.layers.Dense(64, activation="relu")(head)
head = tf.keras.layers.Dense(4, activation="sigmoid")(head)
model = tf.keras.Model(inputs=inputs, outputs=head)

model.compile(loss="mse", optimizer=tf.keras.optimizers.Adam(learning_rate=1e-4))
history = model.fit(x=x_train, y=y_train, batch_size=10, epochs=3, validation_data=(x_test, y_test), verbose=2)
print("boxes of the test photos:", model.predict(x_test, verbose=0)[:2])
