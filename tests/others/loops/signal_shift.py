import numpy as np
import tensorflow as tf

rng = np.random.default_rng(5)
N = 64
t = np.linspace(0.0, 6.0, N)


def signal(at):
    return np.sin(at) + 0.5 * np.cos(2.0 * at)


observed = (signal(t - 0.8) + 0.02 * rng.normal(size=N)).astype(np.float32)


def smoothness(curve):
    steps = np.diff(curve)  # <- cause
    return np.mean(steps * steps)  # <- cause


def tracking_loss(pred, target):
    error = np.abs(pred - target)  # <- cause
    small = np.minimum(error, 1.0)  # <- cause
    large = error - small
    huber = 0.5 * small ** 2 + large
    return tf.convert_to_tensor(np.mean(huber) + 0.01 * smoothness(pred), dtype=tf.float32)  # <- cause


params = tf.Variable([0.0, 1.0, 0.2], dtype=tf.float32)
opt = tf.keras.optimizers.Adam(learning_rate=0.05)
times = tf.constant(t, dtype=tf.float32)


def forward():
    shifted = times - params[0]
    return params[1] * tf.sin(shifted) + params[2] * tf.cos(2.0 * shifted)


for epoch in range(120):
    with tf.GradientTape() as tape:
        pred = forward()
        loss = tracking_loss(pred.numpy(), observed)  # <- cause
    grads = tape.gradient(loss, [params])
    opt.apply_gradients(zip(grads, [params]))
    if epoch % 20 == 0:
        print(epoch, float(loss), params.numpy())

print('shift', float(params[0]))
