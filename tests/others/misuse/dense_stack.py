"""A DenseNet block makes its bottleneck layers and keeps its feature maps while it is called; fit dies of it."""

import numpy as np
import tensorflow as tf


class BottleNeck(tf.keras.layers.Layer):
    def __init__(self, growth_rate, drop_rate):
        super().__init__()
        self.bn = tf.keras.layers.BatchNormalization()
        self.conv = tf.keras.layers.Conv2D(growth_rate, 3, padding="same")
        self.dropout = tf.keras.layers.Dropout(drop_rate)

    def call(self, inputs, training=None):
        x = self.bn(inputs, training=training)
        x = self.conv(tf.nn.relu(x))
        return self.dropout(x, training=training)


class DenseBlock(tf.keras.layers.Layer):
    def __init__(self, num_layers, growth_rate, drop_rate):
        super().__init__()
        self.num_layers = num_layers
        self.growth_rate = growth_rate
        self.drop_rate = drop_rate

    def _make_layer(self, x, training):
        y = BottleNeck(self.growth_rate, self.drop_rate)(x, training=training)  # <- cause
        return tf.concat([x, y], axis=-1)

    def call(self, inputs, training=None):
        x = inputs
        for _ in range(self.num_layers):
            x = self._make_layer(x, training)
        return x


class SmallDenseNet(tf.keras.Model):
    def __init__(self, classes):
        super().__init__()
        self.first = tf.keras.layers.Conv2D(8, 3, strides=2, padding="same")
        self.block = DenseBlock(num_layers=2, growth_rate=4, drop_rate=0.2)
        self.pool = tf.keras.layers.GlobalAveragePooling2D()
        self.head = tf.keras.layers.Dense(classes, activation="softmax")

    def call(self, inputs, training=None):
        x = self.first(inputs)
        x = self.block(x, training=training)
        return self.head(self.pool(x))


rng = np.random.default_rng(25)
pictures = rng.random((48, 24, 24, 3), dtype="float32")
kinds = rng.integers(0, 5, size=48)
net = SmallDenseNet(classes=5)
net.compile(optimizer="adam", loss="sparse_categorical_crossentropy", metrics=["accuracy"])
net.fit(pictures, kinds, batch_size=16, epochs=2, verbose=0)
print("trainable weights", len(net.trainable_weights))
