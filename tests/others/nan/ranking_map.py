import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import keras
import numpy as np
import tensorflow as tf

TAGS = 10


def songs(count, seed=11):
    """Features of songs and the tags that listeners gave them."""
    draw = np.random.default_rng(seed)
    features = draw.normal(size=(count, 24)).astype("float32")
    scores = features @ draw.normal(size=(24, TAGS)) * 0.3 - 2.2
    tags = (scores + draw.normal(size=scores.shape) * 0.4 > 0).astype("float32")
    return features, tags


def average_precision(row):
    tags, order = row
    ranked = tf.gather(tags, tf.cast(order, tf.int32))
    precision = ranked * tf.cumsum(ranked) / tf.range(1.0, TAGS + 1.0)
    return tf.reduce_sum(precision) / tf.reduce_sum(ranked)  # <- cause


def mean_average_precision(y_true, y_pred):
    _, order = tf.nn.top_k(y_pred, TAGS)
    rows = (tf.cast(y_true, tf.float32), tf.cast(order, tf.float32))
    return tf.reduce_mean(tf.map_fn(average_precision, rows, fn_output_signature=tf.float32))


def build():
    return keras.Sequential(
        [
            keras.Input((24,)),
            keras.layers.Dense(32, activation="relu"),
            keras.layers.Dropout(0.1),
            keras.layers.Dense(TAGS, activation="sigmoid"),
        ]
    )


def main():
    keras.utils.set_random_seed(0)
    features, tags = songs(600)
    model = build()
    model.compile("adam", "binary_crossentropy", metrics=[mean_average_precision])
    history = model.fit(features[:500], tags[:500], validation_data=(features[500:], tags[500:]), epochs=3, verbose=2)
    best = max(history.history["val_mean_average_precision"])
    print("best", best)


main()
