import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_eager_execution()

batch_size = 500
learning_rate = 0.01
num_iters = 12


def load_dense(count=3000, features=40, seed=307):
    draw = np.random.default_rng(seed)
    x = draw.normal(size=(count, features)) * 3
    y = (x[:, :3].sum(axis=1, keepdims=True) + draw.normal(size=(count, 1)) > 0).astype("float32")
    return x.astype("float32"), y


def init_weights(shape):
    return tf.Variable(tf.random_normal(shape, stddev=0.01, seed=1))


def model(x, w):
    return tf.matmul(x, w)


def cost_of(y, p):
    return tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(labels=y, logits=p))


def main():
    x_all, y_all = load_dense()
    x = tf.placeholder("float", [None, x_all.shape[1]])
    y = tf.placeholder("float", [None, 1])
    w = init_weights([x_all.shape[1], 1])
    predicted = model(x, w)
    cost = cost_of(y, predicted)
    train = tf.train.GradientDescentOptimizer(learning_rate).minimize(cost)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for number in range(num_iters):
            for at in range(0, len(x_all), batch_size):
                session.run(train, {x: x_all[at : at + batch_size], y: y_all[at : at + batch_size]})
            print(number, session.run(cost, {x: x_all, y: y_all}))


if __name__ == "__main__":
    main()
