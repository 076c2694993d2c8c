import os
import numpy as np
import tensorflow.compat.v1 as tf
from tf_keras.layers import Dense, Input
from tf_keras.models import Model

os.environ['TF_CPP_MIN_LOG_LEVEL'] = '3'
tf.disable_v2_behavior()

with tf.Session() as sess:

    def level_batches():
        level = np.linspace(0., 1., 64).reshape(-1, 1).astype(np.float32)
        ds_level = tf.data.Dataset.from_tensor_slices(level).repeat()

        flow = (0.4 * level + 0.1).astype(np.float32)
        ds_flow = tf.data.Dataset.from_tensor_slices(flow).repeat()

        ds = tf.data.Dataset.zip((ds_level, ds_flow)).batch(8)
        iterator = tf.data.make_one_shot_iterator(ds)  # <- cause
        while True:  # <- cause
            element = iterator.get_next()  # <- cause
            yield sess.run(element)  # <- cause

    feed = level_batches()

    gauge = Input(shape=(1,))
    outflow = Dense(1)(gauge)
    model = Model(inputs=gauge, outputs=outflow)

    model.compile('rmsprop', 'mean_squared_error')
    model.fit_generator(feed, steps_per_epoch=8, epochs=4,  # <- cause
                        verbose=2, max_queue_size=2)
