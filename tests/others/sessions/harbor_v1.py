import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()

EPOCHS = 4
BATCH = 20


def ships(n=300):
    rng = np.random.RandomState(2)
    length = rng.uniform(20, 300, n)
    draft = length / 25 + rng.normal(0, 0.5, n)
    hours = 0.05 * length + 0.8 * draft + rng.normal(0, 0.5, n)
    x = np.stack([length / 300, draft / 12], axis=1).astype(np.float32)
    return x, (hours / 25).astype(np.float32)[:, None]


def batches(x, y, size):
    order = np.random.RandomState(0).permutation(len(x))
    for start in range(0, len(x), size):
        pick = order[start : start + size]
        yield x[pick], y[pick]


def main():
    x_data, y_data = ships()
    tf.set_random_seed(2)
    x = tf.placeholder(tf.float32, [None, 2], name="x")
    y = tf.placeholder(tf.float32, [None, 1], name="y")
    w1 = tf.Variable(tf.random_normal([2, 8], stddev=0.5))
    b1 = tf.Variable(tf.zeros([8]))
    w2 = tf.Variable(tf.random_normal([8, 1], stddev=0.5))
    b2 = tf.Variable(tf.zeros([1]))
    hours = tf.matmul(tf.nn.tanh(tf.matmul(x, w1) + b1), w2) + b2
    loss = tf.reduce_mean(tf.square(hours - y))
    optimizer = tf.train.AdamOptimizer(0.02).minimize(loss)

    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for epoch in range(EPOCHS):
            total, count = 0.0, 0
            for xb, yb in batches(x_data, y_data, BATCH):
                _, loss = sess.run([optimizer, loss], feed_dict={x: xb, y: yb})  # <- cause
                total += loss
                count += 1
            print("epoch %d: mean loss %.5f" % (epoch + 1, total / count))
        final = sess.run(hours, feed_dict={x: x_data[:3]})
        print("hours at berth:", (final[:, 0] * 25).round(1))


if __name__ == "__main__":
    main()
