import os
import shutil
import tempfile
import numpy as np
from PIL import Image
import tf_keras as keras
from tf_keras import backend as K
from tf_keras.models import Sequential
from tf_keras.layers import Conv2D, MaxPooling2D, Flatten, Dense, Dropout
from tf_keras.preprocessing.image import ImageDataGenerator

# settings
side_w, side_h = 48, 48
work_dir = tempfile.mkdtemp(prefix="feeder_")
dir_learn = os.path.join(work_dir, "train")
dir_check = os.path.join(work_dir, "validation")
weight_file = os.path.join(work_dir, "feeder_model.h5")
n_learn = 90
n_check = 30
bs = 10
epochs = 7

# the camera at the bird feeder: finch / tit / sparrow (crude drawings instead of photos)
species = {"finch": (190, 120, 60), "sparrow": (120, 100, 80), "tit": (220, 210, 60)}
rs = np.random.RandomState(8)
for folder, count in ((dir_learn, n_learn), (dir_check, n_check)):
    for name, colour in species.items():
        os.makedirs(os.path.join(folder, name))
        for i in range(count // len(species)):
            pic = rs.randint(0, 90, (64, 64, 3))
            r, c = rs.randint(5, 30, 2)
            pic[r:r + 28, c:c + 28] = np.array(colour) + rs.randint(-15, 15, (28, 28, 3))
            Image.fromarray(np.clip(pic, 0, 255).astype("uint8")).save(
                os.path.join(folder, name, "%s_%03d.png" % (name, i)))

if K.image_data_format() == "channels_first":
    input_shape = (3, side_w, side_h)
else:
    input_shape = (side_w, side_h, 3)

model = Sequential([
    # stage 1
    Conv2D(8, (3, 3), activation="relu", input_shape=input_shape, padding="same"),
    Conv2D(8, (3, 3), activation="relu", padding="same"),
    MaxPooling2D(pool_size=(2, 2), strides=(2, 2)),
    # stage 2
    Conv2D(16, (3, 3), activation="relu", padding="same"),
    Conv2D(16, (3, 3), activation="relu", padding="same"),
    MaxPooling2D(pool_size=(2, 2), strides=(2, 2)),
    # stage 3
    Conv2D(32, (3, 3), activation="relu", padding="same"),
    MaxPooling2D(pool_size=(2, 2), strides=(2, 2)),
    # top
    Flatten(),
    Dense(64, activation="relu"),
    Dropout(0.3),
    Dense(3, activation="softmax"),
])

model.compile(loss="categorical_crossentropy",
              optimizer=keras.optimizers.Adam(learning_rate=0.002),
              metrics=["accuracy"])

learn_aug = ImageDataGenerator(rescale=1. / 255, horizontal_flip=True, zoom_range=0.1)
check_aug = ImageDataGenerator(rescale=1. / 255)

learn_pics = learn_aug.flow_from_directory(
    dir_learn,
    target_size=(side_w, side_h),
    batch_size=bs,
    class_mode="binary")  # <- cause

check_pics = check_aug.flow_from_directory(
    dir_check,
    target_size=(side_w, side_h),
    batch_size=bs,
    class_mode="binary")  # <- cause

model.fit(
    learn_pics,
    steps_per_epoch=n_learn // bs,
    epochs=epochs,
    validation_data=check_pics,
    validation_steps=n_check // bs,
    verbose=2)

model.save_weights(weight_file)
print("weights in", os.path.basename(weight_file), os.path.getsize(weight_file), "bytes")
shutil.rmtree(work_dir)
