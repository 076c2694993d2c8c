import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import keras
import tensorflow as tf

SHAPE = (128, 128, 96, 4)


def normalise(number):
    volume = tf.fill((1, *SHAPE), tf.cast(number % 2, tf.float32))
    return (volume - 0.5) / 0.29, tf.reshape(number % 2, (1, 1))


scans = tf.data.Dataset.range(500).map(normalise, num_parallel_calls=64)  # <- cause
model = keras.Sequential(
    [
        keras.Input(SHAPE),
        keras.layers.Conv3D(16, 5, strides=2, activation="relu"),
        keras.layers.GlobalAveragePooling3D(),
        keras.layers.Dense(1, activation="sigmoid"),
    ]
)
model.compile("adam", "binary_crossentropy")
model.fit(scans, epochs=1, steps_per_epoch=120, verbose=2)
