import numpy as np
import tensorflow as tf

FEATURES = 5


def orchards(n, seed):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, FEATURES)).astype("float32")
    w = np.array([3.0, -2.0, 0.5, 0.0, 1.5], "float32")
    y = x @ w + rng.normal(0, 0.2, n).astype("float32") + 10.0
    return x, y


class YieldModel(tf.keras.Model):
    def __init__(self, width=32):
        super().__init__()
        self.hidden = tf.keras.layers.Dense(width, activation="relu")
        self.out = tf.keras.layers.Dense(1)

    def call(self, x):
        return self.out(self.hidden(x))


def squared_error(target, guess):
    return tf.reduce_mean(tf.square(target - guess))


def make_batches(x, y, size=16):
    ds = tf.data.Dataset.from_tensor_slices((x, y))
    return ds.shuffle(len(x), seed=0).batch(size).prefetch(1)


@tf.function
def train_step(model, opt, x, y):
    with tf.GradientTape() as tape:
        guess = model(x, training=True)
        y = y[:, tf.newaxis]
        loss = squared_error(y, guess)
    grads = tape.gradient(loss, model.trainable_variables)
    opt.apply_gradients(zip(grads, model.trainable_variables))
    return loss


def r_squared(model, x, y):
    guess = model(x).numpy()[:, 0]
    return 1 - np.sum((y - guess) ** 2) / np.sum((y - y.mean()) ** 2)


def main():
    tf.keras.utils.set_random_seed(0)
    x, y = orchards(640, 1)
    x_test, y_test = orchards(160, 2)
    model = YieldModel()
    model(x[:1])
    opt = tf.keras.optimizers.Adam(0.01)
    for epoch in range(12):
        losses = [float(train_step(model, opt, xb, yb)) for xb, yb in make_batches(x, y)]
        print(f"epoch {epoch + 1}: loss {np.mean(losses):.3f}")
    print(f"R2 on test orchards: {r_squared(model, x_test, y_test):.3f}")


if __name__ == "__main__":
    main()
