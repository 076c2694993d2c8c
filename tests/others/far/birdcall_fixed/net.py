import tensorflow as tf


def call_net(cfg):
    spectrum = tf.keras.Input((cfg.BINS,), name="spectrum")
    x = tf.keras.layers.Dense(32, activation="relu", name="body")(spectrum)
    x = tf.keras.layers.Dropout(0.1)(x)
    scores = tf.keras.layers.Dense(cfg.num_classes, activation="softmax", name="species")(x)
    return tf.keras.Model(spectrum, scores, name=f"call_net_{cfg.NAME}")
