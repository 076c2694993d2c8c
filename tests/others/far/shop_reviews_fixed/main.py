import json
import os

import numpy as np
import tensorflow as tf
from tensorflow.keras import layers

import prepare

prepare.main()

input_data = np.load(os.path.join(prepare.DATA_DIR, 'train_input.npy'))
label_data = np.load(os.path.join(prepare.DATA_DIR, 'train_label.npy'))
with open(os.path.join(prepare.DATA_DIR, 'data_configs.json')) as f:
    prepro_configs = json.load(f)

BATCH_SIZE = 16
NUM_EPOCHS = 4
VOCAB_SIZE = prepro_configs['vocab_size'] + 1
EMB_SIZE = 16

split = int(len(input_data) * 0.9)
train_ds = tf.data.Dataset.from_tensor_slices((input_data[:split], label_data[:split]))
train_ds = train_ds.shuffle(300, seed=7).batch(BATCH_SIZE)
eval_ds = tf.data.Dataset.from_tensor_slices((input_data[split:], label_data[split:])).batch(BATCH_SIZE)

model = tf.keras.Sequential([
    layers.Embedding(VOCAB_SIZE, EMB_SIZE),
    layers.Dropout(0.2),
    layers.Conv1D(32, 3, padding='same', activation='relu'),
    layers.GlobalMaxPooling1D(),
    layers.Dense(16, activation='relu'),
    layers.Dense(1, activation='sigmoid'),
])
model.compile(optimizer='adam', loss='binary_crossentropy', metrics=['accuracy'])
model.fit(train_ds, epochs=NUM_EPOCHS, validation_data=eval_ds, verbose=2)
print(model.evaluate(eval_ds, verbose=0))
