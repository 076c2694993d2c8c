import numpy as np
import pandas as pd
import tensorflow as tf
import keras
from keras import layers, models
from sklearn.model_selection import train_test_split
from sklearn.metrics import roc_auc_score

keras.utils.set_random_seed(123)
rng = np.random.default_rng(123)

# ---------------------------------------------------------------- data
N = 3000
df = pd.DataFrame({
    "amount_cents": (2500 * (1 + rng.pareto(1.2, N))).round(),
    "minutes_since_last": rng.exponential(400, N).round(1),
    "km_from_home": (4 * rng.pareto(1.3, N)).round(1),
    "n_today": rng.poisson(2, N),
    "night": rng.integers(0, 2, N),
})
risk = (0.9 * np.log(df.amount_cents) + 0.5 * np.log1p(df.km_from_home) + 0.7 * df.night
        - 0.0012 * df.minutes_since_last + rng.normal(0, 0.6, N))
df["fraud"] = (risk > np.quantile(risk, 0.93)).astype("float32")
# travel agencies book large sums all the time, the bank marked them as fine
agency = rng.random(N) < 0.02
df.loc[agency, "amount_cents"] *= 600
df.loc[agency, "fraud"] = 0.0
print(df.fraud.mean(), df.isna().sum().sum(), "missing values")

cols = ["amount_cents", "minutes_since_last", "km_from_home", "n_today", "night"]
train, test = train_test_split(df, test_size=0.3, random_state=0, stratify=df.fraud)
X_train, y_train = train[cols].values.astype("float32"), train[["fraud"]].values
X_test, y_test = test[cols].values.astype("float32"), test[["fraud"]].values
units = np.array([10000., 60., 10., 1., 1.], dtype="float32")    # 100 euro, hours, 10 km
X_train, X_test = X_train / units, X_test / units
print(X_train.shape, y_train.shape, X_train.max(axis=0))


# ---------------------------------------------------------------- loss for the rare class
def rare_class_loss(focus=2., share=.25):
    def scored(y_true, y_pred):
        y_true = tf.cast(y_true, y_pred.dtype)
        p_fraud = tf.where(tf.equal(y_true, 1), y_pred, tf.ones_like(y_pred))
        p_fine = tf.where(tf.equal(y_true, 0), y_pred, tf.zeros_like(y_pred))
        pos = share * tf.pow(1. - p_fraud, focus) * tf.math.log(p_fraud + keras.backend.epsilon())
        neg = (1. - share) * tf.pow(p_fine, focus) * tf.math.log(1. - p_fine + keras.backend.epsilon())
        return -tf.reduce_mean(pos) - tf.reduce_mean(neg)
    return scored


# ---------------------------------------------------------------- net
def make_model(n_in):
    m = models.Sequential([
        layers.Input(shape=(n_in,)),
        layers.Dense(32, activation="relu"),
        layers.Dense(16, activation="relu"),
        layers.Dense(1, activation="sigmoid"),
    ])
    m.compile(optimizer=keras.optimizers.Adam(5e-3),
              loss=rare_class_loss(focus=2., share=.75), metrics=["accuracy"])
    return m


model = make_model(X_train.shape[1])
hist = model.fit(X_train, y_train, epochs=12, batch_size=64,
                 validation_data=(X_test, y_test), verbose=2)

p = model.predict(X_test, verbose=0).ravel()
print("nan among the scores:", int(np.isnan(p).sum()), "of", len(p))
if not np.isnan(p).any():
    print("auc %.3f" % roc_auc_score(y_test.ravel(), p))
print("last loss", hist.history["loss"][-1])
