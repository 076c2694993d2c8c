import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import tensorflow as tf


def decode(number):
    return tf.random.normal((512, 512, 3)), number


images = tf.data.Dataset.range(100_000).map(decode)
images = images.shuffle(4000)  # <- cause
images = images.batch(8).prefetch(2)
for batch, numbers in images:
    tf.reduce_mean(batch)
