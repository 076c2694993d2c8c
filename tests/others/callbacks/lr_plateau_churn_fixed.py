import numpy as np
import tensorflow as tf
from tensorflow.keras import Sequential, callbacks
from tensorflow.keras.layers import BatchNormalization, Dense, Input
from tensorflow.keras.optimizers import SGD
from tensorflow.keras.optimizers.schedules import ExponentialDecay

CONFIG = {
    "batch_size": 32,
    "epochs": 8,
    "initial_lr": 0.05,
    "decay_rate": 0.9,
    "patience": 1,
    "min_lr": 1e-5,
}


def churn_data(n=256, n_features=12, seed=6):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, n_features)).astype("float32")
    y = rng.integers(0, 2, size=n).astype("float32")
    cut = int(n * 0.75)
    return (x[:cut], y[:cut]), (x[cut:], y[cut:])


def build_optimizer(cfg, steps_per_epoch):
    return SGD(learning_rate=cfg["initial_lr"], momentum=0.9)


def build_model(n_features):
    return Sequential([
        Input(shape=(n_features,)),
        Dense(32, activation="relu"),
        BatchNormalization(),
        Dense(16, activation="relu"),
        Dense(1, activation="sigmoid"),
    ])


def build_callbacks(cfg):
    return [
        callbacks.TerminateOnNaN(),
        callbacks.EarlyStopping(monitor="val_loss", patience=6, restore_best_weights=True),
        callbacks.ReduceLROnPlateau(monitor="val_loss", factor=0.5, patience=cfg["patience"],
                                    min_lr=cfg["min_lr"], min_delta=0.01),
    ]


def main():
    tf.random.set_seed(0)
    train, val = churn_data()
    steps = int(np.ceil(len(train[0]) / CONFIG["batch_size"]))
    model = build_model(train[0].shape[1])
    model.compile(optimizer=build_optimizer(CONFIG, steps), loss="binary_crossentropy",
                  metrics=["accuracy"])
    history = model.fit(*train, validation_data=val, batch_size=CONFIG["batch_size"],
                        epochs=CONFIG["epochs"], callbacks=build_callbacks(CONFIG), verbose=2)
    print("best val_loss:", min(history.history["val_loss"]))


if __name__ == "__main__":
    main()
