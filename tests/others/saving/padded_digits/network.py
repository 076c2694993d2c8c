import tensorflow as tf
from tensorflow.keras import Sequential
from tensorflow.keras.layers import Dense, Flatten, Input, Lambda


def padded_network(side, padding):
    model = Sequential([Input((side, side, 1))])
    model.add(  # <- cause
        Lambda(
            lambda x: tf.pad(x, [[0, 0], [2, 2], [2, 2], [0, 0]], mode="SYMMETRIC"),  # <- cause
            output_shape=(side + 2 * padding, side + 2 * padding, 1),
        )
    )
    model.add(Flatten())
    model.add(Dense(10))
    return model
