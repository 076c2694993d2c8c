import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import keras
import tensorflow as tf


def decode(number):
    return tf.fill((300, 300, 3), tf.cast(number, tf.float32) / 5000), tf.zeros((1,))


def pipeline():
    images = tf.data.Dataset.range(5000).map(decode).cache()  # <- cause
    return images.batch(10)


data = pipeline()
model = keras.Sequential([keras.Input((300, 300, 3)), keras.layers.GlobalAveragePooling2D(), keras.layers.Dense(1)])
model.compile("sgd", "mse")
model.fit(data, epochs=3, verbose=0)
