import numpy as np
import tensorflow as tf

# find the heating schedule of a kiln so that the clay follows the wanted curve
steps = 30
ambient = 20.0
wanted = np.concatenate([np.linspace(20, 300, 15), np.linspace(300, 120, 15)]).astype(np.float32)

power = tf.Variable(tf.ones([steps]) * 5.0)
optimizer = tf.keras.optimizers.Adam(learning_rate=0.5)


def simulate(power):
    temp = tf.constant(ambient)
    curve = []
    for k in range(steps):
        temp = temp + 2.0 * power[k] - 0.04 * (temp - ambient)
        curve.append(temp)
    return tf.stack(curve)


def curve_error(curve):
    late = 0.0
    for k in range(steps):
        weight = 2.0 if k > steps // 2 else 1.0
        late += weight * (curve[k] - wanted[k]) ** 2
    overshoot = tf.reduce_sum(tf.nn.relu(curve - wanted.max()))
    return late / steps + 3.0 * overshoot


def cost(curve, power):
    base = curve_error(curve)
    jumps = curve[1:] - curve[:-1]
    return tf.cast(base, tf.float32) + 0.01 * tf.reduce_sum(tf.square(tf.cast(jumps, tf.float32)))


for epoch in range(40):
    with tf.GradientTape() as tape:
        curve = simulate(power)
        loss = cost(curve, power)
    grads = tape.gradient(loss, [power])
    optimizer.apply_gradients(zip(grads, [power]))
    if epoch % 10 == 0:
        print("epoch", epoch, "loss", float(loss))

print(np.round(power.numpy(), 2))
