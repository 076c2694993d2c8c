import numpy as np
import tensorflow as tf

from loops import Runner
from networks import dense_stack

CLASSES = 4
TEMPERATURE = 3.0


def samples(n=480, seed=3):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, CLASSES, n)
    centers = rng.normal(0, 1.5, (CLASSES, 10))
    x = centers[y] + rng.normal(0, 0.8, (n, 10))
    return x.astype("float32"), y.astype("int32")


hard = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
soft = tf.keras.losses.KLDivergence()


def plain_loss(logits, x, y):
    return hard(y, logits)


def distil_loss(teacher):
    def loss(logits, x, y):
        wanted = tf.nn.softmax(teacher(x, training=False) / TEMPERATURE)
        got = tf.nn.softmax(logits / TEMPERATURE)
        return 0.5 * hard(y, logits) + 0.5 * soft(wanted, got)

    return loss


def main():
    tf.keras.utils.set_random_seed(3)
    x, y = samples()
    data = tf.data.Dataset.from_tensor_slices((x, y)).batch(32)
    runner = Runner(learning_rate=0.01, epochs=6)
    teacher = runner.fit(dense_stack("teacher", [48, 48], CLASSES), data, plain_loss)
    student = runner.fit(dense_stack("student", [8], CLASSES), data, distil_loss(teacher))
    agree = np.mean(np.argmax(teacher(x), 1) == np.argmax(student(x), 1))
    print(f"agreement {agree:.2f}")


if __name__ == "__main__":
    main()
