import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import keras
import numpy as np
import tensorflow as tf

learning_rate = 1e-3
training_steps = 3
batch_size = 64
patch = 160


def read_slide(number):
    """One microscope slide as patches; stands for reading a file."""
    noise = tf.fill((8, patch, patch, 3), tf.cast(number % 7, tf.float32))
    return tf.data.Dataset.from_tensor_slices((noise, tf.fill((8,), tf.cast(number % 2, tf.float32))))


def normalise(image, label):
    mean = tf.reduce_mean(image, (0, 1), keepdims=True)
    return image - mean, label


def training_data(slides=5000):
    data = tf.data.Dataset.range(slides).flat_map(lambda n: read_slide(tf.cast(n, tf.int32)))
    data = data.map(normalise, num_parallel_calls=2)
    data = data.repeat().batch(batch_size)
    return data.prefetch(1)


def slow_callback():
    import time

    return keras.callbacks.LambdaCallback(on_train_batch_end=lambda batch, logs: time.sleep(3))


def main():
    network = keras.Sequential(
        [
            keras.Input((patch, patch, 3)),
            keras.layers.Conv2D(8, 5, strides=4, activation="relu"),
            keras.layers.GlobalMaxPooling2D(),
            keras.layers.Dense(1, activation="sigmoid"),
        ]
    )
    network.compile(keras.optimizers.Adam(learning_rate), "binary_crossentropy")
    network.fit(training_data(), steps_per_epoch=training_steps, epochs=1, verbose=2, callbacks=[slow_callback()])
    print("weights", np.sum([w.size for w in network.get_weights()]))


main()
