import os
import tempfile

import numpy as np
import tensorflow as tf

from input_fn import make_dataset, SHAPE
from make_records import write_records

tf.random.set_seed(0)
np.random.seed(0)

work = tempfile.mkdtemp(prefix='sonar_')
train_file = write_records(os.path.join(work, 'train.tfrecords'), 24, seed=1)
val_file = write_records(os.path.join(work, 'val.tfrecords'), 6, seed=2)
print('records written', os.path.getsize(train_file), os.path.getsize(val_file))


def small_net():
    inp = tf.keras.Input(SHAPE[:3] + [2])
    h = tf.keras.layers.Conv3D(8, 3, padding='same', activation='relu')(inp)
    h = tf.keras.layers.Conv3D(8, 3, padding='same', activation='relu')(h)
    out = tf.keras.layers.Conv3D(1, 1, activation='sigmoid')(h)
    return tf.keras.Model(inp, out)


model = small_net()
model.compile(optimizer=tf.keras.optimizers.Adam(0.01), loss='binary_crossentropy', metrics=['accuracy'])

train_ds = make_dataset([train_file], True, 4, epochs=5)
val_ds = make_dataset([val_file], False, 2)

hist = model.fit(train_ds, verbose=2)
print('val', model.evaluate(val_ds, verbose=0))

x, y = next(iter(val_ds))
p = model.predict(x, verbose=0)
inter = 2 * np.sum((p > .5) * y.numpy()) / (np.sum(p > .5) + np.sum(y.numpy()) + 1e-6)
print('dice of the first val batch %.3f' % inter)
