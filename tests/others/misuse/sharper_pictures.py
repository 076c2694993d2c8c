"""Makes small pictures sharper: a generator against a critic."""

import numpy as np
import tensorflow as tf

SIDE = 8


def generator():
    return tf.keras.Sequential(
        [
            tf.keras.Input((SIDE, SIDE, 1)),
            tf.keras.layers.UpSampling2D(),
            tf.keras.layers.Conv2D(1, 3, padding="same"),
        ]
    )


def critic():
    return tf.keras.Sequential(
        [
            tf.keras.Input((2 * SIDE, 2 * SIDE, 1)),
            tf.keras.layers.Flatten(),
            tf.keras.layers.Dense(1),
        ]
    )


def losses(real, fake, large, made):
    ones, zeros = tf.ones_like(real), tf.zeros_like(fake)
    cross = tf.nn.sigmoid_cross_entropy_with_logits
    d_loss = tf.reduce_mean(cross(ones, real)) + tf.reduce_mean(cross(zeros, fake))
    g_loss = tf.reduce_mean(tf.square(large - made)) + 1e-3 * tf.reduce_mean(cross(ones, fake))
    return g_loss, d_loss


def train(dataset, epochs):
    g, d = generator(), critic()
    g_opt, d_opt = tf.keras.optimizers.Adam(1e-4), tf.keras.optimizers.Adam(1e-4)
    for epoch in range(epochs):
        for step, (small, large) in enumerate(dataset):
            with tf.GradientTape() as tape:  # <- cause
                made = g(small, training=True)
                g_loss, d_loss = losses(d(large), d(made), large, made)
            grad = tape.gradient(g_loss, g.trainable_weights)
            g_opt.apply_gradients(zip(grad, g.trainable_weights))
            grad = tape.gradient(d_loss, d.trainable_weights)
            d_opt.apply_gradients(zip(grad, d.trainable_weights))
        print(epoch, step, float(g_loss) > 0)


rng = np.random.default_rng(7)
small = rng.uniform(size=(12, SIDE, SIDE, 1)).astype("float32")
large = small.repeat(2, axis=1).repeat(2, axis=2)
train(tf.data.Dataset.from_tensor_slices((small, large)).batch(4), epochs=1)
