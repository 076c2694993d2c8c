"""The product of features and weights inside a traced function."""

import tensorflow as tf

weights = tf.Variable(tf.random.normal([16, 4]))


@tf.function
def score(features):
    hidden = tf.nn.relu(features)
    return tf.matmul(hidden, weights)  # <- cause


rows = tf.random.normal([8, 12])
print(score(rows))
