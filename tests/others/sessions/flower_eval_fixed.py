"""Flower classifier as a notebook has it: graph, training, then a look at the mistakes."""

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_eager_execution()

img_size = 16
img_size_flat = img_size * img_size
classes = ["daisy", "rose", "tulip"]
num_classes = len(classes)


def read_images(count, seed):
    rng = np.random.default_rng(seed)
    cls = rng.integers(0, num_classes, count)
    images = rng.random((count, img_size_flat)).astype("float32") * 0.3
    images[np.arange(count), cls] += 1.0
    return images, np.eye(num_classes)[cls], cls


x = tf.placeholder(tf.float32, shape=[None, img_size_flat], name="x")
y_true = tf.placeholder(tf.float32, shape=[None, num_classes], name="y_true")
weights = tf.Variable(tf.zeros([img_size_flat, num_classes]))
biases = tf.Variable(tf.zeros([num_classes]))
logits = tf.matmul(x, weights) + biases
y_pred_cls = tf.argmax(logits, axis=1)
cost = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits_v2(logits=logits, labels=y_true))
optimizer = tf.train.AdamOptimizer(learning_rate=0.01).minimize(cost)

session = tf.Session()
session.run(tf.global_variables_initializer())


def optimize(iterations):
    images, labels, _ = read_images(200, seed=0)
    for i in range(iterations):
        part = slice((i * 20) % 200, (i * 20) % 200 + 20)
        session.run(optimizer, feed_dict={x: images[part], y_true: labels[part]})


def show_counts(cls):
    for name, x in zip(classes, np.bincount(cls, minlength=num_classes)):
        print(name, x)


def sample_prediction(image, label):
    feed_dict_test = {x: image.reshape(1, img_size_flat), y_true: label.reshape(1, num_classes)}
    return classes[session.run(y_pred_cls, feed_dict=feed_dict_test)[0]]


optimize(30)
test_images, test_labels, test_cls = read_images(50, seed=1)
show_counts(test_cls)

errors = session.run(y_pred_cls, feed_dict={x: test_images}) != test_cls
for i, position in enumerate(np.flatnonzero(~errors)[:3]):
    print("right", i, classes[test_cls[position]])

print("Predicted class:", sample_prediction(test_images[0], test_labels[0]))
session.close()
