import os
import shutil
import tempfile
import numpy as np
from PIL import Image
from tensorflow.keras import layers, models, optimizers
from tensorflow.keras.utils import image_dataset_from_directory

base_dir = tempfile.mkdtemp(prefix="leaves_")
tints = {"ash": (180, 60, 60), "elm": (60, 180, 60), "oak": (60, 60, 180)}
rng = np.random.default_rng(3)

for split, count in (("train", 16), ("validation", 8)):
    for species, tint in tints.items():
        folder = os.path.join(base_dir, split, species)
        os.makedirs(folder)
        for k in range(count):
            px = np.clip(np.array(tint) + rng.normal(0, 25, (40, 40, 3)), 0, 255)
            Image.fromarray(px.astype("uint8")).save(
                os.path.join(folder, "%s_%02d.png" % (species, k)))

train_dir = os.path.join(base_dir, "train")
validation_dir = os.path.join(base_dir, "validation")

train_set = image_dataset_from_directory(
    train_dir,
    label_mode="categorical",
    image_size=(32, 32),
    batch_size=8)

validation_set = image_dataset_from_directory(
    validation_dir,
    label_mode="categorical",
    image_size=(32, 32),
    batch_size=8)

model = models.Sequential()
model.add(layers.Input(shape=(32, 32, 3)))
model.add(layers.Rescaling(1.0 / 255))
model.add(layers.Conv2D(8, (3, 3), activation="relu"))
model.add(layers.MaxPooling2D((2, 2)))
model.add(layers.Conv2D(16, (3, 3), activation="relu"))
model.add(layers.MaxPooling2D((2, 2)))
model.add(layers.Flatten())
model.add(layers.Dense(32, activation="relu"))
model.add(layers.Dense(3, activation="softmax"))

model.compile(loss="categorical_crossentropy",
              optimizer=optimizers.RMSprop(learning_rate=1e-3),
              metrics=["acc"])

history = model.fit(
    train_set,
    epochs=2,
    validation_data=validation_set,
    verbose=2)

print(history.history["val_acc"])
shutil.rmtree(base_dir)
