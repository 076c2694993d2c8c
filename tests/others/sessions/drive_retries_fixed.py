"""Trains the steering of a toy car for several courses; each course gets a fresh graph."""

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()


class Driver:
    def __init__(self, sensors):
        self.view = tf.placeholder(tf.float32, [None, sensors], name="view")
        self.angle = tf.placeholder(tf.float32, [None, 1], name="angle")
        w = tf.get_variable("w", [sensors, 1])
        self.steer = tf.matmul(self.view, w)
        self.loss = tf.reduce_mean(tf.square(self.steer - self.angle))
        self.step = tf.train.GradientDescentOptimizer(0.1).minimize(self.loss)
        self.begin = tf.global_variables_initializer()


def course(seed, sensors=6):
    rng = np.random.default_rng(seed)
    view = rng.random((50, sensors))
    return view, view @ rng.normal(size=(sensors, 1))


def drive(driver, session, seed):
    view, angle = course(seed)
    session.run(driver.begin)
    for _ in range(20):
        session.run(driver.step, {driver.view: view, driver.angle: angle})
    return session.run(driver.loss, {driver.view: view, driver.angle: angle})


def main():
    for seed in range(3):
        tf.reset_default_graph()
        driver = Driver(sensors=6)
        with tf.Session() as session:
            tf.set_random_seed(seed)
            tf.constant(seed, name="course")
            print("course", seed, "loss", drive(driver, session, seed))


if __name__ == "__main__":
    main()
