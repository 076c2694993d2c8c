# coding: utf-8
import os
os.environ['TF_USE_LEGACY_KERAS'] = '1'   # old rnn cells
import tempfile
import numpy as np
import pandas as pd
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()

# constants
rnn_unit = 10
input_size = 4
output_size = 1
lr = 0.006

# ------------------ load data ------------------
rs = np.random.RandomState(2)
hours = np.arange(900)
level = 2 + np.sin(2 * np.pi * hours / 12.42) + .4 * np.sin(2 * np.pi * hours / 12.0)
df = pd.DataFrame({
    'pressure': 1013 + np.cumsum(rs.normal(0, .3, 900)),
    'wind': rs.gamma(2., 2., 900),
    'flow': 120 + 10 * np.sin(hours / 80.),
    'level': level + rs.normal(0, .03, 900),
})
df['label'] = df['level'].shift(-1)
df = df.dropna()
data = df[['pressure', 'wind', 'flow', 'level', 'label']].values
print(df.describe().loc[['mean', 'std']])


def get_train_data(batch_size=60, time_step=20, train_begin=0, train_end=700):
    batch_index = []
    data_train = data[train_begin:train_end]
    normalized = (data_train - np.mean(data_train, axis=0)) / np.std(data_train, axis=0)
    train_x, train_y = [], []
    for i in range(len(normalized) - time_step):
        if i % batch_size == 0:
            batch_index.append(i)
        x = normalized[i:i + time_step, :4]
        y = normalized[i:i + time_step, 4, np.newaxis]
        train_x.append(x.tolist())
        train_y.append(y.tolist())
    batch_index.append((len(normalized) - time_step))
    return batch_index, train_x, train_y


def get_test_data(time_step=20, test_begin=700):
    data_test = data[test_begin:]
    mean = np.mean(data_test, axis=0)
    std = np.std(data_test, axis=0)
    normalized = (data_test - mean) / std
    size = len(normalized) // time_step
    test_x, test_y = [], []
    for i in range(size):
        test_x.append(normalized[i * time_step:(i + 1) * time_step, :4].tolist())
        test_y.extend(normalized[i * time_step:(i + 1) * time_step, 4])
    return mean, std, test_x, test_y


# ------------------ network variables ------------------
weights = {
    'in': tf.Variable(tf.random_normal([input_size, rnn_unit])),
    'out': tf.Variable(tf.random_normal([rnn_unit, 1]))
}
biases = {
    'in': tf.Variable(tf.constant(0.1, shape=[rnn_unit, ])),
    'out': tf.Variable(tf.constant(0.1, shape=[1, ]))
}


def lstm(X):
    batch_size = tf.shape(X)[0]
    time_step = tf.shape(X)[1]
    inp = tf.reshape(X, [-1, input_size])
    input_rnn = tf.matmul(inp, weights['in']) + biases['in']
    input_rnn = tf.reshape(input_rnn, [-1, time_step, rnn_unit])
    cell = tf.nn.rnn_cell.BasicLSTMCell(rnn_unit)
    init_state = cell.zero_state(batch_size, dtype=tf.float32)
    with tf.variable_scope('tide_rnn', reuse=tf.AUTO_REUSE):
        output_rnn, final_states = tf.nn.dynamic_rnn(cell, input_rnn, initial_state=init_state, dtype=tf.float32)
    output = tf.reshape(output_rnn, [-1, rnn_unit])
    pred = tf.matmul(output, weights['out']) + biases['out']
    return pred, final_states


ckpt = os.path.join(tempfile.mkdtemp(), 'tide.model')


def train_lstm(batch_size=60, time_step=20):
    X = tf.placeholder(tf.float32, shape=[None, time_step, input_size])
    Y = tf.placeholder(tf.float32, shape=[None, time_step, output_size])
    batch_index, train_x, train_y = get_train_data(batch_size, time_step)
    pred, _ = lstm(X)
    loss = tf.reduce_mean(tf.square(tf.reshape(pred, [-1]) - tf.reshape(Y, [-1])))
    train_op = tf.train.AdamOptimizer(lr).minimize(loss)
    saver = tf.train.Saver(tf.trainable_variables())
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for i in range(12):
            for step in range(len(batch_index) - 1):
                a, b = batch_index[step], batch_index[step + 1]
                _, loss_ = sess.run([train_op, loss], feed_dict={X: train_x[a:b], Y: train_y[a:b]})
            if i % 3 == 0:
                print('round', i, loss_)
        print('saved:', os.path.basename(saver.save(sess, ckpt)))


train_lstm()


def prediction(time_step=20):
    X = tf.placeholder(tf.float32, shape=[None, time_step, input_size])
    mean, std, test_x, test_y = get_test_data(time_step)
    pred, _ = lstm(X)
    saver = tf.train.Saver(tf.trainable_variables())
    with tf.Session() as sess:
        saver.restore(sess, ckpt)
        test_predict = []
        for step in range(len(test_x)):
            prob = sess.run(pred, feed_dict={X: [test_x[step]]})
            test_predict.extend(prob.reshape((-1)))
        test_y = np.array(test_y[:len(test_predict)]) * std[4] + mean[4]
        test_predict = np.array(test_predict) * std[4] + mean[4]
        print('mean abs dev (m): %.3f' % np.mean(np.abs(test_predict - test_y)))


prediction()
