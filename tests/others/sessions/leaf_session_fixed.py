import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_eager_execution()

N_FEATURES = 6
N_SPECIES = 3
STEPS = 120


def leaves(n, seed):
    rng = np.random.RandomState(seed)
    centers = np.random.RandomState(99).uniform(-2, 2, size=(N_SPECIES, N_FEATURES))
    species = rng.randint(0, N_SPECIES, size=n)
    measures = centers[species] + rng.normal(0, 0.6, size=(n, N_FEATURES))
    return measures.astype(np.float32), species.astype(np.int64)


def network(x):
    with tf.variable_scope("net"):
        w1 = tf.get_variable("w1", [N_FEATURES, 12], initializer=tf.glorot_uniform_initializer())
        b1 = tf.get_variable("b1", [12], initializer=tf.zeros_initializer())
        h = tf.nn.relu(tf.matmul(x, w1) + b1)
        w2 = tf.get_variable("w2", [12, N_SPECIES], initializer=tf.glorot_uniform_initializer())
        b2 = tf.get_variable("b2", [N_SPECIES], initializer=tf.zeros_initializer())
        return tf.matmul(h, w2) + b2


def main():
    tf.set_random_seed(5)
    x = tf.placeholder(tf.float32, [None, N_FEATURES], name="x")
    y = tf.placeholder(tf.int64, [None], name="y")
    logits = network(x)
    loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=logits))
    train_op = tf.train.AdamOptimizer(0.01).minimize(loss)

    guess = tf.argmax(logits, axis=1)
    acc, acc_update = tf.metrics.accuracy(labels=y, predictions=guess, name="test_acc")

    x_train, y_train = leaves(400, 1)
    x_test, y_test = leaves(100, 2)

    with tf.Session() as sess:
        sess.run(tf.group(tf.global_variables_initializer(), tf.local_variables_initializer()))
        for step in range(STEPS):
            pick = np.random.RandomState(step).randint(0, len(x_train), 32)
            _, value = sess.run([train_op, loss], {x: x_train[pick], y: y_train[pick]})
            if step % 40 == 0:
                print("step", step, "loss", round(float(value), 4))

        for start in range(0, len(x_test), 25):
            feed = {x: x_test[start : start + 25], y: y_test[start : start + 25]}
            sess.run(acc_update, feed)
        print("test accuracy:", sess.run(acc))


if __name__ == "__main__":
    main()
