import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()

PARAMS = {"data": 60, "widths": [60, 2400, 1200, 8], "rate": 1e-3, "batch": 32, "steps": 3}


def trajectories(params, seed=5):
    draw = np.random.default_rng(seed)
    angle = draw.uniform(0, 6, (400, 1)) + np.linspace(0, 3, params["data"])
    return np.sin(angle).astype("float32")


def layers(widths, scope):
    with tf.variable_scope(scope, reuse=tf.AUTO_REUSE):
        pairs = zip(widths[:-1], widths[1:], strict=True)
        return [(tf.Variable(tf.random_normal(pair, stddev=0.02)), tf.Variable(tf.zeros(pair[1:]))) for pair in pairs]


def apply(x, weights):
    for w, b in weights[:-1]:
        x = tf.nn.relu(tf.matmul(x, w) + b)
    w, b = weights[-1]
    return tf.matmul(x, w) + b


def try_net(params, rows, number):
    x = tf.placeholder(tf.float32, (None, params["data"]))
    code = apply(x, layers(params["widths"], "encoder"))
    back = apply(code, layers(params["widths"][::-1], "decoder"))
    loss = tf.reduce_mean(tf.square(back - x))
    train = tf.train.GradientDescentOptimizer(params["rate"]).minimize(loss)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for step in range(params["steps"]):
            sess.run(train, {x: rows[step * params["batch"] : (step + 1) * params["batch"]]})
        return sess.run(loss, {x: rows[:100]})


def main(experiments=40):
    rows = trajectories(PARAMS)
    draw = np.random.default_rng(1)
    best = None
    for number in range(experiments):
        params = dict(PARAMS, rate=float(10 ** draw.uniform(-4, -2)))
        error = try_net(params, rows, number)
        tf.reset_default_graph()
        print("experiment", number, "rate", params["rate"], "error", error, flush=True)
        if best is None or error < best[0]:
            best = (error, params["rate"])
    print("best", best)


main()
