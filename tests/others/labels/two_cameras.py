"""One network for two cameras that took different numbers of pictures."""

import numpy as np
from tensorflow import keras
from tensorflow.keras import layers


def taken(count, height, width, seed):
    rng = np.random.default_rng(seed)
    pictures = rng.random((count, height, width, 3)).astype("float32")
    return pictures, (pictures.mean(axis=(1, 2, 3)) > 0.5).astype("float32")[:, None]


def branch(shape, name):
    picture = layers.Input(shape, name=f"{name}_pictures")
    inner = layers.GlobalAveragePooling2D()(layers.Conv2D(4, 3, activation="relu")(picture))
    return picture, layers.Dense(1, activation="sigmoid", name=f"{name}_score")(inner)


def main():
    front_x, front_y = taken(25, 12, 10, seed=0)
    rear_x, rear_y = taken(50, 14, 10, seed=1)  # <- cause
    front, front_score = branch((12, 10, 3), "front")
    rear, rear_score = branch((14, 10, 3), "rear")
    model = keras.Model([front, rear], [front_score, rear_score])
    model.compile("adam", {"front_score": "mse", "rear_score": "mse"})
    x = {"front_pictures": front_x, "rear_pictures": rear_x}
    y = {"front_score": front_y, "rear_score": rear_y}
    model.fit(x, y, epochs=1, verbose=0)  # <- cause
    print("trained on", len(front_x))


main()
