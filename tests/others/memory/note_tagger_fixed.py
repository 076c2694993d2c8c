import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import keras
import tensorflow as tf

CONFIG = {
    "vocabulary": 2000,
    "width": 128,
    "length": 256,
    "batch": 64,
    "rate": 1e-3,
    "steps": 3,
}


class Tagger(keras.Model):
    def __init__(self, config):
        super().__init__()
        self.table = keras.layers.Embedding(config["vocabulary"], config["width"])
        self.mix = [keras.layers.Conv1D(config["width"], 3, padding="same", activation="relu") for _ in range(3)]
        self.head = keras.layers.Dense(9)

    def call(self, notes):
        x = self.table(notes)
        for layer in self.mix:
            x = layer(x)
        return self.head(x)


class Trainer:
    def __init__(self, config):
        self.config = config
        self.model = Tagger(config)
        self.optimizer = keras.optimizers.Adam(config["rate"])
        self.loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)

    def data(self):
        shape = (self.config["batch"], self.config["length"])
        for _ in range(self.config["steps"]):
            notes = tf.random.uniform(shape, maxval=self.config["vocabulary"], dtype=tf.int32)
            yield notes, notes % 9

    @tf.function
    def step(self, notes, tags):
        with tf.GradientTape() as tape:
            loss = self.loss(tags, self.model(notes, training=True))
        grads = tape.gradient(loss, self.model.trainable_variables)
        self.optimizer.apply_gradients(zip(grads, self.model.trainable_variables, strict=True))
        return loss

    def run(self):
        for number, (notes, tags) in enumerate(self.data()):
            loss = self.step(notes, tags)
            print("step", number, "loss", float(loss))


Trainer(CONFIG).run()
