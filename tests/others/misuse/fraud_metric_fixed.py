import numpy as np
import tensorflow as tf


class CaughtShare(tf.keras.metrics.Metric):
    """Share of the fraudulent amount that was flagged."""

    def __init__(self, threshold=0.5, name="caught_share", **kwargs):
        super().__init__(name=name, **kwargs)
        self.threshold = threshold
        self.caught = self.add_weight(name="caught", initializer="zeros")
        self.total = self.add_weight(name="total", initializer="zeros")

    def update_state(self, y_true, y_pred, sample_weight=None):
        y_true = tf.cast(tf.reshape(y_true, [-1]), tf.float32)
        flagged = tf.cast(tf.reshape(y_pred, [-1]) > self.threshold, tf.float32)
        amount = y_true if sample_weight is None else y_true * tf.reshape(sample_weight, [-1])
        self.caught.assign_add(tf.reduce_sum(amount * flagged))
        self.total.assign_add(tf.reduce_sum(amount))

    def result(self):
        return tf.math.divide_no_nan(self.caught, self.total)

    def reset_state(self):
        self.caught.assign(0.0)
        self.total.assign(0.0)


def payments(n=1000, seed=9):
    rng = np.random.default_rng(seed)
    amount = rng.lognormal(3, 1, n)
    night = rng.random(n) < 0.2
    foreign = rng.random(n) < 0.15
    p = 0.02 + 0.6 * night * foreign + 0.5 * (amount > 60)
    fraud = (rng.random(n) < p).astype("float32")
    x = np.stack([np.log(amount), night, foreign], 1).astype("float32")
    return x, fraud[:, None]


def detector():
    model = tf.keras.Sequential(
        [
            tf.keras.layers.Input((3,)),
            tf.keras.layers.Dense(16, activation="relu"),
            tf.keras.layers.Dense(1, activation="sigmoid"),
        ]
    )
    model.compile(
        optimizer=tf.keras.optimizers.Adam(0.01),
        loss="binary_crossentropy",
        metrics=[CaughtShare(threshold=0.25)],
    )
    return model


def main():
    tf.keras.utils.set_random_seed(9)
    x, y = payments()
    model = detector()
    model.fit(x, y, epochs=8, batch_size=25, verbose=2)
    print(model.evaluate(x, y, return_dict=True, verbose=0))


if __name__ == "__main__":
    main()
