import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()

# small made-up 8x8 glyphs, ten kinds
rng = np.random.RandomState(0)
templates = rng.rand(10, 64)


def next_batch(n):
    k = rng.randint(0, 10, n)
    xs = templates[k] + 0.15 * rng.randn(n, 64)
    ys = np.zeros((n, 10))
    ys[np.arange(n), k] = 1
    return xs.astype(np.float32), ys.astype(np.float32)


x = tf.placeholder(tf.float32, [None, 64])

# first layer
W1 = tf.Variable(tf.truncated_normal([64, 10], stddev=0.1))
b1 = tf.Variable(tf.truncated_normal([10], stddev=0.1))
out1 = tf.nn.sigmoid(tf.matmul(x, W1) + b1)

# second layer
W2 = tf.Variable(tf.truncated_normal([10, 10], stddev=0.1))
b2 = tf.Variable(tf.truncated_normal([10], stddev=0.1))
out2 = tf.nn.softmax(tf.matmul(out1, W2) + b2)

y = out2
y_ = tf.placeholder(tf.float32, [None, 10])

cross_entropy = tf.reduce_mean(-tf.reduce_sum(y_ * tf.log(y), axis=1))  # whydied: ignore[LNT013]
train_step = tf.train.GradientDescentOptimizer(0.5).minimize(cross_entropy)

correct = tf.equal(tf.argmax(y, 1), tf.argmax(y_, 1))
accuracy = tf.reduce_mean(tf.cast(correct, tf.float32))

test_x, test_y = next_batch(500)

sess = tf.InteractiveSession()
tf.global_variables_initializer().run()

for i in range(1500):
    batch_xs, batch_ys = next_batch(100)
    sess.run(train_step, feed_dict={x: batch_xs, y_: batch_ys})
    if i % 250 == 0:
        print(i, sess.run([cross_entropy, accuracy], feed_dict={x: test_x, y_: test_y}))

print("accuracy:", sess.run(accuracy, feed_dict={x: test_x, y_: test_y}))
