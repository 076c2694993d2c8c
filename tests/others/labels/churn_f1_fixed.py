import numpy as np
import pandas as pd
import tensorflow as tf

FEATURES = ["months", "calls", "bill", "support_tickets"]


def customers(n=800):
    rng = np.random.default_rng(12)
    df = pd.DataFrame(
        {
            "months": rng.integers(1, 60, n),
            "calls": rng.poisson(30, n),
            "bill": rng.normal(45, 12, n),
            "support_tickets": rng.poisson(1.2, n),
        }
    )
    score = -0.05 * df["months"] + 0.8 * df["support_tickets"] + rng.normal(0, 0.5, n)
    df["left"] = (score > score.quantile(0.7)).astype(int)
    return df


def split(df, frac=0.8):
    train = df.sample(frac=frac, random_state=0)
    return train, df.drop(train.index)


def scale(train, test):
    mean, std = train[FEATURES].mean(), train[FEATURES].std()
    return ((train[FEATURES] - mean) / std).to_numpy("float32"), (
        (test[FEATURES] - mean) / std
    ).to_numpy("float32")


def churn_model():
    model = tf.keras.Sequential(
        [
            tf.keras.layers.Input((len(FEATURES),)),
            tf.keras.layers.Dense(16, activation="relu"),
            tf.keras.layers.Dense(1, activation="sigmoid"),
        ]
    )
    model.compile(
        optimizer="adam",
        loss="binary_crossentropy",
        metrics=["accuracy", tf.keras.metrics.F1Score(threshold=0.5)],
    )
    return model


def main():
    tf.keras.utils.set_random_seed(12)
    train, test = split(customers())
    x_train, x_test = scale(train, test)
    y_train = train["left"].to_numpy("float32").reshape(-1, 1)
    y_test = test["left"].to_numpy("float32").reshape(-1, 1)
    ratio = (y_train == 0).sum() / (y_train == 1).sum()
    model = churn_model()
    model.fit(x_train, y_train, epochs=4, batch_size=32, verbose=2, class_weight={0: 1.0, 1: ratio})
    print(model.evaluate(x_test, y_test, verbose=0, return_dict=True))


if __name__ == "__main__":
    main()
