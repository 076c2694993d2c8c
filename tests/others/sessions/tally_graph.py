"""Running tally kept in a TF1-style graph, updated from two counters."""
import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()


class TallyGraph:
    def __init__(self):
        self.graph = tf.Graph()
        with self.graph.as_default():
            self.left = tf.placeholder(tf.float32, shape=(), name="left")
            self.right = tf.placeholder(tf.float32, shape=(), name="right")
            self.tally = tf.Variable(0.0, name="tally", use_resource=False)
            self.update = tf.assign(self.tally, self.left + self.right)
            self.scaled = tf.multiply(self.update, 0.5, name="scaled")
            self.init = tf.global_variables_initializer()

    def open(self):
        session = tf.Session(graph=self.graph)
        session.run(self.init)
        return session

    def push(self, session, left, right):
        feed = {self.left: left, self.right: right, self.tally: 0.0}  # <- cause
        new_tally, half = session.run([self.update, self.scaled], feed_dict=feed)
        return new_tally, half


def counter_readings(count):
    rng = np.random.default_rng(8)
    return rng.integers(0, 20, size=(count, 2)).astype("float32")


def main():
    machine = TallyGraph()
    readings = counter_readings(5)
    with machine.open() as session:
        for number, (left, right) in enumerate(readings, start=1):
            total, half = machine.push(session, left, right)
            print(f"reading {number}: {left:.0f} + {right:.0f} = {total:.0f} (half {half:.1f})")
        print("stored tally:", session.run(machine.tally))


if __name__ == "__main__":
    main()
