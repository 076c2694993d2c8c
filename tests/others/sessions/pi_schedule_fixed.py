"""Semi-supervised classifier: two noisy passes of a small net should agree. Rate and momentum ramp down."""
import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()

BATCH = 50
STEPS = 120
RAMP_DOWN = 60


def dense(x, units, name, activation=None):
    with tf.variable_scope(name, reuse=tf.AUTO_REUSE):
        w = tf.get_variable("w", [x.shape[-1], units], initializer=tf.glorot_uniform_initializer())
        b = tf.get_variable("b", [units], initializer=tf.zeros_initializer())
    out = tf.matmul(x, w) + b
    return activation(out) if activation else out


def classify(x):
    noisy = x + tf.random.normal(tf.shape(x), stddev=0.15)
    return dense(dense(noisy, 32, "hidden", tf.nn.relu), 3, "logits")


def build_training_graph(x, y, lr, unsup_weight, m):
    global_step = tf.train.get_or_create_global_step()
    first = classify(x)
    second = classify(x)
    supervised = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=first))
    agreement = tf.reduce_mean(tf.square(tf.nn.softmax(first) - tf.nn.softmax(second)))
    loss = supervised + unsup_weight * agreement
    optimizer = tf.train.AdamOptimizer(learning_rate=lr, beta1=m)
    return loss, optimizer.minimize(loss, global_step=global_step), global_step


def make_data(n=600):
    rng = np.random.RandomState(3)
    labels = rng.randint(0, 3, n)
    centres = rng.normal(size=(3, 8)) * 2
    return (centres[labels] + rng.normal(size=(n, 8))).astype("float32"), labels


def main():
    features, labels = make_data()
    x = tf.placeholder(tf.float32, [None, 8], name="x")
    y = tf.placeholder(tf.int32, [None], name="y")
    lr = tf.placeholder(tf.float32, shape=[], name="learning_rate")
    unsup_weight = tf.placeholder(tf.float32, shape=[], name="unsup_weight")
    m = tf.placeholder(tf.float32, shape=[], name="m")
    loss, train_op, global_step = build_training_graph(x, y, lr, unsup_weight, m)
    init_op = tf.global_variables_initializer()

    with tf.Session() as sess:
        sess.run(init_op, feed_dict={m: 0.9})
        for step in range(STEPS):
            down = 1.0 if step < RAMP_DOWN else np.exp(-12.5 * ((step - RAMP_DOWN) / (STEPS - RAMP_DOWN)) ** 2)
            pick = np.random.randint(0, len(features), BATCH)
            value, _ = sess.run([loss, train_op], feed_dict={
                x: features[pick], y: labels[pick], lr: 0.003 * down, unsup_weight: min(1.0, step / 40),
                m: 0.9 * down + 0.5 * (1 - down)})
            if step % 30 == 0:
                print("step", step, "loss %.4f" % value)
        print("done at step", sess.run(global_step))


if __name__ == "__main__":
    main()
