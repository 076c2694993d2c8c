import numpy as np
from tensorflow.keras import layers
from tensorflow.keras.models import Sequential
from tensorflow.keras.optimizers import RMSprop

np.random.seed(3)

img_width, img_height = 24, 24
nb_train = 90
nb_valid = 30
epochs = 2
batch_size = 15


def make_leaves(per_kind):
    pics, kinds = [], []
    for kind in range(3):
        for _ in range(per_kind):
            pic = np.random.rand(img_height, img_width, 3) * 0.4
            pic[:, :, kind] += 0.5
            pics.append(pic)
            kinds.append(kind)
    pics = np.array(pics, dtype="float32")
    kinds = np.array(kinds, dtype="float32")
    order = np.random.permutation(len(pics))
    return pics[order], kinds[order]


train_data, train_labels = make_leaves(nb_train // 3)  # <- cause
validation_data, validation_labels = make_leaves(nb_valid // 3)  # <- cause
print(train_data.shape, train_labels.shape)

model = Sequential()
model.add(layers.Input(shape=(img_height, img_width, 3)))
model.add(layers.Conv2D(8, (3, 3), activation="relu"))
model.add(layers.MaxPooling2D((2, 2)))
model.add(layers.Conv2D(16, (3, 3), activation="relu"))
model.add(layers.MaxPooling2D((2, 2)))
model.add(layers.Flatten())
model.add(layers.Dense(32, activation="relu"))
model.add(layers.Dropout(0.3))
model.add(layers.Dense(16, activation="relu"))
model.add(layers.Dense(3, activation="softmax"))

model.compile(
    loss="categorical_crossentropy",  # <- cause
    optimizer=RMSprop(learning_rate=1e-3),
    metrics=["acc"],
)

history = model.fit(
    train_data,
    train_labels,
    epochs=epochs,
    batch_size=batch_size,
    validation_data=(validation_data, validation_labels),
    verbose=2,
)
print("last accuracy", history.history["acc"][-1])
