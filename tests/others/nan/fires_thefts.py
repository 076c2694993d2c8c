import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()


def districts(count=42, seed=3):
    """Fires and thefts in the districts of a town, per thousand homes."""
    draw = np.random.default_rng(seed)
    fires = draw.gamma(2.0, 6.0, count)
    thefts = 17.0 + 1.3 * fires + draw.normal(0, 6.0, count)
    return np.stack([fires, thefts], 1).astype("float32")


def model(x):
    w = tf.Variable(0.0, name="weight")
    u = tf.Variable(0.0, name="quadratic")
    b = tf.Variable(0.0, name="bias")
    return x * x * u + x * w + b, (u, w, b)


def main():
    rows = districts()
    x = tf.placeholder(tf.float32, name="fires")
    y = tf.placeholder(tf.float32, name="thefts")
    predicted, parameters = model(x)
    loss = tf.square(y - predicted, name="loss")
    step = tf.train.GradientDescentOptimizer(learning_rate=0.001).minimize(loss)  # <- cause
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for epoch in range(20):
            total = 0.0
            for fires, thefts in rows:
                _, value = sess.run([step, loss], {x: fires, y: thefts})
                total += value
            print("epoch", epoch, total / len(rows))
        print("u, w, b =", sess.run(parameters))


main()
