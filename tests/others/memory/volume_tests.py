"""Runs a network over many stacks of slices."""

import os
import tempfile

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
tf.set_random_seed(1)

SIDE = 256
SLICES = 10
FILES = 400


def write_stacks(folder, count):
    rng = np.random.default_rng(0)
    for number in range(count):
        stack = rng.standard_normal((SLICES, SIDE, SIDE, 2)).astype("float16")
        np.save(os.path.join(folder, f"stack{number}.npy"), stack)
    return [os.path.join(folder, name) for name in sorted(os.listdir(folder))]


def model_fn(image):
    image = tf.expand_dims(image, 0)
    w1 = tf.get_variable("w1", [3, 3, 2, 4])
    w2 = tf.get_variable("w2", [3, 3, 4, 1])
    hidden = tf.nn.relu(tf.nn.conv2d(image, w1, strides=4, padding="SAME"))
    return tf.reduce_mean(tf.nn.conv2d(hidden, w2, strides=2, padding="SAME"))


def read_stack(path):
    return np.load(path).astype("float32")


def main():
    with tempfile.TemporaryDirectory() as folder:
        files = write_stacks(folder, 8)
        iterator = tf.data.Iterator.from_structure(tf.float32, tf.TensorShape([SIDE, SIDE, 2]))
        output = model_fn(iterator.get_next())
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            means = []
            for number in range(FILES):
                stack = read_stack(files[number % len(files)])
                dataset = tf.data.Dataset.from_tensor_slices(tf.constant(stack))  # <- cause
                sess.run(iterator.make_initializer(dataset))  # <- cause
                values = [sess.run(output) for _ in range(SLICES)]
                means.append(np.mean(values))
                if number % 25 == 0:
                    print("stack", number, "mean", means[-1], flush=True)
    print("mean over all stacks:", np.mean(means))


main()
