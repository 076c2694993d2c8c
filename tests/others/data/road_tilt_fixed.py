import numpy as np
from tensorflow.keras.layers import Conv2D, Dense, Dropout, Flatten, Lambda
from tensorflow.keras.models import Sequential

np.random.seed(12)


def camera_log(count):
    rows = []
    for _ in range(count):
        tilt = np.random.uniform(-1, 1)
        frame = np.random.randint(0, 80, (32, 32, 3)).astype("float32")
        edge = int(16 + 10 * tilt)
        frame[:, :edge, :] += 120
        rows.append((frame, tilt))
    return rows


def frames(rows):
    while True:
        for k in np.random.permutation(len(rows)):
            frame, tilt = rows[k]
            if np.random.rand() < 0.5:
                frame = np.fliplr(frame)
                tilt = -tilt
            yield np.expand_dims(frame, axis=0), np.array([tilt], dtype="float32")


log = camera_log(60)
train_rows, valid_rows = log[:48], log[48:]

model = Sequential()
model.add(Lambda(lambda x: x / 127.5 - 1.0, input_shape=(32, 32, 3)))
model.add(Conv2D(8, (5, 5), strides=(2, 2), activation="elu"))
model.add(Conv2D(12, (3, 3), strides=(2, 2), activation="elu"))
model.add(Flatten())
model.add(Dropout(0.2))
model.add(Dense(16, activation="elu"))
model.add(Dense(1))
model.compile(optimizer="adam", loss="mse")

model.fit(
    frames(train_rows),
    steps_per_epoch=24,
    epochs=2,
    validation_data=frames(valid_rows),
    validation_steps=6,
    verbose=2,
)
