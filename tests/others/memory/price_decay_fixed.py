import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()

SETTINGS = {"batch": 16, "days": 250, "stocks": 40, "rate": 0.01, "period": 500}


def calendar(settings):
    """Rates of all trading days and stocks: a slow cosine over the year, one column for each stock."""
    days = np.arange(settings["days"] * 4)[:, None]
    return (0.5 + 0.5 * np.cos(days / 250 + np.arange(settings["stocks"] * 4))).astype("float32")


class Forecaster:
    def __init__(self, settings):
        self.settings = settings
        self.x = tf.placeholder(tf.float32, (None, settings["stocks"]), "closes")
        self.y = tf.placeholder(tf.float32, (None, 1), "next")
        self.rate = tf.placeholder(tf.float32, (), "rate")
        self.now = tf.placeholder(tf.int32, (), "step")
        w = tf.get_variable("w", (settings["stocks"], 1))
        self.loss = tf.reduce_mean(tf.square(tf.matmul(self.x, w) - self.y))
        self.train = tf.train.GradientDescentOptimizer(self.rate).minimize(self.loss)
        self.seasons = calendar(settings)

    def decayed(self):
        """The rate of this step: cosine decay with restarts, weighted by the season."""
        base = tf.train.cosine_decay_restarts(self.settings["rate"], self.now, self.settings["period"], t_mul=1.0)
        day = tf.math.floormod(self.now, len(self.seasons))
        return base * tf.reduce_mean(tf.gather(self.seasons, day))


def batches(settings, seed=1):
    draw = np.random.default_rng(seed)
    while True:
        closes = draw.normal(size=(settings["batch"], settings["stocks"])).astype("float32")
        yield closes, closes[:, :1] * 0.5


def main(steps=400):
    model = Forecaster(SETTINGS)
    data = batches(SETTINGS)
    decayed = model.decayed()
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for step in range(steps):
            rate = sess.run(decayed, {model.now: step})
            closes, after = next(data)
            _, loss = sess.run([model.train, model.loss], {model.x: closes, model.y: after, model.rate: rate})
            if step % 20 == 0:
                print("step", step, "rate", rate, "loss", loss, flush=True)


main()
