import numpy as np
import tensorflow as tf
from tensorflow import keras
from tensorflow.keras import Model
from tensorflow.keras.layers import Dense, Flatten

rng = np.random.default_rng(0)
protos = rng.normal(size=(4, 6, 6))


def make(n):
    k = rng.integers(0, 4, n)
    x = protos[k] + 0.4 * rng.normal(size=(n, 6, 6))
    return x.astype('float32'), k.astype('int64')


x_train, y_train = make(512)
x_test, y_test = make(128)

train_ds = tf.data.Dataset.from_tensor_slices((x_train, y_train)).shuffle(512).batch(32)
test_ds = tf.data.Dataset.from_tensor_slices((x_test, y_test)).batch(32)


class Patch(Model):
    def __init__(self):
        super().__init__()
        self.flatten = Flatten()
        self.d1 = Dense(16, activation='relu')
        self.d2 = Dense(4)

    def call(self, x):
        return self.d2(self.d1(self.flatten(x)))


model = Patch()
loss_object = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
train_loss = keras.metrics.Mean()
test_acc = keras.metrics.SparseCategoricalAccuracy()


def train_step(optimizer, images, labels):
    with tf.GradientTape() as tape:
        loss = loss_object(labels, model(images))
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables))
    train_loss.update_state(loss)


def train(optimizer, epochs):
    step = tf.function(train_step)
    for epoch in range(epochs):
        train_loss.reset_state()
        test_acc.reset_state()
        for images, labels in train_ds:
            step(optimizer, images, labels)
        for images, labels in test_ds:
            test_acc.update_state(labels, model(images))
        print(epoch, float(train_loss.result()), float(test_acc.result()))


train(keras.optimizers.Adam(0.01), 2)
train(keras.optimizers.SGD(0.01, momentum=0.9), 2)
