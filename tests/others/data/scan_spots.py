import numpy as np
import tensorflow as tf
from tensorflow.keras import layers

np.random.seed(23)


def one_scan():
    center = np.random.rand(2)
    grid = np.stack(np.meshgrid(np.linspace(0, 1, 20), np.linspace(0, 1, 20)), axis=-1)
    spot = np.exp(-20 * np.sum((grid - center) ** 2, axis=-1))
    img = np.repeat(spot[:, :, None], 3, axis=2).astype("float32")
    marks = np.array([center[0], center[1], spot.mean(), spot.max(), spot.std()], dtype="float32")
    return img, marks


data_list = []
y = []
for _ in range(60):
    img, marks = one_scan()
    data_list.append(img)
    y.append(marks)

print(len(data_list), data_list[0].shape)
print(len(y), y[0].shape)

model = tf.keras.Sequential([
    layers.Input(shape=(20, 20, 3)),
    layers.Conv2D(8, 3, activation="relu"),
    layers.MaxPooling2D(),
    layers.Conv2D(12, 3, activation="relu"),
    layers.Flatten(),
    layers.Dense(24, activation="relu"),
    layers.Dense(5),
])
model.compile(optimizer="adam", loss="mse", metrics=["mae"])

model.fit(data_list, y, epochs=2, batch_size=12, verbose=2)  # <- cause
