import tensorflow as tf


def dense_stack(name, widths, classes, n_in=10):
    net = tf.keras.Sequential(name=name)
    net.add(tf.keras.layers.Input((n_in,)))
    for w in widths:
        net.add(tf.keras.layers.Dense(w, activation="relu"))
    net.add(tf.keras.layers.Dense(classes))
    return net
