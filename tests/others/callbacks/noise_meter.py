"""Estimate sound levels from short spectra."""
import numpy as np
import tensorflow as tf

SETTINGS = {
    "bands": 20,
    "epochs": 10,
    "batch": 32,
    "lr": 0.01,
    "decay_steps": 200,
    "decay_rate": 0.9,
    "patience": 1,
}


def spectra(n, bands, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.gamma(2.0, 1.0, size=(n, bands)).astype("float32")
    level = np.log10(x.sum(1) + 1) + rng.normal(0, 0.05, n)
    return x, level.astype("float32")[:, None]


def make_optimizer(cfg):
    schedule = tf.keras.optimizers.schedules.ExponentialDecay(  # <- cause
        cfg["lr"], decay_steps=cfg["decay_steps"], decay_rate=cfg["decay_rate"]  # <- cause
    )  # <- cause
    return tf.keras.optimizers.Adam(learning_rate=schedule)  # <- cause


def make_model(cfg):
    model = tf.keras.Sequential(
        [
            tf.keras.layers.Input((cfg["bands"],)),
            tf.keras.layers.Dense(32, activation="relu"),
            tf.keras.layers.Dense(1),
        ]
    )
    model.compile(optimizer=make_optimizer(cfg), loss="mae")
    return model


def make_callbacks(cfg):
    return [
        tf.keras.callbacks.EarlyStopping(
            monitor="val_loss", patience=cfg["patience"] * 6, restore_best_weights=True
        ),
        tf.keras.callbacks.ReduceLROnPlateau(  # <- cause
            monitor="val_loss", factor=0.5, patience=cfg["patience"], min_delta=0.01, min_lr=1e-5
        ),
    ]


def main(cfg):
    tf.keras.utils.set_random_seed(0)
    x, y = spectra(600, cfg["bands"])
    model = make_model(cfg)
    model.fit(
        x,
        y,
        validation_split=0.2,
        epochs=cfg["epochs"],
        batch_size=cfg["batch"],
        callbacks=make_callbacks(cfg),
        verbose=2,
    )
    print("done, last weights norm:", float(np.linalg.norm(model.get_weights()[0])))


if __name__ == "__main__":
    main(SETTINGS)
