import json
import os

import numpy as np
import tensorflow as tf
from tensorflow.keras import layers

import prepare

prepare.build()

DATA = prepare.OUT
x = np.load(os.path.join(DATA, 'train_input.npy'))
y = np.load(os.path.join(DATA, 'train_label.npy'))
with open(os.path.join(DATA, 'data_configs.json')) as f:
    configs = json.load(f)

BATCH_SIZE = 16
NUM_EPOCHS = 3
VOCAB_SIZE = configs['vocab_size']  # <- cause
EMB_SIZE = 16

cut = int(len(x) * 0.9)
train_ds = tf.data.Dataset.from_tensor_slices((x[:cut], y[:cut])).shuffle(400).batch(BATCH_SIZE)
eval_ds = tf.data.Dataset.from_tensor_slices((x[cut:], y[cut:])).batch(BATCH_SIZE)


class TextCNN(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.embedding = layers.Embedding(VOCAB_SIZE, EMB_SIZE)
        self.drop = layers.Dropout(0.2)
        self.convs = [layers.Conv1D(8, k, activation='relu', padding='valid') for k in (2, 3, 4)]
        self.pool = layers.GlobalMaxPooling1D()
        self.hidden = layers.Dense(16, activation='relu')
        self.out = layers.Dense(1, activation='sigmoid')

    def call(self, inputs, training=False):
        h = self.drop(self.embedding(inputs), training=training)
        h = tf.concat([self.pool(c(h)) for c in self.convs], axis=-1)
        return self.out(self.hidden(h))


model = TextCNN()
model.compile(optimizer='adam', loss='binary_crossentropy', metrics=['accuracy'])
model.fit(train_ds, validation_data=eval_ds, epochs=NUM_EPOCHS, verbose=2)
