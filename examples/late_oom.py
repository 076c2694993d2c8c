"""Dies in its second epoch, in an evaluation that does not fit, and is healed:

    whydied run --memory-limit 1300M --heal examples/late_oom.py

It is tried in a sandbox with smaller batches, started again with the change that helps, and goes on at epoch 2.
"""

import numpy as np
from tensorflow import keras

rng = np.random.default_rng(0)
signals = rng.random((4096, 64), dtype=np.float32)
labels = rng.integers(0, 4, 4096)


class Check(keras.callbacks.Callback):
    def on_epoch_end(self, epoch, logs=None):
        if epoch % 2 == 1:
            loss = self.model.evaluate(signals, labels, batch_size=4096, verbose=0)
            print(f"epoch {epoch + 1}: loss {loss:.3f}")


model = keras.Sequential(
    [
        keras.Input((64,)),
        keras.layers.RepeatVector(2000),
        keras.layers.GlobalAveragePooling1D(),
        keras.layers.Dense(4, activation="softmax"),
    ]
)
model.compile(optimizer="adam", loss="sparse_categorical_crossentropy")
history = model.fit(signals[:64], labels[:64], epochs=4, batch_size=16, callbacks=[Check()], verbose=0)
print("epochs:", *[epoch + 1 for epoch in history.epoch])
