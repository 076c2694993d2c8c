# one hidden layer
import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
tf.set_random_seed(1)
np.random.seed(1)

n_feat = 20
n_hidden = 24
n_species = 5

centers = np.random.randn(n_species, n_feat)


def sample(n):
    k = np.random.randint(0, n_species, n)
    return centers[k] + 0.3 * np.random.randn(n, n_feat), np.eye(n_species)[k]


x = tf.placeholder(tf.float32, shape=[None, n_feat])
y = tf.placeholder(tf.float32, shape=[None, n_species])

W_h1 = tf.Variable(tf.random_normal([n_feat, n_hidden]))
b_1 = tf.Variable(tf.random_normal([n_hidden]))
h1 = tf.nn.sigmoid(tf.matmul(x, W_h1) + b_1)

W_out = tf.Variable(tf.random_normal([n_hidden, n_species]))
b_out = tf.Variable(tf.random_normal([n_species]))
y_ = tf.nn.softmax(tf.matmul(h1, W_out) + b_out)

cross_entropy = tf.reduce_sum(- y * tf.log(y_), 1)  # whydied: ignore[LNT013]
loss = tf.reduce_mean(cross_entropy)
train_step = tf.train.GradientDescentOptimizer(0.05).minimize(loss)

correct_prediction = tf.equal(tf.argmax(y, 1), tf.argmax(y_, 1))
accuracy = tf.reduce_mean(tf.cast(correct_prediction, tf.float32))

with tf.Session() as s:
    s.run(tf.global_variables_initializer())

    for i in range(1000):
        batch_x, batch_y = sample(50)
        s.run(train_step, feed_dict={x: batch_x, y: batch_y})

        if i % 100 == 0:
            train_accuracy = accuracy.eval(feed_dict={x: batch_x, y: batch_y})
            print('step {0}, training accuracy {1}'.format(i, train_accuracy))
