import os
import tempfile

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()

MODEL_DIR = tempfile.mkdtemp(prefix="mammal_model_")
CKPT = os.path.join(MODEL_DIR, "dnn.ckpt")


def load_animals(n=60, seed=7):
    # fur, wings -> other, mammal, bird
    rng = np.random.default_rng(seed)
    x = rng.integers(0, 2, size=(n, 2)).astype(np.float32)
    cls = np.where(x[:, 1] == 1, 2, np.where(x[:, 0] == 1, 1, 0))
    return x, np.eye(3, dtype=np.float32)[cls]


def build_graph():
    net = {}
    net["X"] = tf.placeholder(tf.float32, [None, 2], name="X")
    net["Y"] = tf.placeholder(tf.float32, [None, 3], name="Y")
    W1 = tf.Variable(tf.random_uniform([2, 10], -1.0, 1.0), name="W1")
    L1 = tf.nn.relu(tf.matmul(net["X"], W1))
    W2 = tf.Variable(tf.random_uniform([10, 3], -1.0, 1.0), name="W2")
    logits = tf.matmul(L1, W2)
    net["cost"] = tf.reduce_mean(
        tf.nn.softmax_cross_entropy_with_logits_v2(labels=net["Y"], logits=logits))
    net["train_op"] = tf.train.AdamOptimizer(learning_rate=0.01).minimize(net["cost"])
    net["prediction"] = tf.argmax(logits, axis=1)
    return net


def train(x, y, steps=30):
    net = build_graph()
    saver = tf.train.Saver()
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for step in range(steps):
            _, cost = sess.run([net["train_op"], net["cost"]], feed_dict={net["X"]: x, net["Y"]: y})
            if step % 10 == 0:
                print("step", step, "cost", cost)
        path = saver.save(sess, CKPT)
    print("model saved in", path)


def evaluate(x, y):  # <- cause
    net = build_graph()
    saver = tf.train.Saver()
    with tf.Session() as sess:
        saver.restore(sess, CKPT)
        pred = sess.run(net["prediction"], feed_dict={net["X"]: x})
    print("accuracy: %.2f" % np.mean(pred == y.argmax(axis=1)))


if __name__ == "__main__":
    animals, kinds = load_animals()
    train(animals, kinds)
    evaluate(animals, kinds)
