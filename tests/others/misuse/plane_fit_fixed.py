import numpy as np
import tensorflow as tf

LEARNING_RATE = 0.05
STEPS = 40


def sample_points(n=128):
    rng = np.random.default_rng(21)
    xy = rng.uniform(-2, 2, size=(n, 2)).astype("float32")
    z = xy @ np.array([[1.5], [-0.7]], dtype="float32") + 0.3
    z += rng.normal(0, 0.05, size=z.shape).astype("float32")
    return xy, z


offset = tf.Variable(tf.zeros([1]), name="offset")


@tf.function
def predict(points, slopes):
    return tf.matmul(points, slopes) + offset


def mse(pred, target):
    return tf.reduce_mean(tf.square(pred - target))


def fit_plane(points, heights):
    slopes = tf.Variable(tf.random.normal([2, 1], seed=3), name="slopes")
    opt = tf.keras.optimizers.SGD(LEARNING_RATE)
    loss = None
    for step in range(STEPS):
        with tf.GradientTape() as tape:
            loss = mse(predict(points, slopes), heights)
        grads = tape.gradient(loss, [slopes])
        opt.apply_gradients(zip(grads, [slopes]))
        if step % 10 == 0:
            print("step", step, "loss", float(loss))
    return slopes, loss


def main():
    points, heights = sample_points()
    slopes, loss = fit_plane(tf.constant(points), tf.constant(heights))
    print("slopes", slopes.numpy().ravel(), "final loss", float(loss))


if __name__ == "__main__":
    main()
