import tensorflow as tf
from tensorflow.keras import layers


class BandEnergy(layers.Layer):
    """Splits a signal into equal bands and gives the log energy of each."""

    def __init__(self, n_bands=8, gain=1.0, **kwargs):
        super().__init__(**kwargs)
        self.n_bands = n_bands
        self.gain = gain

    def build(self, input_shape):
        self.width = input_shape[-1] // self.n_bands
        self.scale = self.add_weight(name="scale", shape=(self.n_bands,),
                                     initializer="ones")
        super().build(input_shape)

    def call(self, x):
        parts = tf.reshape(x, (-1, self.n_bands, self.width))
        energy = tf.reduce_mean(tf.square(parts), axis=-1)
        return self.gain * self.scale * tf.math.log(energy + 1e-3)

    def compute_output_shape(self, input_shape):
        return (input_shape[0], self.n_bands)

    def get_config(self):
        config = super().get_config()
        config.update({"n_bands": self.n_bands, "gain": self.gain})
        return config
