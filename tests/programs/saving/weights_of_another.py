"""Copies the weights of one model into another of other sizes."""

import keras

teacher = keras.Sequential([keras.layers.Input((6,)), keras.layers.Dense(5), keras.layers.Dense(1)])
student = keras.Sequential()
student.add(keras.layers.Input((6,)))
student.add(keras.layers.Dense(4, name="wide"))  # <- cause
student.add(keras.layers.Dense(1))
student.set_weights(teacher.get_weights())
