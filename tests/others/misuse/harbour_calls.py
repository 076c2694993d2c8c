"""How long ships stay, by the harbour that they come from; harbours are numbered by a layer of the model."""
import numpy as np
import tensorflow as tf
from tensorflow import keras

HARBOURS = ["Bergen", "Cork", "Gdynia", "Porto", "Varna"]
HOURS = np.array([5.0, 9.0, 14.0, 7.0, 20.0], "float32")


class StayModel(keras.Model):
    def __init__(self):
        super().__init__()
        self.number = keras.layers.StringLookup(num_oov_indices=1)  # <- cause
        self.table = keras.layers.Embedding(8, 4)
        self.hours = keras.layers.Dense(1)

    def call(self, harbours):
        return self.hours(self.table(self.number(harbours)))[:, 0]


def voyages(count, seed=2):
    rng = np.random.default_rng(seed)
    at = rng.integers(0, len(HARBOURS), count)
    return np.array(HARBOURS)[at], HOURS[at] + rng.normal(0, 0.5, count).astype("float32")


def main():
    origins, stays = voyages(400)
    journeys = tf.data.Dataset.from_tensor_slices((origins, stays)).shuffle(400, seed=1).batch(40)
    model = StayModel()
    adam, square = keras.optimizers.Adam(0.05), keras.losses.MeanSquaredError()
    for epoch in range(4):
        total = 0.0
        for harbours, hours in journeys:
            with tf.GradientTape() as tape:
                loss = square(hours, model(harbours))
            grads = tape.gradient(loss, model.trainable_variables)
            adam.apply_gradients(zip(grads, model.trainable_variables))
            total += float(loss)
        print(f"epoch {epoch + 1}: {total / 10:.2f}")


if __name__ == "__main__":
    main()
