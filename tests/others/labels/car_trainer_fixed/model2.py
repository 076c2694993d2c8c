"""Tells cars with damage from cars without."""
import os
import tempfile

import numpy as np
from PIL import Image

from trainer import ModelTrainer


def make_photos(root):
    rng = np.random.default_rng(2)
    for part, count in (("train", 24), ("test", 8)):
        for kind, level in (("damaged", 60), ("whole", 180)):
            folder = os.path.join(root, part, kind)
            os.makedirs(folder)
            for i in range(count):
                picture = np.clip(rng.normal(level, 40, (40, 40, 3)), 0, 255).astype("uint8")
                Image.fromarray(picture).save(os.path.join(folder, f"{kind}_{i}.png"))


root = tempfile.mkdtemp()
make_photos(root)

model_trainer = ModelTrainer()
model_trainer.set_data_directory(root)
history = model_trainer.train_model(num_objects=2, num_experiments=3, batch_size=8)
print("last accuracy: %.2f" % history.history["val_accuracy"][-1])
