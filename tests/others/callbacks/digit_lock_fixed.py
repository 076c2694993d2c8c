# Reads the two digits of a combination lock; prints the learning curve at the end.
import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import numpy as np
import tensorflow as tf
from tensorflow.keras import Input, Model
from tensorflow.keras.layers import Conv2D, Dense, Flatten, MaxPooling2D
from tensorflow.keras.utils import to_categorical

tf.random.set_seed(23)
rng = np.random.default_rng(23)

N, HEIGHT, WIDTH, DIGITS = 160, 8, 16, 10

# seven-segment like prototypes, one per digit
prototypes = rng.integers(0, 2, size=(DIGITS, HEIGHT, WIDTH // 2))

codes = rng.integers(0, DIGITS, size=N)
images = prototypes[codes].astype("float32")
images = np.concatenate([images, images[:, ::-1]], axis=2)[..., None]
images += 0.1 * rng.standard_normal(images.shape).astype("float32")
labels = to_categorical(codes, DIGITS)

cut = int(0.75 * N)
train_x, valid_x = images[:cut], images[cut:]
train_y, valid_y = labels[:cut], labels[cut:]

tensor_in = Input((HEIGHT, WIDTH, 1))
tensor = Conv2D(8, 3, padding="same", activation="relu")(tensor_in)
tensor = MaxPooling2D(2)(tensor)
tensor = Flatten()(tensor)
tensor_out = Dense(DIGITS, activation="softmax", name="digit")(tensor)

model = Model(tensor_in, tensor_out)
model.compile(loss="categorical_crossentropy", optimizer="adam", metrics=["acc"])
history = model.fit(
    train_x, train_y, batch_size=24, epochs=4, validation_data=(valid_x, valid_y), verbose=0
)


def bar(value, width=30):
    filled = int(round(width * value))
    return "#" * filled + "-" * (width - filled)


print("learning curve")
train_curve = history.history["acc"]
valid_curve = history.history["val_acc"]
for epoch, (on_train, on_valid) in enumerate(zip(train_curve, valid_curve), start=1):
    print(f"{epoch:2d} train {bar(on_train)} {on_train:.2f}")
    print(f"   valid {bar(on_valid)} {on_valid:.2f}")

best = int(np.argmax(valid_curve))
print("best epoch:", best + 1, "loss", round(history.history["val_loss"][best], 3))
