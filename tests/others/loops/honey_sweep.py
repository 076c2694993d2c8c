import itertools
import numpy as np
import tensorflow as tf

np.random.seed(0)
tf.random.set_seed(0)

# predict the water content of honey from refractometer + temperature + conductivity + color (4 features)
n = 800
X = np.random.normal(size=(n, 4)).astype(np.float32)
y = (0.7 * X[:, 0] - 0.4 * X[:, 1] + 0.25 * X[:, 2] * X[:, 3] + np.random.normal(0, .05, n)).astype(np.float32)[:, None]

split = int(n * .8)
x_train, x_test = X[:split], X[split:]
y_train, y_test = y[:split], y[split:]
ds_train = tf.data.Dataset.from_tensor_slices((x_train, y_train)).shuffle(split).batch(64)
ds_test = tf.data.Dataset.from_tensor_slices((x_test, y_test)).batch(80)

mse = tf.keras.losses.MeanSquaredError()
train_loss = tf.keras.metrics.Mean()


def build_model(units, depth):
    m = tf.keras.Sequential([tf.keras.Input((4,))])
    for _ in range(depth):
        m.add(tf.keras.layers.Dense(units, activation='tanh'))
    m.add(tf.keras.layers.Dense(1))
    return m


@tf.function
def train_step(model, optimizer, inputs, targets):
    with tf.GradientTape() as tape:
        pred = model(inputs, training=True)
        loss = mse(targets, pred)
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables))
    train_loss.update_state(loss)


def evaluate(m):
    errs = []
    for xb, yb in ds_test:
        errs.append(np.abs(m(xb).numpy() - yb.numpy()))
    return float(np.mean(np.concatenate(errs)))


def train(model, optimizer, epochs):
    for epoch in range(epochs):
        train_loss.reset_state()
        for xb, yb in ds_train:
            train_step(model, optimizer, xb, yb)
    return float(train_loss.result())


results = []
for units, depth, lr in itertools.product([8, 32], [1, 2], [0.01]):
    model = build_model(units, depth)
    optimizer = tf.keras.optimizers.Adam(lr)
    final = train(model, optimizer, 8)  # <- cause
    mae = evaluate(model)
    print('units %d depth %d lr %g -> train mse %.4f, test mae %.4f' % (units, depth, lr, final, mae))
    results.append((mae, units, depth, lr))

print('best:', min(results))
