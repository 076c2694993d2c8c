import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_eager_execution()

k = 30        # vocabulary size
N = 6         # words in a phrase
EMB = 20
HID = 40


def weight(rows, cols):
    return tf.Variable(tf.truncated_normal([rows, cols], -0.1, 0.1, seed=5))


def one_hot_phrase(rng):
    phrase = np.zeros((N, k), dtype=np.float32)
    phrase[np.arange(N), rng.randint(0, k, size=N)] = 1.0
    return phrase


X = tf.placeholder(tf.float32, shape=[N, k])
we = weight(EMB, k)

wz, uz = weight(HID, EMB), weight(HID, HID)
wr, ur = weight(HID, EMB), weight(HID, HID)
w, u = weight(HID, EMB), weight(HID, HID)
v = weight(HID, HID)

h_previous = tf.zeros([HID, 1])
one = tf.ones([HID, 1])
for t in range(N):
    xt = tf.reshape(tf.slice(X, [t, 0], [1, k]), [k])  # <- cause
    e = tf.matmul(we, xt)
    r = tf.sigmoid(tf.matmul(wr, e) + tf.matmul(ur, h_previous))
    z = tf.sigmoid(tf.matmul(wz, e) + tf.matmul(uz, h_previous))
    h_tilde = tf.tanh(tf.matmul(w, e) + tf.matmul(u, r * h_previous))
    h_previous = z * h_previous + (one - z) * h_tilde

c = tf.tanh(tf.matmul(v, h_previous))

rng = np.random.RandomState(0)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(3):
        code = sess.run(c, feed_dict={X: one_hot_phrase(rng)})
        print("phrase code", code.shape, float(np.abs(code).mean()))
