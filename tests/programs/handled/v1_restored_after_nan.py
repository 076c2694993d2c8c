"""A session loop saves every few steps; when the loss is NaN it restores the last checkpoint and goes on with a lower rate."""

import tempfile

import numpy as np
import tensorflow as tf

tf1 = tf.compat.v1


def build(graph):
    with graph.as_default():
        x = tf1.placeholder(tf.float32, [None, 4], name="x")
        y = tf1.placeholder(tf.float32, [None, 1], name="y")
        rate = tf1.placeholder(tf.float32, [], name="rate")
        hidden = tf.nn.relu(x @ tf1.get_variable("w1", [4, 8]) + tf1.get_variable("b1", [8]))
        output = hidden @ tf1.get_variable("w2", [8, 1])
        loss = tf.reduce_mean(tf.square(output - y))
        train = tf1.train.GradientDescentOptimizer(rate).minimize(loss)
        return x, y, rate, loss, train, tf1.train.Saver(), tf1.global_variables_initializer()


def main():
    rng = np.random.default_rng(5)
    rows = rng.normal(size=(128, 4)).astype("float32") * 20
    wanted = rows.sum(axis=1, keepdims=True)
    graph = tf.Graph()
    x, y, rate, loss, train, saver, start = build(graph)
    now, restored = 5.0, 0
    with tempfile.TemporaryDirectory() as folder, tf1.Session(graph=graph) as session:
        session.run(start)
        path = saver.save(session, f"{folder}/model")
        for step in range(120):
            value, _ = session.run([loss, train], {x: rows, y: wanted, rate: now})
            if np.isnan(value) or np.isinf(value):
                saver.restore(session, path)
                now /= 10
                restored += 1
            elif step % 10 == 9 and value < 1e4:
                path = saver.save(session, f"{folder}/model")
        print("restored", restored > 0, "loss is finite", np.isfinite(session.run(loss, {x: rows, y: wanted})))


main()
