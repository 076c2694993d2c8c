"""Traces of a training step of a residual network, forward and backward, without running any: five after a first."""

import time

import keras
import tensorflow as tf

ROUNDS = 5


def block(x, width):
    y = keras.layers.Conv2D(width, 3, padding="same", use_bias=False)(x)
    y = keras.layers.BatchNormalization()(y)
    y = keras.layers.ReLU()(y)
    y = keras.layers.Conv2D(width, 3, padding="same", use_bias=False)(y)
    y = keras.layers.BatchNormalization()(y)
    return keras.layers.ReLU()(keras.layers.Add()([x, y]))


images = keras.Input([32, 32, 16])
x = images
for _ in range(10):
    x = block(x, 16)
model = keras.Model(images, keras.layers.Dense(10)(keras.layers.GlobalAveragePooling2D()(x)))
optimizer = keras.optimizers.Adam()
optimizer.build(model.trainable_variables)
loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)


def traced():
    @tf.function
    def step(x, y):
        with tf.GradientTape() as tape:
            value = loss(y, model(x, training=True))
        gradients = tape.gradient(value, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
        return value

    step.get_concrete_function(tf.TensorSpec([None, 32, 32, 16]), tf.TensorSpec([None], tf.int32))


traced()
wall, cpu = time.perf_counter(), time.process_time()
for _ in range(ROUNDS):
    traced()
print("inner", time.perf_counter() - wall, time.process_time() - cpu)
