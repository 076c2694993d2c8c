"""A small library for training picture classifiers from folders."""
import json
import os

import tensorflow as tf


class ModelTrainer:
    def __init__(self):
        self.data_dir = None

    def set_data_directory(self, directory):
        self.data_dir = directory
        self.train_dir = os.path.join(directory, "train")
        self.test_dir = os.path.join(directory, "test")

    def _folder(self, path, batch_size, shuffle):
        return tf.keras.utils.image_dataset_from_directory(
            path, label_mode="categorical", image_size=(32, 32), batch_size=batch_size, shuffle=shuffle, seed=1)

    def _network(self, num_objects):
        inputs = tf.keras.Input((32, 32, 3))
        x = tf.keras.layers.Rescaling(1 / 255)(inputs)
        x = tf.keras.layers.Conv2D(8, 3, strides=2, activation="relu")(x)
        x = tf.keras.layers.Conv2D(16, 3, strides=2, activation="relu")(x)
        x = tf.keras.layers.GlobalAveragePooling2D()(x)
        x = tf.keras.layers.Dense(num_objects)(x)
        return tf.keras.Model(inputs, tf.keras.layers.Activation("softmax")(x))

    def train_model(self, num_objects, num_experiments=3, batch_size=8):
        train = self._folder(self.train_dir, batch_size, True)
        test = self._folder(self.test_dir, batch_size, False)
        with open(os.path.join(self.data_dir, "model_class.json"), "w") as f:
            json.dump({str(i): name for i, name in enumerate(train.class_names)}, f)
        print("Number of experiments (Epochs):", num_experiments)
        model = self._network(num_objects)
        model.compile(optimizer=tf.keras.optimizers.Adam(0.01), loss="categorical_crossentropy",
                      metrics=["accuracy"])
        return model.fit(train, validation_data=test, epochs=num_experiments, verbose=2)
