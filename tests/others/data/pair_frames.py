import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import keras
import numpy as np

TOP, BOTTOM = (12, 20, 3), (20, 20, 3)


def camera_batches(top_dim, bottom_dim, batch_size=8, seed=9):
    """Pairs of pictures of two cameras, for ever."""
    draw = np.random.default_rng(seed)
    while True:
        pictures, labels = [], []
        for _ in range(batch_size):
            level = draw.integers(100, 256)
            top = np.full(top_dim, level, "float32")
            bottom = np.full(bottom_dim, level, "float32")
            pictures.append([top, bottom])  # <- cause
            labels.append(draw.choice([0, 1]))
        yield pictures, labels  # <- cause


def tower(shape):
    picture = keras.Input(shape)
    x = keras.layers.Conv2D(4, 3, activation="relu")(picture)
    return picture, keras.layers.GlobalAveragePooling2D()(x)


def two_tower_model():
    top, top_features = tower(TOP)
    bottom, bottom_features = tower(BOTTOM)
    x = keras.layers.concatenate([top_features, bottom_features])
    model = keras.Model([top, bottom], keras.layers.Dense(1, activation="sigmoid")(x))
    model.compile("adam", "binary_crossentropy")
    return model


model = two_tower_model()
model.fit(camera_batches(TOP, BOTTOM), steps_per_epoch=4, epochs=1, verbose=2)
