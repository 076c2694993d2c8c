"""Blues or classical: a small network over song features, then a results file for songs without a label."""
import os
import tempfile

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_eager_execution()

rng = np.random.RandomState(7)
n_features, n_hidden, n_classes = 20, 16, 2


def songs(count, labelled=True):
    labels = rng.randint(0, n_classes, count)
    features = rng.normal(size=(count, n_features)) + labels[:, None] * 0.8
    return features.astype("float32"), np.eye(n_classes, dtype="float32")[labels] if labelled else None


training_features, training_labels = songs(400)
testing_features, _ = songs(30, labelled=False)

X = tf.placeholder(tf.float32, [None, n_features])
Y = tf.placeholder(tf.float32, [None, n_classes])
W1 = tf.Variable(tf.random.normal([n_features, n_hidden], stddev=0.1))
b1 = tf.Variable(tf.zeros([n_hidden]))
W2 = tf.Variable(tf.random.normal([n_hidden, n_classes], stddev=0.1))
b2 = tf.Variable(tf.zeros([n_classes]))
hidden = tf.nn.tanh(tf.matmul(X, W1) + b1)
y_pred = tf.nn.softmax(tf.matmul(hidden, W2) + b2)
cost = -tf.reduce_mean(tf.reduce_sum(Y * tf.log(y_pred + 1e-8), axis=1))
optimizer = tf.train.GradientDescentOptimizer(0.3).minimize(cost)
correct = tf.equal(tf.argmax(y_pred, 1), tf.argmax(Y, 1))
accuracy = tf.reduce_mean(tf.cast(correct, tf.float32))

cost_history = []
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for epoch in range(60):
        _, c = sess.run([optimizer, cost], feed_dict={X: training_features, Y: training_labels})
        cost_history.append(c)
    print("training accuracy: %.3f" % sess.run(accuracy, feed_dict={X: training_features, Y: training_labels}))

print("Now the songs without a label")
predicted = sess.run(tf.argmax(y_pred, 1), feed_dict={X: testing_features})  # <- cause
final_labels = []
for value in predicted:
    final_labels.append("classical" if value == 0 else "blues")

path = os.path.join(tempfile.mkdtemp(), "result.csv")
with open(path, "w") as f:
    for number, label in enumerate(final_labels):
        f.write(f"{number},{label}\n")
print("wrote", len(final_labels), "labels")
