"""Fit tide harmonics; a slow copy of the weights is kept next to the live ones."""
import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()

STATIONS = 2000
HARMONICS = 1600


def build():
    basis = tf.placeholder(tf.float32, [None, HARMONICS])
    level = tf.placeholder(tf.float32, [None, STATIONS])
    live = tf.get_variable("live", [HARMONICS, STATIONS], initializer=tf.zeros_initializer())
    slow = tf.get_variable("slow", [HARMONICS, STATIONS], trainable=False,
                           initializer=tf.zeros_initializer())
    loss = tf.reduce_mean(tf.square(tf.matmul(basis, live) - level))
    train = tf.train.GradientDescentOptimizer(2.0).minimize(loss)
    slow_in = tf.placeholder(tf.float32, [HARMONICS, STATIONS])
    set_slow = tf.assign(slow, slow_in)
    return {"slow_in": slow_in, "set_slow": set_slow, "basis": basis, "level": level, "live": live, "slow": slow,
            "loss": loss, "train": train}


def observations(rng, n=16):
    basis = rng.normal(0, 1, (n, HARMONICS)).astype("float32")
    level = basis[:, :STATIONS % HARMONICS].mean(axis=1, keepdims=True)
    return basis, np.repeat(level, STATIONS, axis=1)


def blend(old, new, keep=0.98):
    return keep * old + (1.0 - keep) * new


def main(steps=90):
    rng = np.random.default_rng(8)
    m = build()
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for step in range(steps):
            basis, level = observations(rng)
            _, loss = sess.run([m["train"], m["loss"]],
                               {m["basis"]: basis, m["level"]: level})
            live, slow = sess.run([m["live"], m["slow"]])
            sess.run(m["set_slow"], {m["slow_in"]: blend(slow, live)})
            if step % 15 == 0:
                print(f"step {step} loss {loss:.5f}")
        print("slow weight norm", np.linalg.norm(sess.run(m["slow"])))


if __name__ == "__main__":
    main()
