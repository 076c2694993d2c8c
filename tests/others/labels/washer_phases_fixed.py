from __future__ import print_function
import numpy as np
import pandas as pd
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()

np.random.seed(3)
tf.set_random_seed(3)

# ---- fake export of the accelerometer that is taped on the washing machine
phases = ['fill', 'wash', 'drain', 'rinse', 'spin', 'idle']
freqs = {'fill': .2, 'wash': 1.3, 'drain': .7, 'rinse': 1.0, 'spin': 6.0, 'idle': .01}
rows = []
for cycle in range(12):
    for ph in phases:
        t = np.arange(400) / 50.0
        f = freqs[ph]
        ax = np.sin(2 * np.pi * f * t) * (0.3 + f / 4) + np.random.randn(400) * .05
        ay = np.cos(2 * np.pi * f * t) * (0.2 + f / 5) + np.random.randn(400) * .05
        az = 1.0 + np.random.randn(400) * .05
        rows.append(pd.DataFrame({'cycle': cycle, 'phase': ph, 'x': ax, 'y': ay, 'z': az}))
dataset = pd.concat(rows, ignore_index=True)
print(dataset.shape)
print(dataset['phase'].value_counts())


def feature_normalize(col):
    mu = np.mean(col, axis=0)
    sigma = np.std(col, axis=0)
    return (col - mu) / sigma


def windows(data, size):
    start = 0
    while start < data.count():
        yield int(start), int(start + size)
        start += (size / 2)


def segment_signal(data, window_size=50):
    segments = []
    labels = []
    for (start, end) in windows(data['x'], window_size):
        x = data['x'].values[start:end]
        y = data['y'].values[start:end]
        z = data['z'].values[start:end]
        if len(x) == window_size:
            segments.append(np.dstack([x, y, z])[0])
            labels.append([data['phase'].values[start:end][0]])
    return np.asarray(segments, dtype=np.float32), np.asarray(labels)


for c in ['x', 'y', 'z']:
    dataset[c] = feature_normalize(dataset[c])

segments, labels = segment_signal(dataset)
codes = {p: i for i, p in enumerate(phases)}
labels = np.asarray([codes[l[0]] for l in labels])
labels = np.eye(len(phases), dtype=np.float32)[labels]
reshaped_segments = segments.reshape(len(segments), 50, 3)
print(reshaped_segments.shape, labels.shape)

train_test_split = np.random.rand(len(reshaped_segments)) < 0.70
train_x = reshaped_segments[train_test_split]
train_y = labels[train_test_split]
test_x = reshaped_segments[~train_test_split]
test_y = labels[~train_test_split]

input_width = 50
num_labels = 6
num_channels = 3
batch_size = 10
kernel_size = 12
depth = 16
num_hidden = 64
learning_rate = 0.001
training_epochs = 3
total_batches = train_x.shape[0] // batch_size


def weight_variable(shape):
    return tf.Variable(tf.truncated_normal(shape, stddev=0.1))


def bias_variable(shape):
    return tf.Variable(tf.constant(0.0, shape=shape))


X = tf.placeholder(tf.float32, shape=[None, input_width, num_channels])
Y = tf.placeholder(tf.float32, shape=[None, num_labels])

c = tf.nn.relu(tf.nn.conv1d(X, weight_variable([kernel_size, num_channels, depth]), 1, 'VALID')
               + bias_variable([depth]))
shape = c.get_shape().as_list()
c_flat = tf.reshape(c, [-1, shape[1] * shape[2]])
h = tf.nn.tanh(tf.matmul(c_flat, weight_variable([shape[1] * shape[2], num_hidden])) + bias_variable([num_hidden]))
logits = tf.matmul(h, weight_variable([num_hidden, num_labels])) + bias_variable([num_labels])

loss = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits(labels=Y, logits=logits))
optimizer = tf.train.AdamOptimizer(learning_rate=learning_rate).minimize(loss)
correct_prediction = tf.equal(tf.argmax(logits, 1), tf.argmax(Y, 1))
accuracy = tf.reduce_mean(tf.cast(correct_prediction, tf.float32))

with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for epoch in range(training_epochs):
        cost_history = []
        for b in range(total_batches):
            offset = (b * batch_size) % (train_y.shape[0] - batch_size)
            batch_x = train_x[offset:(offset + batch_size), :, :]
            batch_y = train_y[offset:(offset + batch_size), :]
            _, cc = session.run([optimizer, loss], feed_dict={X: batch_x, Y: batch_y})
            cost_history.append(cc)
        print("Epoch:", epoch, " loss:", np.mean(cost_history), " train acc:",
              session.run(accuracy, feed_dict={X: train_x, Y: train_y}))
    print("Testing accuracy:", session.run(accuracy, feed_dict={X: test_x, Y: test_y}))
