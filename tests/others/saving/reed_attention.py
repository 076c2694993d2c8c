"""attention pooling over the reed-bed bird calls, every recording is a sequence of 12 frames"""
import os
import tempfile
import numpy as np
import tensorflow as tf
from tensorflow import keras
from tensorflow.keras import layers

SPECIES = ['bittern', 'warbler', 'bunting', 'rail']
FRAMES = 12
MEL = 16


def synth_calls(n, seed):
    rng = np.random.default_rng(seed)
    x = rng.normal(0, .4, (n, FRAMES, MEL)).astype('float32')
    lab = rng.integers(0, len(SPECIES), n)
    where = rng.integers(0, FRAMES - 3, n)
    for i in range(n):
        x[i, where[i]:where[i] + 3, lab[i] * 4:lab[i] * 4 + 4] += 2.0
    return x, lab.astype('int64')


class BandGain(layers.Layer):
    """learned gain per mel band"""

    def build(self, input_shape):
        self.gain = self.add_weight(name='gain', shape=(input_shape[-1],), initializer='ones')

    def call(self, inputs):
        return inputs * self.gain


class AttentionPool(layers.Layer):
    def __init__(self, units, rate=0.1):  # <- cause
        super().__init__()  # <- cause
        self.units = units
        self.rate = rate
        self.proj = layers.Dense(units, activation='tanh')
        self.score = layers.Dense(1, use_bias=False)
        self.drop = layers.Dropout(rate)

    def build(self, input_shape):
        self.proj.build(input_shape)
        self.score.build((input_shape[0], input_shape[1], self.units))

    def call(self, inputs, training=None):
        h = self.drop(self.proj(inputs), training=training)
        alpha = tf.nn.softmax(self.score(h), axis=1)
        return tf.reduce_sum(alpha * inputs, axis=1)

    def compute_output_shape(self, input_shape):
        return (input_shape[0], input_shape[-1])

    def get_config(self):
        cfg = super().get_config()
        cfg.update({'units': self.units, 'rate': self.rate})
        return cfg


def create_model():
    inp = keras.Input((FRAMES, MEL), name='mel')
    h = BandGain()(inp)
    h = layers.Dense(24, activation='relu')(h)
    h = AttentionPool(16)(h)
    out = layers.Dense(len(SPECIES), activation='softmax')(h)
    m = keras.Model(inp, out)
    m.compile(optimizer=keras.optimizers.Adam(0.005),
              loss='sparse_categorical_crossentropy', metrics=['accuracy'])
    return m


keras.utils.set_random_seed(12)
x_train, y_train = synth_calls(400, 0)
x_val, y_val = synth_calls(80, 1)
print('train', x_train.shape, np.bincount(y_train))

model = create_model()
model.fit(x_train, y_train, epochs=5, batch_size=32, validation_data=(x_val, y_val), verbose=2)

path = os.path.join(tempfile.mkdtemp(prefix='reed_'), 'calls.keras')
model.save(path)
print('saved', os.path.getsize(path) // 1024, 'kB')

# next week on the field laptop
field_model = keras.models.load_model(path, custom_objects={'BandGain': BandGain, 'AttentionPool': AttentionPool})
p = field_model.predict(x_val, verbose=0)
print('max difference', float(np.max(np.abs(p - model.predict(x_val, verbose=0)))))
for row, t in zip(p[:4], y_val[:4]):
    print(SPECIES[int(np.argmax(row))], '<-', SPECIES[int(t)])
