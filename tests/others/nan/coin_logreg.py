# softmax classifier for the coin sorter (weight, diameter, thickness, conductivity -> coin)
import numpy as np
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()
tf.set_random_seed(1)
np.random.seed(1)

COINS = ['1ct', '2ct', '5ct', '10ct', '20ct', '50ct']
spec = np.array([
    # mg     um       um     S/m (x1e4)
    [2300., 16250., 1670., 580.],
    [3060., 18750., 1670., 575.],
    [3920., 21250., 1670., 570.],
    [4100., 19750., 1930., 110.],
    [5740., 22250., 2140., 108.],
    [7800., 24250., 2380., 105.],
])

def measure(n):
    which = np.random.randint(0, len(COINS), n)
    m = spec[which] * (1 + np.random.normal(0, 0.004, (n, 4)))
    return m.astype(np.float32), which

def to_onehot(which):
    o = np.zeros((len(which), len(COINS)), np.float32)
    o[np.arange(len(which)), which] = 1
    return o

x_train, c_train = measure(1200)
x_test, c_test = measure(300)
y_train, y_test = to_onehot(c_train), to_onehot(c_test)

mu, sd = x_train.mean(0), x_train.std(0)
x_train = (x_train - mu) / sd
x_test = (x_test - mu) / sd
print('train', x_train.shape, 'mean', x_train.mean(), 'std', x_train.std())

# Parameters
learning_rate = 2.0
training_epochs = 40
batch_size = 20
display_step = 4
n_hidden = 64

x = tf.placeholder(tf.float32, [None, 4])
y = tf.placeholder(tf.float32, [None, len(COINS)])

W1 = tf.Variable(tf.random_normal([4, n_hidden]))
b1 = tf.Variable(tf.zeros([n_hidden]))
W2 = tf.Variable(tf.random_normal([n_hidden, len(COINS)]))
b2 = tf.Variable(tf.zeros([len(COINS)]))

hidden = tf.nn.tanh(tf.matmul(x, W1) + b1)
logits = tf.matmul(hidden, W2) + b2
pred = tf.nn.softmax(logits)

# Minimize error using cross entropy
cost = tf.reduce_mean(-tf.reduce_sum(y * tf.log(pred), axis=1))  # <- cause
optimizer = tf.train.GradientDescentOptimizer(learning_rate).minimize(cost)

correct_prediction = tf.equal(tf.argmax(pred, 1), tf.argmax(y, 1))
accuracy = tf.reduce_mean(tf.cast(correct_prediction, tf.float32))

init = tf.global_variables_initializer()

with tf.Session() as sess:
    sess.run(init)
    for epoch in range(training_epochs):
        avg_cost = 0.
        total_batch = int(len(x_train) / batch_size)
        perm = np.random.permutation(len(x_train))
        for i in range(total_batch):
            sel = perm[i * batch_size:(i + 1) * batch_size]
            _, c = sess.run([optimizer, cost], feed_dict={x: x_train[sel], y: y_train[sel]})
            avg_cost += c / total_batch
        if (epoch + 1) % display_step == 0:
            print("Epoch:", '%04d' % (epoch + 1), "cost=", "{:.9f}".format(avg_cost))

    print("Optimization Finished!")
    print("Accuracy:", accuracy.eval({x: x_test, y: y_test}))
    print("W2 sample", W2.eval()[0, :3])
