"""Train a small CNN on synthetic 'faces' and keep the best weights."""
import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import numpy as np
from tensorflow import keras
from tensorflow.keras import layers
from tensorflow.keras.callbacks import EarlyStopping, ModelCheckpoint, ReduceLROnPlateau

MOODS = ["happy", "sad", "neutral"]
SIDE = 12
RUN_DIR = "mood_runs"


def synthetic_faces(count, seed):
    rng = np.random.default_rng(seed)
    moods = rng.integers(0, len(MOODS), count)
    faces = 0.1 * rng.random((count, SIDE, SIDE, 1))
    for face, mood in zip(faces, moods):
        face[3, 3] = face[3, 8] = 1.0
        corners, middle = {0: (7, 9), 1: (9, 7), 2: (8, 8)}[int(mood)]
        face[corners, 2] = face[corners, 9] = 1.0
        face[middle, 4:8] = 1.0
    return faces.astype("float32"), keras.utils.to_categorical(moods, len(MOODS))


def mini_cnn():
    model = keras.Sequential(
        [
            keras.Input((SIDE, SIDE, 1)),
            layers.Conv2D(8, 3, activation="relu"),
            layers.MaxPooling2D(),
            layers.Flatten(),
            layers.Dense(len(MOODS), activation="softmax"),
        ],
        name="mini_cnn",
    )
    model.compile("adam", "categorical_crossentropy", metrics=["accuracy"])
    return model


def make_callbacks(patience=5):
    os.makedirs(RUN_DIR, exist_ok=True)
    pattern = os.path.join(RUN_DIR, "mini_cnn.{epoch:02d}-{val_accuracy:.2f}.keras")
    return [
        EarlyStopping("val_loss", patience=patience),
        ReduceLROnPlateau("val_loss", factor=0.1, patience=max(1, patience // 4)),
        ModelCheckpoint(pattern, "val_loss", save_best_only=True),
    ]


def main():
    keras.utils.set_random_seed(17)
    train = synthetic_faces(120, seed=1)
    held_out = synthetic_faces(40, seed=2)
    model = mini_cnn()
    history = model.fit(
        *train, batch_size=20, epochs=2, validation_data=held_out,
        callbacks=make_callbacks(), verbose=0,
    )
    print("epochs run:", len(history.history["loss"]))
    print("saved:", sorted(os.listdir(RUN_DIR)))


if __name__ == "__main__":
    main()
