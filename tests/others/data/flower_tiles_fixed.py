import os
import tempfile

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import keras
import numpy as np
import tensorflow as tf

RESOLUTION = 32


def scraped(where, count=48):
    """Tiles as they were collected: most in colour, a few scans without."""
    draw = np.random.default_rng(1)
    for number in range(count):
        channels = 1 if number in (29, 41) else 3
        tile = draw.integers(0, 255, (RESOLUTION, RESOLUTION, channels), dtype="uint8")
        tf.io.write_file(os.path.join(where, f"tile_{number:04}.png"), tf.io.encode_png(tile))


def decode(path):
    tile = tf.io.decode_png(tf.io.read_file(path), channels=3)
    return tf.cast(tile, tf.float32) / 127.5 - 1.0


def training_set(where, batch):
    names = tf.data.Dataset.list_files(os.path.join(where, "*.png"), shuffle=False)
    return names.map(decode, num_parallel_calls=2).batch(batch).prefetch(1)


class Gan:
    def __init__(self, latent=16):
        self.latent = latent
        pixels = RESOLUTION * RESOLUTION * 3
        self.generator = keras.Sequential([keras.Input((latent,)), keras.layers.Dense(pixels, "tanh")])
        self.discriminator = keras.Sequential([keras.Input((pixels,)), keras.layers.Dense(1)])
        self.generator_optimizer = keras.optimizers.Adam(1e-4)
        self.discriminator_optimizer = keras.optimizers.Adam(1e-4)
        self.loss = keras.losses.BinaryCrossentropy(from_logits=True)

    def train_step(self, tiles):
        real = tf.reshape(tiles, (len(tiles), -1))
        noise = tf.random.normal((len(tiles), self.latent))
        with tf.GradientTape() as first, tf.GradientTape() as second:
            fake = self.generator(noise)
            real_scores, fake_scores = self.discriminator(real), self.discriminator(fake)
            generator_loss = self.loss(tf.ones_like(fake_scores), fake_scores)
            discriminator_loss = self.loss(tf.ones_like(real_scores), real_scores) + self.loss(
                tf.zeros_like(fake_scores), fake_scores
            )
        variables = self.generator.trainable_variables
        self.generator_optimizer.apply_gradients(zip(first.gradient(generator_loss, variables), variables))
        variables = self.discriminator.trainable_variables
        self.discriminator_optimizer.apply_gradients(zip(second.gradient(discriminator_loss, variables), variables))
        return float(generator_loss), float(discriminator_loss)


def main():
    with tempfile.TemporaryDirectory() as where:
        scraped(where)
        gan = Gan()
        for number, tiles in enumerate(training_set(where, 8)):
            print("batch", number, gan.train_step(tiles), flush=True)


main()
