"""Keras 2 with its own callback in a small grid: models that diverge are marked so and left out of the table."""

import numpy as np
import tf_keras as keras

rng = np.random.default_rng(7)
x = rng.normal(size=(200, 10)).astype("float32") * 40
y = (x.sum(axis=1) > 0).astype("float32")


def build(rate, clip):
    model = keras.Sequential()
    model.add(keras.layers.Dense(20, activation="relu", input_dim=10))
    model.add(keras.layers.Dense(1))
    model.compile(optimizer=keras.optimizers.SGD(rate, clipnorm=clip), loss="mse")
    return model


table = []
for rate, clip in ((20.0, None), (1e-4, 1.0)):
    model = build(rate, clip)
    history = model.fit(
        x, y, epochs=5, batch_size=20, validation_data=(x[:50], y[:50]), verbose=0,
        callbacks=[keras.callbacks.TerminateOnNaN(), keras.callbacks.EarlyStopping(monitor="val_loss", patience=2)],
    )
    last = history.history["loss"][-1]
    table.append((rate, "diverged" if np.isnan(last) or np.isinf(last) else "ok"))
print([state for _, state in table if state == "ok"])
