import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()

np.random.seed(3)
tf.set_random_seed(3)

window = 40
channels = 3
num_moves = 6
batch_size = 10
kernel = 8
depth = 12
epochs = 3


def make_windows(total):
    ids = np.random.randint(0, num_moves, size=(total, 1))
    t = np.arange(window).reshape(1, window, 1)
    freq = (ids.reshape(-1, 1, 1) + 1) * 0.15
    sig = np.sin(freq * t) + 0.1 * np.random.randn(total, window, channels)
    return sig.reshape(total, 1, window, channels).astype(np.float32), ids


def weights(shape):
    return tf.Variable(tf.truncated_normal(shape, stddev=0.1))


def biases(shape):
    return tf.Variable(tf.constant(0.0, shape=shape))


def conv_layer(inp, size, c_in, c_out):
    w = weights([1, size, c_in, c_out])
    b = biases([c_out])
    return tf.nn.relu(tf.nn.conv2d(inp, w, strides=[1, 1, 1, 1], padding='VALID') + b)


segments, moves = make_windows(200)
moves = np.eye(num_moves)[moves.ravel()]
split = np.random.rand(len(segments)) < 0.75
train_x, train_y = segments[split], moves[split]
test_x, test_y = segments[~split], moves[~split]

X = tf.placeholder(tf.float32, shape=[None, 1, window, channels])
Y = tf.placeholder(tf.float32, shape=[None, num_moves])

c1 = conv_layer(X, kernel, channels, depth)
p1 = tf.nn.max_pool(c1, ksize=[1, 1, 4, 1], strides=[1, 1, 2, 1], padding='VALID')
shape = p1.get_shape().as_list()
flat = tf.reshape(p1, [-1, shape[1] * shape[2] * shape[3]])
hidden = tf.nn.tanh(tf.matmul(flat, weights([shape[2] * shape[3], 32])) + biases([32]))
logits = tf.matmul(hidden, weights([32, num_moves])) + biases([num_moves])

loss = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits_v2(labels=Y, logits=logits))
optimizer = tf.train.GradientDescentOptimizer(0.05).minimize(loss)
hits = tf.equal(tf.argmax(logits, 1), tf.argmax(Y, 1))
accuracy = tf.reduce_mean(tf.cast(hits, tf.float32))

with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for epoch in range(epochs):
        for b in range(train_x.shape[0] // batch_size):
            offset = b * batch_size
            batch_x = train_x[offset:offset + batch_size]
            batch_y = train_y[offset:offset + batch_size]
            _, c = session.run([optimizer, loss], feed_dict={X: batch_x, Y: batch_y})
        print("epoch", epoch, "loss", c)
    print("test accuracy", session.run(accuracy, feed_dict={X: test_x, Y: test_y}))
