"""Emotions in speech: spectrograms of a fixed number of frames, kept in a pickle, go into a recurrent network."""

import os
import pickle
import tempfile

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()

FRAMES = 60
BANDS = 12
EMOTIONS = 4


def extract(path, utterances=80, seconds=0.9, rate=100):
    """Cuts or pads each utterance to the same number of frames and saves all of them."""
    rng = np.random.default_rng(2)
    frames = int(seconds * rate)
    emotion = rng.integers(0, EMOTIONS, utterances)
    spectrograms = rng.normal(emotion[:, None, None], 1.0, (utterances, frames, BANDS)).astype("float32")
    with open(path, "wb") as file:
        pickle.dump((spectrograms, np.eye(EMOTIONS, dtype="float32")[emotion]), file)


def load(path):
    with open(path, "rb") as file:
        data, label = pickle.load(file)
    return data[:60], label[:60], data[60:], label[60:]


def recurrent(x, hidden=10):
    w = tf.get_variable("w", [BANDS + hidden, hidden])
    state = tf.zeros([tf.shape(x)[0], hidden])
    for step in tf.unstack(x, axis=1)[::6]:
        state = tf.tanh(tf.matmul(tf.concat([step, state], 1), w))
    return state


def train(path):
    train_data, train_label, valid_data, valid_label = load(path)
    X = tf.placeholder(tf.float32, shape=[None, FRAMES, BANDS])  # <- cause
    Y = tf.placeholder(tf.int32, shape=[None, EMOTIONS])
    logits = tf.matmul(recurrent(X), tf.get_variable("out", [10, EMOTIONS]))
    cost = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits_v2(labels=Y, logits=logits))
    step = tf.train.AdamOptimizer(1e-2).minimize(cost)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for start in range(0, len(train_data), 20):
            part = slice(start, start + 20)
            sess.run(step, feed_dict={X: train_data[part], Y: train_label[part]})
        print("validation cost", sess.run(cost, feed_dict={X: valid_data, Y: valid_label}))


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        where = os.path.join(folder, "iemocap.pkl")
        extract(where)
        train(where)
