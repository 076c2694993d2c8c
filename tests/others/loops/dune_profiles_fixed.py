import numpy as np
import tensorflow as tf
from tensorflow.keras import layers, Sequential

latent = 6
critic = Sequential([layers.Input((16,)), layers.Dense(24, activation='relu'), layers.Dense(1)])
generator = Sequential([layers.Input((latent,)), layers.Dense(24, activation='relu'), layers.Dense(16)])

critic_opt = tf.keras.optimizers.RMSprop(1e-3)
gen_opt = tf.keras.optimizers.RMSprop(1e-3)

rng = np.random.RandomState(5)
profiles = np.sin(np.linspace(0, 6, 16) + rng.uniform(0, 6, (256, 1))).astype(np.float32)
dataset = tf.data.Dataset.from_tensor_slices(profiles).shuffle(256, seed=1).batch(32)


@tf.function
def train_critic(real):
    noise = tf.random.normal([tf.shape(real)[0], latent])
    with tf.GradientTape() as critic_tape:
        fake = generator(noise, training=False)
        d_loss = tf.reduce_mean(critic(fake, training=True)) - tf.reduce_mean(critic(real, training=True))
    grads = critic_tape.gradient(d_loss, critic.trainable_variables)
    critic_opt.apply_gradients(zip(grads, critic.trainable_variables))
    for w in critic.trainable_variables:
        w.assign(tf.clip_by_value(w, -0.05, 0.05))
    return d_loss


@tf.function
def train_generator(n):
    noise = tf.random.normal([n, latent])
    with tf.GradientTape() as gen_tape:
        z = critic(generator(noise, training=True), training=False)
        g_loss = -tf.reduce_mean(z)
    gradients = gen_tape.gradient(g_loss, generator.trainable_variables)
    gen_opt.apply_gradients(zip(gradients, generator.trainable_variables))
    return g_loss


for epoch in range(3):
    for step, real in enumerate(dataset):
        d = train_critic(real)
        if step % 2 == 0:
            g = train_generator(32)
    print('epoch', epoch, 'critic', float(d), 'generator', float(g))
