from keras import applications
from keras import optimizers
from keras.models import Sequential, Model
from keras.layers import Dropout, Flatten, Dense
import numpy as np

# ------------------------------------------------------------------
# glazed tiles: ok / cracked.  step 1 trains a small top on bottleneck
# features, step 2 puts that top on the conv base and tunes the last block
# ------------------------------------------------------------------
tile_w, tile_h = 48, 48
n_fit, n_chk = 48, 16
epochs_top, epochs_tune = 4, 1
batch_size = 8
head_file = 'tile_top.weights.h5'

rng = np.random.RandomState(4)


def tiles(n):
    x = rng.uniform(0.55, 0.75, (n, tile_h, tile_w, 3)).astype('float32')
    y = np.arange(n) % 2
    for i in np.where(y == 1)[0]:
        c = rng.randint(8, 40)
        for r in range(tile_h):
            c = int(np.clip(c + rng.randint(-1, 2), 1, tile_w - 2))
            x[i, r, c - 1:c + 2] = 0.05
    return x, y.astype('float32')


train_x, train_y = tiles(n_fit)
val_x, val_y = tiles(n_chk)
print('train', train_x.shape, 'val', val_x.shape)

# conv base (no internet on this machine, so no imagenet weights)
model = applications.VGG16(weights=None, include_top=False,
                           input_shape=(tile_h, tile_w, 3))
print('vgg ready', model.output_shape)

# step 1: bottleneck features
feat_train = model.predict(train_x, batch_size=batch_size, verbose=0)
feat_val = model.predict(val_x, batch_size=batch_size, verbose=0)
scale = np.abs(feat_train).max()
print('features', feat_train.shape, 'max', scale)


def make_top(shape):
    top = Sequential()
    top.add(Flatten(input_shape=shape))
    top.add(Dense(32, activation='relu'))
    top.add(Dropout(0.5))
    top.add(Dense(1, activation='sigmoid'))
    return top


top = make_top(feat_train.shape[1:])
top.compile(optimizer='rmsprop', loss='binary_crossentropy', metrics=['accuracy'])
top.fit(feat_train, train_y, epochs=epochs_top, batch_size=batch_size,
        validation_data=(feat_val, val_y), verbose=2)
top.save_weights(head_file)

# step 2: fine tuning, starts from the trained top
head = make_top(model.output_shape[1:])
head.load_weights(head_file)

# put the head onto the conv base
model = Model(inputs=model.input, outputs=head(model.output))

# everything below the last conv block stays as it is
for layer in model.layers[:15]:
    layer.trainable = False

model.compile(loss='binary_crossentropy',
              optimizer=optimizers.SGD(learning_rate=5e-5, momentum=0.8),
              metrics=['accuracy'])

model.fit(train_x, train_y, batch_size=batch_size, epochs=epochs_tune,
          validation_data=(val_x, val_y), verbose=2)

p = model.predict(val_x[:4], verbose=0)
print('trainable arrays:', len(model.trainable_weights))
print('cracked?', val_y[:4], '->', p.ravel().round(2))
