"""Dense signal denoiser, written with graph and session."""
import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()


def noisy_waves(count, length, rng):
    phase = rng.uniform(0, 2 * np.pi, size=(count, 1))
    clean = np.sin(np.linspace(0, 4 * np.pi, length)[None, :] + phase)
    return clean + 0.3 * rng.standard_normal(clean.shape), clean


def dense(inputs, units, name, activation=None):
    width = int(inputs.shape[-1])
    with tf.variable_scope(name):
        kernel = tf.get_variable(
            "kernel", (width, units), initializer=tf.random_normal_initializer(stddev=0.2, seed=1)
        )
        bias = tf.get_variable("bias", (units,), initializer=tf.zeros_initializer())
    result = tf.matmul(inputs, kernel) + bias
    return activation(result) if activation else result


class Denoiser:
    def __init__(self, length=24, hidden=32, rate=0.05, batch=32):
        self.length = length
        self.hidden = hidden
        self.rate = rate
        self.batch = batch
        self.rng = np.random.default_rng(19)

    def network(self, data):
        x = dense(data, self.hidden, "encode", tf.nn.tanh)
        return dense(x, self.length, "decode")

    def train(self, steps):
        data = tf.placeholder(tf.float32, (None, self.length), name="data")
        truth = tf.placeholder(tf.float32, (None, self.length), name="truth")

        session = tf.Session()
        init_global = tf.global_variables_initializer()  # <- cause
        init_local = tf.local_variables_initializer()
        session.run(init_global)  # <- cause
        session.run(init_local)

        prediction = self.network(data)
        loss = tf.reduce_mean(tf.square(prediction - truth))
        train_op = tf.train.GradientDescentOptimizer(self.rate).minimize(loss)

        for step in range(1, steps + 1):
            noisy, clean = noisy_waves(self.batch, self.length, self.rng)
            _, value = session.run([train_op, loss], {data: noisy, truth: clean})
            if step % 20 == 0:
                print(f"step {step:3d}: loss {value:.4f}")
        session.close()


if __name__ == "__main__":
    Denoiser().train(steps=60)
