import numpy as np
import tensorflow as tf
from tensorflow import keras

TASKS = ["capacity", "resistance", "leak"]
UNKNOWN = -1.0


def fleet(n=300, seed=9):
    rng = np.random.default_rng(seed)
    x = rng.normal(0, 1, (n, 15)).astype("float32")
    w = rng.normal(0, 1, (15, len(TASKS)))
    y = (x @ w > 0).astype("float32")
    tested = rng.random((n, len(TASKS))) < np.array([0.9, 0.6, 0.5])
    tested[220:, :] = False
    tested[220:260, 0] = True
    y[~tested] = UNKNOWN
    return x, y


def known_bce(y_true, y_pred):
    known = tf.cast(tf.not_equal(y_true, UNKNOWN), y_pred.dtype)
    p = tf.clip_by_value(y_pred, 1e-6, 1.0 - 1e-6)
    bce = -(y_true * tf.math.log(p) + (1.0 - y_true) * tf.math.log(1.0 - p))
    return tf.reduce_sum(bce * known) / tf.maximum(tf.reduce_sum(known), 1.0)


def build(width):
    inp = keras.Input((width,))
    h = keras.layers.Dense(32, activation="relu")(inp)
    h = keras.layers.BatchNormalization()(h)
    h = keras.layers.Dense(16, activation="relu")(h)
    return keras.Model(inp, keras.layers.Dense(len(TASKS), activation="sigmoid")(h))


class Report(keras.callbacks.Callback):
    def on_epoch_end(self, epoch, logs=None):
        print("epoch", epoch + 1, {k: round(float(v), 4) for k, v in logs.items()})


def main():
    keras.utils.set_random_seed(3)
    x, y = fleet()
    ds = tf.data.Dataset.from_tensor_slices((x, y)).batch(20)
    model = build(x.shape[1])
    model.compile(optimizer=keras.optimizers.Adam(1e-3), loss=known_bce)
    model.fit(ds, epochs=4, verbose=0, callbacks=[Report()])
    print("mean risk", model.predict(x, verbose=0).mean(axis=0))


if __name__ == "__main__":
    main()
