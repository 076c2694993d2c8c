import numpy as np
import tensorflow as tf

LOOK_BACK = 12
BATCH = 16


def pressure_curve(n=700):
    rng = np.random.default_rng(7)
    t = np.arange(n)
    return (np.sin(t / 9.0) + 0.4 * np.sin(t / 3.0) + rng.normal(0, 0.05, n)).astype("float32")


def sliding(series, look_back):
    xs, ys = [], []
    for i in range(len(series) - look_back):
        xs.append(series[i : i + look_back])
        ys.append(series[i + look_back])
    return np.array(xs)[..., None], np.array(ys)


def forecaster(batch):
    model = tf.keras.Sequential(
        [
            tf.keras.layers.Input(batch_shape=(batch, LOOK_BACK, 1)),
            tf.keras.layers.LSTM(16, stateful=True),  # <- cause
            tf.keras.layers.Dense(1),
        ]
    )
    model.compile(optimizer="adam", loss="mse")
    return model


def fit_stateful(model, x, y, rounds):
    usable = len(x) // BATCH * BATCH
    x, y = x[:usable], y[:usable]
    for r in range(rounds):
        model.fit(x, y, batch_size=BATCH, epochs=1, shuffle=False, verbose=2)
        for layer in model.layers:
            if hasattr(layer, "reset_states"):
                layer.reset_states()


def roll_forward(model, seed_window, steps):
    window = seed_window.copy()
    out = []
    for _ in range(steps):
        nxt = model.predict(window[None, :, :], batch_size=1, verbose=0)[0, 0]
        out.append(float(nxt))
        window = np.concatenate([window[1:], [[nxt]]]).astype("float32")
    return out


def main():
    tf.keras.utils.set_random_seed(7)
    series = pressure_curve()
    x, y = sliding(series, LOOK_BACK)
    model = forecaster(BATCH)  # <- cause
    fit_stateful(model, x, y, rounds=2)
    future = roll_forward(model, x[-1], steps=5)  # <- cause
    print("next values:", [round(v, 3) for v in future])


if __name__ == "__main__":
    main()
