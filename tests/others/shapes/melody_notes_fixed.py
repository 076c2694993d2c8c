import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()

notes = 12
steps = 5
emb = 8
hid = 10

# note matrix, one row per step
melody = tf.placeholder(tf.float32, shape=[steps, notes])
we = tf.Variable(tf.truncated_normal([emb, notes], 0.0, 0.1))
# update gate
wz = tf.Variable(tf.truncated_normal([hid, emb], 0.0, 0.1))
uz = tf.Variable(tf.truncated_normal([hid, hid], 0.0, 0.1))
# reset gate
wr = tf.Variable(tf.truncated_normal([hid, emb], 0.0, 0.1))
ur = tf.Variable(tf.truncated_normal([hid, hid], 0.0, 0.1))
# candidate
w = tf.Variable(tf.truncated_normal([hid, emb], 0.0, 0.1))
u = tf.Variable(tf.truncated_normal([hid, hid], 0.0, 0.1))
# summary
v = tf.Variable(tf.truncated_normal([hid, hid], 0.0, 0.1))

h_prev = tf.zeros([hid, 1])
for t in range(steps):
    note = tf.reshape(tf.slice(melody, [t, 0], [1, notes]), [notes, 1])
    e = tf.matmul(we, note)
    r = tf.sigmoid(tf.matmul(wr, e) + tf.matmul(ur, h_prev))
    z = tf.sigmoid(tf.matmul(wz, e) + tf.matmul(uz, h_prev))
    h_new = tf.tanh(tf.matmul(w, e) + tf.matmul(u, r * h_prev))
    one = tf.ones([hid, 1])
    h_prev = z * h_prev + (one - z) * h_new

summary = tf.tanh(tf.matmul(v, h_prev))

tune = np.eye(notes, dtype=np.float32)[[0, 4, 7, 4, 0]]
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(summary, feed_dict={melody: tune}).ravel())
