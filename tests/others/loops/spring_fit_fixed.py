import numpy as np
import tensorflow as tf

TRUE_STIFFNESS = 2.4
TRUE_DAMPING = 0.3


class Oscillator(tf.Module):
    def __init__(self, stiffness=1.0, damping=0.05):
        super().__init__()
        self.stiffness = tf.Variable(stiffness, dtype=tf.float32)
        self.damping = tf.Variable(damping, dtype=tf.float32)

    def simulate(self, x0, steps, dt=0.05):
        pos = tf.convert_to_tensor(x0, dtype=tf.float32)
        vel = tf.zeros_like(pos)
        track = []
        for _ in range(steps):
            acc = -self.stiffness * pos - self.damping * vel
            vel = vel + dt * acc
            pos = pos + dt * vel
            track.append(pos)
        return tf.stack(track, axis=1)


def measured_tracks(n=12, steps=30, seed=8):
    rng = np.random.default_rng(seed)
    x0 = rng.uniform(0.5, 1.5, size=n).astype("float32")
    truth = Oscillator(TRUE_STIFFNESS, TRUE_DAMPING)
    track = truth.simulate(x0, steps).numpy()
    return x0, track + rng.normal(0, 0.01, track.shape).astype("float32")


def trajectory_loss(predicted, observed):
    diff = predicted - observed
    weights = np.linspace(0.5, 1.0, diff.shape[1]).astype("float32")
    huber = tf.where(tf.abs(diff) < 0.5, 0.5 * diff ** 2, 0.5 * (tf.abs(diff) - 0.25))
    return tf.reduce_mean(huber * weights)


def train_step(model, optimizer, x0, observed):
    with tf.GradientTape() as tape:
        predicted = model.simulate(x0, observed.shape[1])
        loss = trajectory_loss(predicted, observed)
    params = [model.stiffness, model.damping]
    grads = tape.gradient(loss, params)
    optimizer.apply_gradients(zip(grads, params))
    return loss


if __name__ == "__main__":
    x0, observed = measured_tracks()
    model = Oscillator()
    optimizer = tf.keras.optimizers.Adam(0.05)
    for epoch in range(20):
        loss = train_step(model, optimizer, x0, observed)
        if epoch % 5 == 0:
            print(epoch, float(loss), float(model.stiffness), float(model.damping))
