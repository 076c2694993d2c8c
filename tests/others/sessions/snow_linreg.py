""" linear regression: altitude (km) vs days with snow cover, tf1 exercise """
import os
import time
import tempfile
import numpy as np
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()

STATIONS = os.path.join(tempfile.gettempdir(), 'snow_stations.txt')


def dump_stations(path, n=90):
    r = np.random.RandomState(9)
    alt = r.uniform(0.2, 2.6, n)
    snow = 12 + 62 * alt + r.normal(0, 6, n)
    with open(path, 'w') as f:
        f.write('station\taltitude\tdays\n')
        for i in range(n):
            f.write('ST%03d\t%.3f\t%.1f\n' % (i, alt[i], snow[i]))


def read_stations(path):
    text = open(path).readlines()[1:]
    rows = [line.strip().split('\t') for line in text]
    names = [r[0] for r in rows]
    data = np.array([[float(r[1]), float(r[2])] for r in rows], dtype=np.float32)
    return data, names, len(rows)


dump_stations(STATIONS)
data, names, n_samples = read_stations(STATIONS)
data[:, 1] /= 100.0
print(n_samples, 'stations, first:', names[0], data[0])

# placeholders
X = tf.placeholder(tf.float32, name='X')
Y = tf.placeholder(tf.float32, name='Y')

w = tf.get_variable('weights', initializer=tf.constant(0.0))
b = tf.get_variable('bias', initializer=tf.constant(0.0))

Y_predicted = w * X + b


def huber_loss(labels, predictions, delta=0.2):
    residual = tf.abs(labels - predictions)
    def f1(): return 0.5 * tf.square(residual)
    def f2(): return delta * residual - 0.5 * tf.square(delta)
    return tf.cond(residual < delta, f1, f2)


loss = huber_loss(Y, Y_predicted)
# loss = tf.square(Y - Y_predicted, name='loss')
optimizer = tf.train.GradientDescentOptimizer(learning_rate=0.02).minimize(loss)

start = time.time()
writer = tf.summary.FileWriter(tempfile.mkdtemp(), tf.get_default_graph())
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())

    for i in range(15):
        total_loss = 0
        for x, y in data:
            _, loss = sess.run([optimizer, loss], feed_dict={X: x, Y: y})  # <- cause
            total_loss += loss  # <- cause
        print('Epoch {0}: {1}'.format(i, total_loss / n_samples))

    writer.close()
    w_out, b_out = sess.run([w, b])

print('w %.3f  b %.3f   (days per km: %.0f)' % (w_out, b_out, w_out * 100))
print('Took: %.1f seconds' % (time.time() - start))
