import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import numpy as np
from tensorflow import keras
from tensorflow.keras import layers


def make_series(n, length, rng):
    t = np.linspace(0, 1, length)
    labels = (rng.random(n) < 0.2).astype("int64")
    x = rng.normal(scale=0.3, size=(n, 1, length))
    for i, lab in enumerate(labels):
        freq = 2 if lab == 0 else 5
        x[i, 0] += np.sin(2 * np.pi * freq * t)
    return x.astype("float32"), labels


def balanced_weights(labels):
    classes, counts = np.unique(labels, return_counts=True)
    weights = len(labels) / (len(classes) * counts)  # <- cause
    return classes, weights  # <- cause


def build_model(length, n_classes):
    inp = keras.Input(shape=(1, length))
    a = layers.LSTM(8)(inp)
    a = layers.Dropout(0.2)(a)
    b = layers.Permute((2, 1))(inp)
    b = layers.Conv1D(16, 5, padding="same", activation="relu")(b)
    b = layers.GlobalAveragePooling1D()(b)
    joined = layers.concatenate([a, b])
    out = layers.Dense(n_classes, activation="softmax")(joined)
    return keras.Model(inp, out)


def train_model(model, x, y, x_test, y_test, epochs=1, batch_size=32):
    classes, class_weight = balanced_weights(y)  # <- cause
    print("classes", classes, "weights", class_weight)

    y_hot = keras.utils.to_categorical(y, len(classes))
    y_test_hot = keras.utils.to_categorical(y_test, len(classes))

    model.compile(optimizer="adam", loss="categorical_crossentropy", metrics=["accuracy"])
    return model.fit(
        x,
        y_hot,
        batch_size=batch_size,
        epochs=epochs,
        class_weight=class_weight,  # <- cause
        verbose=0,
        validation_data=(x_test, y_test_hot),
    )


if __name__ == "__main__":
    rng = np.random.default_rng(21)
    x_train, y_train = make_series(80, 50, rng)
    x_test, y_test = make_series(40, 50, rng)
    net = build_model(50, 2)
    hist = train_model(net, x_train, y_train, x_test, y_test)
    print("validation accuracy", round(hist.history["val_accuracy"][-1], 3))
