import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import numpy as np
import tensorflow as tf

GAMMA = 2.0
ALPHA = 0.25


def focal(gamma=GAMMA, alpha=ALPHA):
    def loss(y_true, y_pred):
        p_pos = tf.where(tf.equal(y_true, 1.0), y_pred, tf.ones_like(y_pred))  # <- cause
        p_neg = tf.where(tf.equal(y_true, 0.0), y_pred, tf.zeros_like(y_pred))  # <- cause
        pos = alpha * tf.pow(1.0 - p_pos, gamma) * tf.math.log(p_pos)  # <- cause
        neg = (1.0 - alpha) * tf.pow(p_neg, gamma) * tf.math.log(1.0 - p_neg)  # <- cause
        return -tf.reduce_sum(pos) - tf.reduce_sum(neg)

    return loss


def machine_logs(n=800):
    rng = np.random.default_rng(31)
    x = rng.normal(size=(n, 5))
    x[:, 3] = rng.lognormal(mean=6.0, sigma=1.0, size=n)
    risk = 0.8 * x[:, 0] - x[:, 1] + 0.3 * np.log(x[:, 3])
    y = (risk > np.quantile(risk, 0.93)).astype("float32")
    return x.astype("float32"), y[:, None]


def build(n_features):
    model = tf.keras.Sequential(
        [
            tf.keras.layers.Input(shape=(n_features,)),
            tf.keras.layers.Dense(16, activation="relu"),
            tf.keras.layers.Dense(1, activation="sigmoid"),
        ]
    )
    model.compile(optimizer=tf.keras.optimizers.Adam(1e-2), loss=focal())
    return model


def main():
    tf.keras.utils.set_random_seed(31)
    x, y = machine_logs()
    print("share of failures: %.3f" % y.mean())
    model = build(x.shape[1])
    history = model.fit(x, y, epochs=4, batch_size=64, verbose=2)

    last = history.history["loss"][-1]
    if not np.isfinite(last):
        raise FloatingPointError("training diverged, loss is %r" % last)

    scores = model.predict(x, verbose=0)[:, 0]
    worst = np.argsort(scores)[-5:]
    print("most suspicious machines:", worst.tolist())


if __name__ == "__main__":
    main()
