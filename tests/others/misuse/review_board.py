"""A sentiment net of TensorFlow 1 writes summaries as it trains, and the session refuses to fetch them."""

import os
import tempfile

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()

batchSize = 24
numClasses = 2
maxSeqLength = 10
numDimensions = 12
iterations = 30
rng = np.random.default_rng(40)
wordVectors = rng.normal(size=(150, numDimensions)).astype("float32")
ids = rng.integers(0, 150, size=(400, maxSeqLength))


def getTrainBatch():
    rows = rng.integers(0, len(ids), size=batchSize)
    chosen = (ids[rows].sum(axis=1) % 2).astype(int)
    return ids[rows], np.eye(numClasses)[chosen]


labels = tf.placeholder(tf.float32, [batchSize, numClasses])
input_data = tf.placeholder(tf.int32, [batchSize, maxSeqLength])
data = tf.nn.embedding_lookup(wordVectors, input_data)

weight = tf.Variable(tf.truncated_normal([maxSeqLength * numDimensions, numClasses], stddev=0.1))
bias = tf.Variable(tf.constant(0.1, shape=[numClasses]))
flat = tf.reshape(data, [batchSize, maxSeqLength * numDimensions])
prediction = tf.matmul(flat, weight) + bias

correctPred = tf.equal(tf.argmax(prediction, 1), tf.argmax(labels, 1))
accuracy = tf.reduce_mean(tf.cast(correctPred, tf.float32))
loss = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits_v2(logits=prediction, labels=labels))
optimizer = tf.train.AdamOptimizer().minimize(loss)

sess = tf.InteractiveSession()
merged = tf.summary.merge_all()  # <- cause
logdir = os.path.join(tempfile.mkdtemp(), "tensorboard")
writer = tf.summary.FileWriter(logdir, sess.graph)
sess.run(tf.global_variables_initializer())

for i in range(iterations):
    nextBatch, nextBatchLabels = getTrainBatch()
    sess.run(optimizer, {input_data: nextBatch, labels: nextBatchLabels})
    if i % 10 == 0:
        summary = sess.run(merged, {input_data: nextBatch, labels: nextBatchLabels})  # <- cause
        writer.add_summary(summary, i)
        print(i, sess.run(accuracy, {input_data: nextBatch, labels: nextBatchLabels}))
writer.close()
