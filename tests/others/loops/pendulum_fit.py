import numpy as np
import tensorflow as tf

tf.random.set_seed(0)
rng = np.random.default_rng(0)

# measured swing of the church pendulum: angle every 50 ms, unknown length / damping
DT = 0.05
N = 60
TRUE = np.array([9.81 / 1.7, 0.12])       # g/L , damping


def swing(params, theta0=0.4):
    """semi implicit euler, returns list of angles"""
    theta, omega = theta0, 0.0
    out = []
    for _ in range(N):
        acc = -params[0] * tf.sin(theta) - params[1] * omega
        omega = omega + DT * acc
        theta = theta + DT * omega
        out.append(theta)
    return tf.stack(out)


clean = swing(tf.constant(TRUE, tf.float32)).numpy()
measured = clean + rng.normal(0, 0.004, N).astype('float32')
print('measured', measured.shape, measured[:4])

weights = np.ones(N, dtype='float32')
weights[:5] = 0.2                # hand was still touching it


def huber(d, delta=0.05):
    d = np.abs(d)  # <- cause
    return np.where(d < delta, 0.5 * d ** 2, delta * (d - 0.5 * delta))  # <- cause


def trajectory_loss(angles, target):
    diff = angles - target
    robust = huber(diff)
    return tf.reduce_mean(tf.convert_to_tensor(weights * robust, dtype=tf.float32))


guess = tf.Variable([4.0, 0.3], dtype=tf.float32)
optimizer = tf.keras.optimizers.Adam(learning_rate=0.05)


def train_step():
    with tf.GradientTape() as tape:
        angles = swing(guess)
        loss = trajectory_loss(angles.numpy(), measured)  # <- cause
    grads = tape.gradient(loss, [guess])
    optimizer.apply_gradients(zip(grads, [guess]))
    return loss


history = []
for it in range(50):
    history.append(float(train_step()))
    if it % 10 == 0:
        print('iter %3d  loss %.6f  params %s' % (it, history[-1], guess.numpy()))

print('fitted g/L = %.3f (true %.3f), damping = %.3f (true %.3f)' % (guess.numpy()[0], TRUE[0], guess.numpy()[1], TRUE[1]))
print('pendulum length %.2f m' % (9.81 / guess.numpy()[0]))
