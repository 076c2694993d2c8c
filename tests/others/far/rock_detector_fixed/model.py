import keras
from keras import layers


class Detector:
    def __init__(self, mode, config):
        self.mode, self.config = mode, config
        self.keras_model = self.build()

    def build(self):
        features = keras.Input((self.config.WIDTH,), name="input_image")
        x = layers.Dense(32, activation="relu", name="fpn")(features)
        classes = layers.Dense(self.config.NUM_CLASSES, activation="softmax", name="class_logits")(x)
        boxes = layers.Dense(self.config.NUM_CLASSES * 4, name="bbox_fc")(x)
        return keras.Model(features, [classes, boxes], name=self.config.NAME)

    def train(self, x, classes, boxes, epochs):
        self.keras_model.compile(
            keras.optimizers.Adam(self.config.LEARNING_RATE), ["sparse_categorical_crossentropy", "mse"]
        )
        self.keras_model.fit(x, [classes, boxes], batch_size=self.config.BATCH_SIZE, epochs=epochs, verbose=2)

    def load_weights(self, path):
        self.keras_model.load_weights(path)

    def detect(self, x):
        classes, boxes = self.keras_model.predict(x, batch_size=self.config.BATCH_SIZE, verbose=0)
        return classes.argmax(axis=1)
