import tensorflow as tf
from tensorflow.keras import layers


class DigitAutoencoder(tf.keras.Model):
    def __init__(self, z_dim=4, hidden=(32, 16), out_dim=64):
        super().__init__()
        self.z_dim = z_dim
        self.encoder_layers = [layers.Dense(h, activation="relu") for h in hidden]
        self.to_code = layers.Dense(z_dim, name="code")
        self.decoder_layers = [layers.Dense(h, activation="relu") for h in reversed(hidden)]
        self.to_pixels = layers.Dense(out_dim, activation="sigmoid", name="pixels")

    def encode(self, x):
        for layer in self.encoder_layers:
            x = layer(x)
        return self.to_code(x)

    def decode(self, z):
        for layer in self.decoder_layers:
            z = layer(z)
        return self.to_pixels(z)

    def call(self, inputs):
        return self.decode(self.encode(inputs))
