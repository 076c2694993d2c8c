import glob
import os
import shutil
import tempfile
import numpy as np
from PIL import Image
from tf_keras import layers, models, optimizers
from tf_keras.utils import Sequence

root = tempfile.mkdtemp(prefix="coins_")
rng = np.random.default_rng(21)


def write_split(split, per_class):
    for side, shade in (("heads", 90), ("tails", 160)):
        folder = os.path.join(root, split, side)
        os.makedirs(folder)
        for k in range(per_class):
            px = np.clip(shade + rng.normal(0, 30, (24, 24, 3)), 0, 255)
            Image.fromarray(px.astype("uint8")).save(os.path.join(folder, f"{k:03d}.png"))


class FolderSequence(Sequence):
    def __init__(self, folder, batch_size, flip=False):
        self.batch_size = batch_size
        self.flip = flip
        self.files = sorted(glob.glob(os.path.join(folder, "*", "*.png")))
        np.random.default_rng(0).shuffle(self.files)

    def __len__(self):
        return int(np.ceil(len(self.files) / self.batch_size))

    def __getitem__(self, idx):
        part = self.files[idx * self.batch_size:(idx + 1) * self.batch_size]
        x = np.stack([np.asarray(Image.open(f), dtype="float32") / 255.0 for f in part])
        if self.flip and np.random.rand() < 0.5:
            x = x[:, :, ::-1]
        y = np.array([os.path.basename(os.path.dirname(f)) == "tails" for f in part])
        return x, y.astype("float32")


write_split("train", 100)
write_split("validation", 50)
train_generator = FolderSequence(os.path.join(root, "train"), batch_size=32, flip=True)
validation_generator = FolderSequence(os.path.join(root, "validation"), batch_size=32)

model = models.Sequential()
model.add(layers.Conv2D(8, (3, 3), activation="relu", input_shape=(24, 24, 3)))
model.add(layers.MaxPooling2D((2, 2)))
model.add(layers.Conv2D(8, (3, 3), activation="relu"))
model.add(layers.Flatten())
model.add(layers.Dropout(0.3))
model.add(layers.Dense(16, activation="relu"))
model.add(layers.Dense(1, activation="sigmoid"))
model.compile(loss="binary_crossentropy",
              optimizer=optimizers.RMSprop(learning_rate=1e-3),
              metrics=["acc"])

history = model.fit(
    train_generator,
    steps_per_epoch=200 // 32,
    epochs=6,
    validation_data=validation_generator,
    validation_steps=3,
    verbose=2)

acc = history.history["acc"]
print("epochs done:", len(acc), "last acc:", acc[-1])
shutil.rmtree(root)
