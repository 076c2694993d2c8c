"""Kiln runs that will crack, by their temperature curves; smoothing and features are parts of one functional model."""
import numpy as np
import tensorflow as tf

MINUTES = 32


def curves(count=192, seed=6):
    rng = np.random.default_rng(seed)
    steep = rng.uniform(1, 6, (count, 1))
    at = np.linspace(0, 1, MINUTES)
    rise = 1 / (1 + np.exp(-steep * 4 * (at - 0.5))) + 0.02 * rng.normal(size=(count, MINUTES))
    return rise[..., None].astype("float32"), (steep[:, 0] > 3.5).astype("float32")


def features(signal, filters=4):
    wide = tf.keras.layers.Conv1D(filters, 5, activation="relu", padding="same")(signal)
    narrow = tf.keras.layers.Conv1D(filters, 3, activation="relu", padding="same")(signal)
    return tf.keras.ops.concatenate([wide, narrow], axis=-1)


def network():
    curve = tf.keras.Input((MINUTES, 1))
    smooth = tf.keras.layers.AveragePooling1D(2)(curve)
    found = tf.keras.layers.Lambda(lambda signal: features(signal, filters=6), name="features")(smooth)  # <- cause
    cracks = tf.keras.layers.Dense(1, activation="sigmoid")(tf.keras.layers.GlobalMaxPooling1D()(found))
    return tf.keras.Model(curve, cracks)


x, y = curves()
net = network()
net.compile(tf.keras.optimizers.Adam(0.02), "binary_crossentropy", metrics=["accuracy"])
net.fit(x, y, epochs=3, batch_size=32, verbose=0)
print("accuracy:", round(net.evaluate(x, y, verbose=0)[1], 2))
