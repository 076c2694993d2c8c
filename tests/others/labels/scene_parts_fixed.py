"""Segments pictures into the parts of a scene."""

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
tf.set_random_seed(0)

NUM_CLASSES = 8
SIDE = 32
BATCH = 4
STEPS = 40


def scene(rng):
    """A picture and the annotation of its parts."""
    annotation = np.zeros((SIDE, SIDE), np.uint8)
    for _ in range(6):
        kind = rng.integers(1, NUM_CLASSES + 1)
        y, x = rng.integers(0, SIDE - 8, 2)
        annotation[y:y + 12, x:x + 12] = kind
    image = annotation[..., None] * 20.0 + rng.normal(0, 5, (SIDE, SIDE, 3))
    return image.astype("float32") / 255.0, annotation


def conv(x, filters, name, stride=1):
    kernel = tf.get_variable(name, [3, 3, x.shape[-1], filters], initializer=tf.glorot_uniform_initializer())
    return tf.nn.conv2d(x, kernel, strides=stride, padding="SAME")


def network(images):
    x = tf.nn.relu(conv(images, 16, "conv1"))
    x = tf.nn.relu(conv(x, 16, "conv2", 2))
    return conv(x, NUM_CLASSES, "scores")


def prepare_labels(labels, size):
    """Annotation in the size of the scores."""
    labels = tf.image.resize_nearest_neighbor(labels[..., None], size)
    return tf.squeeze(labels, axis=[3])


def loss_of(scores, labels):
    raw = tf.reshape(scores, [-1, NUM_CLASSES])
    truth = tf.reshape(prepare_labels(labels, [SIDE // 2, SIDE // 2]), [-1])
    truth = tf.cast(truth, tf.int32) - 1
    known = tf.squeeze(tf.where(truth >= 0), axis=1)
    raw, truth = tf.gather(raw, known), tf.gather(truth, known)
    loss = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=truth, logits=raw)
    return tf.reduce_mean(loss)


images = tf.placeholder(tf.float32, [None, SIDE, SIDE, 3])
labels = tf.placeholder(tf.uint8, [None, SIDE, SIDE])
scores = network(images)
loss = loss_of(scores, labels)
train_op = tf.train.MomentumOptimizer(0.05, 0.9).minimize(loss)

rng = np.random.default_rng(0)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for step in range(STEPS):
        pairs = [scene(rng) for _ in range(BATCH)]
        feed = {images: np.stack([p[0] for p in pairs]), labels: np.stack([p[1] for p in pairs])}
        value, _ = sess.run([loss, train_op], feed)
        if step % 10 == 0:
            print("step", step, "loss", value)
print("trained")
