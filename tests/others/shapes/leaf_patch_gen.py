import numpy as np
import pandas as pd
from keras.models import Sequential
from keras.layers import Conv2D, MaxPooling2D, Flatten, Dense, Dropout, Input
from keras.utils import to_categorical
import random

SIZE = 32
EPOCHS = 3
classes = ['healthy', 'mildew', 'rust']
random.seed(0)
np.random.seed(0)


# stand-in for reading the patch from the scanner archive
def read_patch(row):
    g = np.random.randint(90, 140, (SIZE, SIZE, 3)).astype('float32')
    g[:, :, 1] += 60
    if row.label == 'mildew':
        for _ in range(6):
            a, b = np.random.randint(0, SIZE - 6, 2)
            g[a:a + 6, b:b + 6] = 230
    elif row.label == 'rust':
        for _ in range(6):
            a, b = np.random.randint(0, SIZE - 6, 2)
            g[a:a + 6, b:b + 6] = (170, 80, 20)
    return g


index = pd.DataFrame({
    'file': ['leaf_%04d.tif' % i for i in range(240)],
    'label': [classes[i % 3] for i in range(240)],
})
index['y'] = index.label.map({c: i for i, c in enumerate(classes)})
train_idx = index.sample(frac=0.8, random_state=2)
val_idx = index.drop(train_idx.index)
print(train_idx.label.value_counts().to_dict(), len(val_idx))


def augment(img):
    if random.random() > 0.5:
        img = img[:, ::-1]
    if random.random() > 0.5:
        img = img[::-1]
    return img


def patch_generator(table, training=True):
    while True:
        for row in table.sample(frac=1).itertuples():
            img = read_patch(row) / 255.
            if training:
                img = augment(img)
            label = to_categorical(row.y, len(classes))
            img = np.ascontiguousarray(img)  # <- cause
            yield img, label  # <- cause


def get_model():
    model = Sequential()
    model.add(Input(shape=(SIZE, SIZE, 3)))
    model.add(Conv2D(16, (3, 3), activation='relu'))
    model.add(MaxPooling2D((2, 2)))
    model.add(Conv2D(16, (3, 3), activation='relu'))
    model.add(MaxPooling2D((2, 2)))
    model.add(Flatten())
    model.add(Dense(32, activation='relu'))
    model.add(Dropout(0.2))
    model.add(Dense(len(classes), activation='softmax'))
    return model


model = get_model()
model.compile(loss='categorical_crossentropy', optimizer='adam', metrics=['accuracy'])

train_gen = patch_generator(train_idx)
val_gen = patch_generator(val_idx, training=False)

x0, y0 = next(train_gen)
print('generator gives', x0.shape, x0.dtype, x0.max(), y0)

model.fit(train_gen,
          steps_per_epoch=len(train_idx),
          epochs=EPOCHS,
          validation_data=val_gen,
          validation_steps=len(val_idx),
          verbose=2)

hits = 0
for k in range(30):
    x, y = next(val_gen)
    p = model.predict(x.reshape(1, SIZE, SIZE, 3), verbose=0)
    hits += int(p.argmax() == y.argmax())
print('hits on 30 validation patches:', hits)
