import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import numpy as np
import pandas as pd
import tensorflow as tf


def customer_table(n=400):
    rng = np.random.default_rng(23)
    months = rng.integers(1, 60, size=n)
    plan = rng.choice(["basic", "family", "business"], size=n)
    calls = rng.poisson(2, size=n)
    charge = np.round(rng.uniform(10, 90, size=n), 2)
    leaving = (calls * 4 - months * 0.3 + rng.normal(size=n) > 1.5)
    return pd.DataFrame(
        {
            "months": months,
            "plan": plan,
            "calls": calls,
            "charge": charge,
            "churn": np.where(leaving, "Yes", "No"),
        }
    )


def split(frame, share=0.8):
    features = pd.get_dummies(frame.drop(columns=["churn"]))  # <- cause
    target = frame["churn"].apply(lambda answer: 1 if answer == "Yes" else 0)
    cut = int(len(frame) * share)
    columns = list(features.columns)
    return features.iloc[:cut], features.iloc[cut:], target.iloc[:cut], target.iloc[cut:], columns


def build_model(width):
    model = tf.keras.Sequential(
        [
            tf.keras.layers.Input(shape=(width,)),
            tf.keras.layers.Dense(16, activation="relu"),
            tf.keras.layers.Dense(1, activation="sigmoid"),
        ]
    )
    model.compile(loss="binary_crossentropy", optimizer="sgd", metrics=["accuracy"])
    return model


tf.keras.utils.set_random_seed(23)
table = customer_table()
X_train, X_test, y_train, y_test, columns = split(table)
print("columns:", columns)

X_train = X_train.values  # <- cause
X_test = X_test.values  # <- cause
y_train = y_train.values
y_test = y_test.values

model = build_model(len(columns))
model.fit(X_train, y_train, epochs=3, batch_size=32, verbose=2)

loss, accuracy = model.evaluate(X_test, y_test, verbose=0)
print("test accuracy %.3f" % accuracy)
