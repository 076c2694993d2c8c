import os, shutil, tempfile, datetime
import numpy as np
import tensorflow.compat.v1 as tf
tf.disable_eager_execution()

# how many rolls will be sold tomorrow (in hundreds)
np.random.seed(5)
days = 500
weekday = np.random.randint(0, 7, days)
rain = np.random.rand(days)
holiday = (np.random.rand(days) < 0.05).astype('float32')
temp = np.random.normal(14, 7, days)
sold = 3.0 + 0.8 * (weekday >= 5) - 0.9 * rain + 1.1 * holiday + 0.02 * temp + np.random.normal(0, .1, days)

feats = np.zeros((days, 10), dtype=np.float32)
feats[np.arange(days), weekday] = 1
feats[:, 7] = rain
feats[:, 8] = holiday
feats[:, 9] = (temp - temp.mean()) / temp.std()
target = sold.reshape(-1, 1).astype(np.float32)

cut = 400
X_train, X_test = feats[:cut], feats[cut:]
y_train, y_test = target[:cut], target[cut:]
print(X_train.shape, y_train.shape)

LOGDIR = os.path.join(tempfile.gettempdir(), 'bakery_board')
shutil.rmtree(LOGDIR, ignore_errors=True)
batchSize = 25
iterations = 400


def variable_summaries(var, name):
    mean = tf.reduce_mean(var)
    tf.summary.scalar('mean/' + name, mean)
    tf.summary.scalar('stddev/' + name, tf.sqrt(tf.reduce_mean(tf.square(var - mean))))
    tf.summary.histogram(name, var)


def dense(inp, n_out, name, act=None):
    n_in = inp.get_shape().as_list()[1]
    with tf.variable_scope(name):
        w = tf.get_variable('w', [n_in, n_out], initializer=tf.glorot_uniform_initializer())
        b = tf.get_variable('b', [n_out], initializer=tf.zeros_initializer())
        out = tf.matmul(inp, w) + b
        return act(out) if act is not None else out


def nextBatch():
    i = np.random.randint(0, cut, batchSize)
    return X_train[i], y_train[i]


tf.reset_default_graph()
input_data = tf.placeholder(tf.float32, [None, 10], name='input_data')
labels = tf.placeholder(tf.float32, [None, 1], name='labels')

net = dense(input_data, 16, 'fc1', tf.nn.relu)
net = dense(net, 16, 'fc2', tf.nn.relu)
prediction = dense(net, 1, 'out')

loss = tf.reduce_mean(tf.square(prediction - labels))
mae = tf.reduce_mean(tf.abs(prediction - labels))
optimizer = tf.train.AdamOptimizer(0.005).minimize(loss)

tf.summary.scalar('loss', loss)
merged = tf.summary.merge_all()
logdir = os.path.join(LOGDIR, datetime.datetime.now().strftime("%Y%m%d-%H%M%S"))

sess = tf.InteractiveSession()
writer = tf.summary.FileWriter(logdir, sess.graph)
saver = tf.train.Saver()
sess.run(tf.global_variables_initializer())

for i in range(iterations):
    bx, by = nextBatch()
    sess.run(optimizer, {input_data: bx, labels: by})

    # tensorboard
    if i % 50 == 0:
        summary = sess.run(merged, {input_data: bx, labels: by})
        writer.add_summary(summary, i)
        print(i, 'loss', sess.run(loss, {input_data: bx, labels: by}))

writer.close()
print('test mae', sess.run(mae, {input_data: X_test, labels: y_test}))
sess.close()
