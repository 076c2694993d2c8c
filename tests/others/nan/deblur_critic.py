import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import keras
import numpy as np
import tensorflow as tf

SETTINGS = {"pixels": 64, "batch": 8, "penalty": 10.0, "rate": 1e-4, "critic_steps": 2, "epochs": 2}


def clips(count, pixels, seed=12):
    """Sharp frames and blurred ones; a clip may fade to black."""
    draw = np.random.default_rng(seed)
    sharp = draw.random((count, pixels)).astype("float32")
    sharp[90:96] = 0.0
    kernel = np.ones(5) / 5
    blurred = np.stack([np.convolve(frame, kernel, "same") for frame in sharp]).astype("float32")
    return blurred, sharp


def generator(pixels):
    return keras.Sequential(
        [keras.Input((pixels,)), keras.layers.Dense(64, "relu"), keras.layers.Dense(pixels, use_bias=False)]
    )


def critic(pixels):
    quiet = keras.initializers.Constant(-0.05)
    return keras.Sequential(
        [keras.Input((pixels,)), keras.layers.Dense(32, "relu", bias_initializer=quiet), keras.layers.Dense(1)]
    )


class Deblur:
    def __init__(self, settings):
        self.settings = settings
        self.generator, self.critic = generator(settings["pixels"]), critic(settings["pixels"])
        self.generator_optimizer = keras.optimizers.Adam(settings["rate"])
        self.critic_optimizer = keras.optimizers.Adam(settings["rate"])

    def gradient_penalty(self, real, fake):
        mix = tf.random.uniform((tf.shape(real)[0], 1))
        between = mix * real + (1.0 - mix) * fake
        with tf.GradientTape() as tape:
            tape.watch(between)
            scores = self.critic(between)
        slopes = tape.gradient(scores, between)
        norms = tf.sqrt(tf.reduce_sum(tf.square(slopes), axis=1))  # <- cause
        return tf.reduce_mean(tf.square(norms - 1.0))

    @tf.function
    def critic_step(self, blurred, sharp):
        with tf.GradientTape() as tape:
            fake = self.generator(blurred * tf.cast(blurred > 0, tf.float32))
            loss = tf.reduce_mean(self.critic(fake)) - tf.reduce_mean(self.critic(sharp))
            loss += self.settings["penalty"] * self.gradient_penalty(sharp, fake)
        variables = self.critic.trainable_variables
        self.critic_optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
        return loss

    @tf.function
    def generator_step(self, blurred, sharp):
        with tf.GradientTape() as tape:
            fake = self.generator(blurred)
            loss = tf.reduce_mean(tf.square(fake - sharp)) - 0.01 * tf.reduce_mean(self.critic(fake))
        variables = self.generator.trainable_variables
        self.generator_optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
        return loss


def main():
    keras.utils.set_random_seed(2)
    pairs = tf.data.Dataset.from_tensor_slices(clips(160, SETTINGS["pixels"])).batch(SETTINGS["batch"])
    model = Deblur(SETTINGS)
    for epoch in range(SETTINGS["epochs"]):
        for blurred, sharp in pairs:
            for _ in range(SETTINGS["critic_steps"]):
                critic_loss = model.critic_step(blurred, sharp)
            generator_loss = model.generator_step(blurred, sharp)
        print("epoch", epoch, "critic", float(critic_loss), "generator", float(generator_loss), flush=True)


main()
