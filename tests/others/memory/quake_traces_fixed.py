import numpy as np
import tensorflow as tf

tf.keras.utils.set_random_seed(5)


class Recorder:
    """endless stream of short seismograms with the station's verdict"""

    def __init__(self, length, seed):
        self.length = length
        self.rng = np.random.RandomState(seed)

    def get_data(self):
        while True:
            quake = self.rng.randint(2)
            trace = self.rng.normal(0, 0.3, (self.length, 1))
            if quake:
                trace[self.length // 2:] += np.sin(np.arange(self.length - self.length // 2) / 5.0)[:, None]
            yield [trace, np.array([quake], np.int64)]


def input_fn(batch_size):
    recorder = Recorder(length=20000, seed=9)

    def gen():
        for item in recorder.get_data():
            yield tuple(item)

    ds = tf.data.Dataset.from_generator(
        gen,
        output_types=(tf.float32, tf.int64),
        output_shapes=((20000, 1), (1,)))
    return ds.batch(batch_size).prefetch(1)


model = tf.keras.Sequential([
    tf.keras.layers.Input((20000, 1)),
    tf.keras.layers.Conv1D(4, 50, strides=20, activation='relu'),
    tf.keras.layers.GlobalMaxPooling1D(),
    tf.keras.layers.Dense(1, activation='sigmoid'),
])
model.compile('adam', 'binary_crossentropy', metrics=['accuracy'])
model.fit(input_fn(8), steps_per_epoch=10, epochs=2, verbose=2)
