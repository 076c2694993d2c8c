import numpy as np
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()

tf.set_random_seed(4)
rng = np.random.RandomState(4)

# small grey scans of ten kinds of stamps
kinds = (rng.rand(10, 784) > 0.7).astype(np.float32)
kind_id = rng.randint(0, 10, 1200)
scans = kinds[kind_id] * (rng.rand(1200, 784) > 0.3) + (rng.rand(1200, 784) < 0.3)
scans = np.clip(scans, 0, 1).astype(np.float32)
onehot = np.eye(10, dtype=np.float32)[kind_id]
train_x, test_x = scans[:1000], scans[1000:]
train_y, test_y = onehot[:1000], onehot[1000:]

X = tf.placeholder(tf.float32, [None, 784])
Y_ = tf.placeholder(tf.float32, [None, 10])

W1 = tf.Variable(tf.truncated_normal([784, 200], stddev=0.1))
B1 = tf.Variable(tf.ones([200]) / 10)
W2 = tf.Variable(tf.truncated_normal([200, 100], stddev=0.1))
B2 = tf.Variable(tf.ones([100]) / 10)
W3 = tf.Variable(tf.truncated_normal([100, 60], stddev=0.1))
B3 = tf.Variable(tf.ones([60]) / 10)
W4 = tf.Variable(tf.truncated_normal([60, 30], stddev=0.1))
B4 = tf.Variable(tf.ones([30]) / 10)
W5 = tf.Variable(tf.truncated_normal([30, 10], stddev=0.1))
B5 = tf.Variable(tf.ones([10]) / 10)

Y1 = tf.nn.relu(tf.matmul(X, W1) + B1)
Y2 = tf.nn.relu(tf.matmul(Y1, W2) + B2)
Y3 = tf.nn.relu(tf.matmul(Y2, W3) + B3)
Y4 = tf.nn.relu(tf.matmul(Y3, W4) + B4)
Ylogits = tf.matmul(Y4, W5) + B5
Y = tf.nn.softmax(Ylogits)

cross_entropy = -tf.reduce_sum(Y_ * tf.log(Y))  # <- cause

hit = tf.equal(tf.argmax(Y, 1), tf.argmax(Y_, 1))
accuracy = tf.reduce_mean(tf.cast(hit, tf.float32))
train_step = tf.train.AdamOptimizer(0.01).minimize(cross_entropy)

sess = tf.Session()
sess.run(tf.global_variables_initializer())

batch = 100
for epoch in range(1, 41):
    order = rng.permutation(len(train_x))
    for start in range(0, len(train_x), batch):
        pick = order[start:start + batch]
        sess.run(train_step, feed_dict={X: train_x[pick], Y_: train_y[pick]})
    if epoch % 4 == 0:
        tl, ta = sess.run([cross_entropy, accuracy], feed_dict={X: train_x, Y_: train_y})
        vl, va = sess.run([cross_entropy, accuracy], feed_dict={X: test_x, Y_: test_y})
        print("Epoch: %3d  loss: %g  accuracy: %g  test loss: %g  test accuracy: %g" % (epoch, tl, ta, vl, va))
