import numpy as np
import pandas as pd
import tensorflow as tf
from sklearn.model_selection import train_test_split

tf.random.set_seed(8)
np.random.seed(8)

# --- small bakery, one row per day ------------------------------------------------
days = 700
df = pd.DataFrame({
    "weekday": np.arange(days) % 7,
    "temp": 12 + 10 * np.sin(np.arange(days) / 58.0) + np.random.normal(0, 2, days),
    "rain": np.random.gamma(1.2, 2.0, days),
    "market": (np.arange(days) % 7 == 5).astype(int),
    "holiday": (np.random.rand(days) < 0.04).astype(int),
    "flour_price": 0.8 + np.cumsum(np.random.normal(0, 0.003, days)),
    "orders_web": np.random.poisson(14, days),
})
df["loaves"] = (120 + 35 * df.market - 2.5 * df.rain - 40 * df.holiday + 1.8 * df.orders_web
                + np.random.normal(0, 5, days))
df["waste"] = 8 + 0.05 * df.loaves + 0.9 * df.rain + np.random.normal(0, 1, days)

features = ["weekday", "temp", "rain", "market", "holiday", "flour_price", "orders_web"]
train, test = train_test_split(df, test_size=0.2, random_state=8)
train, valid = train_test_split(train, test_size=0.2, random_state=8)


def xy(part):
    X = part[features].to_numpy("float32")
    main = (part[["loaves"]].to_numpy("float32") - 130) / 30
    aux = (part[["waste"]].to_numpy("float32") - 16) / 4
    return X, main, aux


X_train, y_train, a_train = xy(train)
X_valid, y_valid, a_valid = xy(valid)
X_test, y_test, a_test = xy(test)

cal_tr, day_tr = X_train[:, :4], X_train[:, 2:]
cal_va, day_va = X_valid[:, :4], X_valid[:, 2:]
cal_te, day_te = X_test[:, :4], X_test[:, 2:]

scale_cal = tf.keras.layers.Normalization()
scale_day = tf.keras.layers.Normalization()
scale_cal.adapt(cal_tr)
scale_day.adapt(day_tr)

# --- calendar part goes straight to the loaf head, waste is a side output
cal_in = tf.keras.layers.Input(shape=[4])
day_in = tf.keras.layers.Input(shape=[5])
cal_n = scale_cal(cal_in)
day_n = scale_day(day_in)
h = tf.keras.layers.Dense(24, activation="relu")(day_n)
h2 = tf.keras.layers.Dense(24, activation="relu")(h)
joined = tf.keras.layers.concatenate([cal_n, h2])
loaf_head = tf.keras.layers.Dense(1, name="loaves")(joined)
waste_head = tf.keras.layers.Dense(1, name="waste")(h2)
model = tf.keras.Model(inputs=[cal_in, day_in], outputs=[loaf_head, waste_head])

opt = tf.keras.optimizers.Adam(learning_rate=2e-3)
model.compile(loss=("mse", "mse"), loss_weights=(0.8, 0.2), optimizer=opt,
              metrics=["RootMeanSquaredError", "RootMeanSquaredError"])

history = model.fit((cal_tr, day_tr), (y_train, a_train), epochs=12,
                    validation_data=((cal_va, day_va), (y_valid, a_valid)),
                    verbose=0)
print("keys", sorted(history.history))

results = model.evaluate((cal_te, day_te), (y_test, a_test), return_dict=True, verbose=0)
for k, v in results.items():
    print("%-32s %.4f" % (k, v))
p_main, p_aux = model.predict((cal_te[:3], day_te[:3]), verbose=0)
print("loaves", (p_main.ravel() * 30 + 130).round(), "waste", (p_aux.ravel() * 4 + 16).round(1))
