import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()


def dense(inputs, units, name):
    n_in = int(inputs.shape[-1])
    with tf.variable_scope(name):
        kernel = tf.get_variable("kernel", [n_in, units])
        bias = tf.get_variable("bias", [units], initializer=tf.zeros_initializer())
    return tf.matmul(inputs, kernel) + bias


def batch_mlp(inputs, sizes, scope):
    output = inputs
    with tf.variable_scope(scope):
        for i, size in enumerate(sizes[:-1]):
            output = tf.nn.relu(dense(output, size, f"layer_{i}"))
        output = dense(output, sizes[-1], f"layer_{len(sizes) - 1}")
    return output


def sample_curves(n_points, seed):
    rng = np.random.RandomState(seed)
    x = rng.uniform(-2, 2, size=(n_points, 1)).astype(np.float32)
    y = np.sin(2 * x) + 0.05 * rng.randn(n_points, 1)
    return x, y.astype(np.float32)


def run_experiment(sizes, learning_rate, steps=40):
    tf.reset_default_graph()
    x_in = tf.placeholder(tf.float32, [None, 1], name="context_x")
    y_in = tf.placeholder(tf.float32, [None, 1], name="context_y")
    prediction = batch_mlp(x_in, sizes, "latent_encoder")
    loss = tf.reduce_mean(tf.square(prediction - y_in))
    train = tf.train.AdamOptimizer(learning_rate).minimize(loss)

    x, y = sample_curves(128, seed=0)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for _ in range(steps):
            _, value = sess.run([train, loss], feed_dict={x_in: x, y_in: y})
    return float(value)


def main():
    results = {}
    for sizes in ([16, 1], [16, 16, 1]):
        for rate in (1e-2, 1e-3):
            value = run_experiment(sizes, rate)
            results[(tuple(sizes), rate)] = value
            print(sizes, rate, "->", round(value, 4))
    best = min(results, key=results.get)
    print("best setting:", best)


if __name__ == "__main__":
    main()
