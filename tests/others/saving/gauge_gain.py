import os
import tempfile

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()

folder = tempfile.mkdtemp()
ckpt = os.path.join(folder, "gauge.ckpt")

np.random.seed(0)
volts = np.random.rand(50, 1).astype(np.float32)
press = 4.0 * volts + 1.5

# training and saving
gain = tf.Variable([[0.5]], name="gain")
shift = tf.Variable([0.0], name="shift")
inp = tf.placeholder(tf.float32, [None, 1])
out = tf.placeholder(tf.float32, [None, 1])
err = tf.reduce_mean(tf.square(tf.matmul(inp, gain) + shift - out))
step = tf.train.GradientDescentOptimizer(0.3).minimize(err)
init_op = tf.global_variables_initializer()
saver = tf.train.Saver()
with tf.Session() as sess:
    sess.run(init_op)
    for i in range(300):
        _, e = sess.run([step, err], {inp: volts, out: press})
    print("error", e)
    save_path = saver.save(sess, ckpt)
    print("Saved to %s" % os.path.basename(save_path))

# restoring
gain = tf.Variable([[1.0]], name="gain")  # <- cause
shift = tf.Variable([1.0], name="shift")  # <- cause
saver = tf.train.Saver()
with tf.Session() as sess:
    saver.restore(sess, ckpt)
    print("Restored.")
    print(sess.run(gain), sess.run(shift))
