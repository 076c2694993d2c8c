"""Two optimizers in one model: in the first steps only the head learns, afterwards the body, too."""

import numpy as np
import tensorflow as tf


class TwoStage(tf.keras.Model):
    def __init__(self, body, head, patience):
        super().__init__()
        self.body, self.head = body, head
        self.patience = patience
        self.head_optimizer = tf.keras.optimizers.Adam(1e-2)
        self.body_optimizer = tf.keras.optimizers.Adam(1e-3)
        self.tracker = tf.keras.metrics.Mean(name="loss")

    def call(self, x, training=False):
        return self.head(self.body(x, training=training), training=training)

    @property
    def metrics(self):
        return [self.tracker]

    def train_step(self, data):  # <- cause
        x, y = data
        with tf.GradientTape(persistent=True) as tape:
            loss = tf.reduce_mean(tf.square(self(x, training=True) - y))
        head_gradients = tape.gradient(loss, self.head.trainable_variables)
        body_gradients = tape.gradient(loss, self.body.trainable_variables)
        self.head_optimizer.apply_gradients(zip(head_gradients, self.head.trainable_variables))
        if tf.convert_to_tensor(self.head_optimizer.iterations) > self.patience:  # <- cause
            self.body_optimizer.apply_gradients(zip(body_gradients, self.body.trainable_variables))
        self.tracker.update_state(loss)
        return {"loss": self.tracker.result()}


def table(count):
    rng = np.random.default_rng(19)
    x = rng.normal(size=(count, 8)).astype("float32")
    return x, (x[:, :1] * x[:, 1:2]).astype("float32")


def main():
    body = tf.keras.Sequential([tf.keras.layers.Input((8,)), tf.keras.layers.Dense(16, activation="relu")])
    head = tf.keras.Sequential([tf.keras.layers.Input((16,)), tf.keras.layers.Dense(1)])
    model = TwoStage(body, head, patience=3)
    model.head_optimizer.build(head.trainable_variables)
    model.body_optimizer.build(body.trainable_variables)
    model.compile()
    x, y = table(320)
    history = model.fit(x, y, epochs=1, batch_size=32, verbose=0)
    print(history.history)


if __name__ == "__main__":
    main()
