"""Customer churn, dense network on the dummy-encoded table."""
import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import numpy as np
import pandas as pd
import tensorflow as tf
from tensorflow.keras.layers import Dense, Input
from tensorflow.keras.models import Sequential, load_model

CSV = "churn.csv"


def write_csv(path, n=300, seed=21):
    rng = np.random.default_rng(seed)
    tenure = rng.integers(1, 72, n)
    contract = rng.choice(["Month-to-month", "One year", "Two year"], n)
    score = (contract == "Month-to-month") * 1.5 - tenure / 30.0 + rng.normal(0, 0.5, n)
    pd.DataFrame({
        "Customer ID": ["C%04d" % i for i in range(n)],
        "Gender": rng.choice(["Male", "Female"], n),
        "Senior Citizen": rng.integers(0, 2, n),
        "Tenure": tenure,
        "Contract": contract,
        "Payment": rng.choice(["Card", "Cheque", "Transfer"], n),
        "Monthly Charges": rng.integers(20, 120, n),
        "Churn": np.where(score > 0, "Yes", "No"),
    }).to_csv(path, index=False)


def load_table(path):
    df = pd.read_csv(path)
    X = pd.get_dummies(df.drop(["Churn", "Customer ID"], axis=1))  # <- cause
    y = df["Churn"].apply(lambda x: 1 if x == "Yes" else 0)
    return X, y


def train_test_split(X, y, test_size=0.2, seed=0):
    order = np.random.default_rng(seed).permutation(len(X))
    cut = int(len(X) * (1 - test_size))
    tr, te = order[:cut], order[cut:]
    return X.iloc[tr], X.iloc[te], y.iloc[tr], y.iloc[te]


def build(n_features):
    model = Sequential([
        Input(shape=(n_features,)),
        Dense(units=32, activation="relu"),
        Dense(units=64, activation="relu"),
        Dense(units=1, activation="sigmoid"),
    ])
    model.compile(loss="binary_crossentropy", optimizer="sgd", metrics=["accuracy"])
    return model


def main():
    tf.keras.utils.set_random_seed(21)
    write_csv(CSV)
    X, y = load_table(CSV)
    X_train, X_test, y_train, y_test = train_test_split(X, y)  # <- cause
    print(X_train.head())
    model = build(len(X_train.columns))
    model.fit(X_train, y_train, epochs=3, batch_size=32, verbose=2)  # <- cause
    y_hat = [0 if val < 0.5 else 1 for val in model.predict(X_test, verbose=0)[:, 0]]
    print("accuracy", np.mean(np.array(y_hat) == y_test.to_numpy()))
    model.save("churn_model.keras")
    print(load_model("churn_model.keras").count_params())


if __name__ == "__main__":
    main()
