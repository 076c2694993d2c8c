import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
weights = tf.Variable(tf.ones((1000, 1000)))
total = tf.reduce_sum(weights)
init = tf.global_variables_initializer()
for _ in range(40):
    with tf.Session() as sess:
        sess.run(init)
        sess.run(total)
