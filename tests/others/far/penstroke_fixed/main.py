import tensorflow as tf
import tf_keras as keras

import strokes
from network import build_reader


def run(epochs=2, per_epoch=6):
    reader = build_reader()
    opt = keras.optimizers.Adam(1e-3)

    for epoch in range(epochs):
        total = 0.0
        for x, y, x_len, y_len in strokes.batches(per_epoch, seed=epoch):
            with tf.GradientTape() as tape:
                probs = reader(x, training=True)
                cost = keras.backend.ctc_batch_cost(y, probs, x_len, y_len)
                loss = tf.reduce_mean(cost)
            grads = tape.gradient(loss, reader.trainable_variables)
            opt.apply_gradients(zip(grads, reader.trainable_variables))
            total += float(loss)
        print(f"epoch {epoch}: {total / per_epoch:.3f}")


if __name__ == "__main__":
    run()
