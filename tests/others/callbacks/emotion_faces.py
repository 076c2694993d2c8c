import os
import tempfile

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import keras
import numpy as np

EMOTIONS = ["angry", "happy", "sad", "neutral"]
OPTIONS = {"side": 24, "batch_size": 16, "epochs": 2, "patience": 5}


def faces(count, seed=8):
    draw = np.random.default_rng(seed)
    labels = draw.integers(0, len(EMOTIONS), count)
    pictures = draw.normal(0, 0.2, (count, OPTIONS["side"], OPTIONS["side"], 1)) + labels[:, None, None, None] * 0.2
    return pictures.astype("float32"), np.eye(len(EMOTIONS), dtype="float32")[labels]


def small_network():
    picture = keras.Input((OPTIONS["side"], OPTIONS["side"], 1))
    hidden = keras.layers.Conv2D(8, 3, strides=2, activation="relu")(picture)
    hidden = keras.layers.BatchNormalization()(hidden)
    hidden = keras.layers.GlobalAveragePooling2D()(hidden)
    return keras.Model(picture, keras.layers.Dense(len(EMOTIONS), activation="softmax")(hidden))


def callbacks(where):
    names = os.path.join(where, "small_network") + ".{epoch:02d}-{val_acc:.2f}.keras"  # <- cause
    return [
        keras.callbacks.CSVLogger(os.path.join(where, "log.csv")),
        keras.callbacks.EarlyStopping("val_loss", patience=OPTIONS["patience"]),
        keras.callbacks.ReduceLROnPlateau("val_loss", factor=0.1, patience=2),
        keras.callbacks.ModelCheckpoint(names, "val_loss", verbose=0),
    ]


def main():
    pictures, emotions = faces(160)
    model = small_network()
    model.compile("adam", "categorical_crossentropy", metrics=["accuracy"])
    with tempfile.TemporaryDirectory() as where:
        model.fit(
            pictures,
            emotions,
            batch_size=OPTIONS["batch_size"],
            epochs=OPTIONS["epochs"],
            validation_split=0.2,
            callbacks=callbacks(where),
            verbose=2,
        )
        print(sorted(os.listdir(where)))


main()
