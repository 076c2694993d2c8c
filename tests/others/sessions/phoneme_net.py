import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_eager_execution()

N_FEATS = 20
N_PHONES = 8


def load_frames(n_frames=960, seed=0):
    rng = np.random.RandomState(seed)
    prototypes = rng.normal(size=(N_PHONES, N_FEATS))
    phones = rng.randint(0, N_PHONES, size=n_frames)
    frames = prototypes[phones] + 0.4 * rng.normal(size=(n_frames, N_FEATS))
    return frames.astype("float32"), phones.astype("int64")


def dense(x, n_out, name):
    n_in = int(x.shape[-1])
    with tf.variable_scope(name):
        w = tf.get_variable("w", [n_in, n_out], initializer=tf.random_normal_initializer(stddev=0.1))
        b = tf.get_variable("b", [n_out], initializer=tf.zeros_initializer())
    return tf.matmul(x, w) + b


def build_graph():
    frames = tf.placeholder("float32", (None, N_FEATS), name="frames")
    labels = tf.placeholder("int64", (None, 1), name="labels")  # <- cause
    hidden = tf.nn.relu(dense(frames, 32, "hidden"))
    logits = dense(hidden, N_PHONES, "out")
    xent = tf.nn.sparse_softmax_cross_entropy_with_logits(logits=logits, labels=labels)  # <- cause
    loss = tf.reduce_mean(xent)
    step = tf.train.AdamOptimizer(1e-2).minimize(loss)
    guess = tf.argmax(logits, axis=1)
    return frames, labels, loss, step, guess


def minibatches(frames, phones, size):
    for start in range(0, len(frames), size):
        y = phones[start : start + size]
        yield frames[start : start + size], y.reshape(-1, 1)


def main():
    tf.set_random_seed(0)
    x, y = load_frames()
    frames, labels, loss, step, guess = build_graph()
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for epoch in range(3):
            losses = []
            for bx, by in minibatches(x, y, 32):
                value, _ = sess.run([loss, step], feed_dict={frames: bx, labels: by})
                losses.append(value)
            print("epoch %d mean loss %.4f" % (epoch, np.mean(losses)))
        predicted = sess.run(guess, feed_dict={frames: x})
    print("frame accuracy %.3f" % np.mean(predicted == y))


if __name__ == "__main__":
    main()
