import tensorflow.compat.v1 as tf


def inference(images, n_classes):
    with tf.variable_scope('conv1'):
        weights = tf.get_variable('weights', [3, 3, 1, 8],
                                  initializer=tf.truncated_normal_initializer(stddev=0.1, seed=1))
        biases = tf.get_variable('biases', [8], initializer=tf.constant_initializer(0.1))
        conv = tf.nn.conv2d(images, weights, strides=[1, 1, 1, 1], padding='SAME')
        conv1 = tf.nn.relu(tf.nn.bias_add(conv, biases))
    pool1 = tf.nn.max_pool(conv1, ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding='SAME')
    with tf.variable_scope('softmax_linear'):
        flat = tf.reshape(pool1, [-1, 8 * 8 * 8])
        weights = tf.get_variable('weights', [8 * 8 * 8, n_classes],
                                  initializer=tf.truncated_normal_initializer(stddev=0.05, seed=2))
        biases = tf.get_variable('biases', [n_classes], initializer=tf.constant_initializer(0.0))
        logits = tf.matmul(flat, weights) + biases
    return logits


def losses(logits, labels):
    with tf.variable_scope('loss'):
        ce = tf.nn.sparse_softmax_cross_entropy_with_logits(logits=logits, labels=labels)
        return tf.reduce_mean(ce)


def training(loss, learning_rate):
    return tf.train.AdamOptimizer(learning_rate).minimize(loss)


def evaluation(logits, labels):
    correct = tf.nn.in_top_k(logits, labels, 1)
    return tf.reduce_mean(tf.cast(correct, tf.float32))
