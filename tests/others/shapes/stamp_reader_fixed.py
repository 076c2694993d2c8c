import numpy as np
from tensorflow.keras.layers import Conv2D, Dense, Dropout, Flatten, MaxPooling2D
from tensorflow.keras.models import Sequential
from tensorflow.keras.utils import to_categorical

np.random.seed(11)

n_classes = 6
n_train = 120
n_valid = 36


def draw_stamps(count):
    marks = np.random.randint(0, n_classes, count)
    stamps = np.random.rand(count, 32, 32, 1).astype("float32") * 0.3
    for row, mark in enumerate(marks):
        stamps[row, 4 * mark:4 * mark + 6, 6:26, 0] += 0.6
    return stamps, to_categorical(marks, n_classes)


X_train, y_train = draw_stamps(n_train)
X_valid, y_valid = draw_stamps(n_valid)
print("X_train", X_train.shape, "y_train", y_train.shape)
image_shape = X_train.shape


def batches(images, targets, size):
    while True:
        picks = np.random.permutation(len(images))
        for at in range(0, len(images) - size + 1, size):
            sel = picks[at:at + size]
            yield images[sel], targets[sel]


model = Sequential()
model.add(Conv2D(8, (5, 5), activation="relu", input_shape=(32, 32, 1)))
model.add(MaxPooling2D(pool_size=(2, 2)))
model.add(Conv2D(16, (3, 3), activation="relu"))
model.add(MaxPooling2D(pool_size=(2, 2)))
model.add(Dropout(0.25))
model.add(Flatten())
model.add(Dense(32, activation="relu"))
model.add(Dense(n_classes, activation="softmax"))

model.compile(optimizer="adam", loss="categorical_crossentropy", metrics=["accuracy"])

model.fit(
    batches(X_train, y_train, 12),
    steps_per_epoch=10,
    epochs=2,
    validation_data=(X_valid, y_valid),
    verbose=2,
)
