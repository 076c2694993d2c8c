import time
import numpy as np
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()

grid = np.random.RandomState(2).normal(size=(1700, 1700)).astype(np.float32)


def pressure(depth):
    field = tf.constant(grid, name='field')
    d = tf.placeholder(tf.float32, name='depth')
    y = tf.reduce_mean(tf.square(field * d), name='y')
    return d, y


for i in range(0, 30):
    t0 = time.perf_counter()

    sess = tf.Session()  # <- cause
    d, y = pressure(i)  # <- cause
    value = sess.run(y, feed_dict={d: 0.1 * i})  # <- cause
    sess.close()  # <- cause

    if i % 6 == 0:
        print(i, 'pressure %.4f' % value, 'took %.2f s' % (time.perf_counter() - t0), flush=True)
