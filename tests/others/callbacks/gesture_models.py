import os
import numpy as np
from tensorflow import keras
from tensorflow.keras.callbacks import CSVLogger, ModelCheckpoint, EarlyStopping, ReduceLROnPlateau
from tensorflow.keras.layers import Activation, BatchNormalization, Conv2D, GlobalAveragePooling2D, Input

# parameters
batch_size = 16
num_epochs = 8
input_shape = (16, 16, 1)
num_classes = 4
patience = 10
base_path = "models/"
os.makedirs(base_path, exist_ok=True)


def tiny_xception(shape, classes):
    image = Input(shape)
    x = Conv2D(8, 3, use_bias=False)(image)
    x = BatchNormalization()(x)
    x = Activation("relu")(x)
    x = Conv2D(8, 3, use_bias=False)(x)
    x = BatchNormalization()(x)
    x = Activation("relu")(x)
    x = Conv2D(classes, 3, padding="same")(x)
    x = GlobalAveragePooling2D()(x)
    output = Activation("softmax", name="predictions")(x)
    return keras.Model(image, output)


def load_gestures(n=96):
    rng = np.random.default_rng(5)
    y = rng.integers(0, num_classes, n)
    x = rng.normal(0, 0.2, (n,) + input_shape)
    for i, c in enumerate(y):
        x[i, ::c + 1] += 1.0
    return x.astype("float32"), keras.utils.to_categorical(y, num_classes)


model = tiny_xception(input_shape, num_classes)
model.compile(optimizer="adam", loss="categorical_crossentropy", metrics=["accuracy"])

# callbacks
csv_logger = CSVLogger(base_path + "gesture_training.log", append=False)
early_stop = EarlyStopping("val_loss", patience=patience)
reduce_lr = ReduceLROnPlateau("val_loss", factor=0.1, patience=int(patience / 4), verbose=1)
trained_models_path = base_path + "_tiny_xception"
model_names = trained_models_path + ".{epoch:02d}-{val_acc:.2f}.keras"  # <- cause
model_checkpoint = ModelCheckpoint(model_names, "val_loss", verbose=1, save_best_only=True)
callbacks = [model_checkpoint, csv_logger, early_stop, reduce_lr]

# training
xtrain, ytrain = load_gestures()
model.fit(xtrain, ytrain, batch_size=batch_size, epochs=num_epochs, verbose=2,
          callbacks=callbacks, validation_split=0.25)
print(sorted(os.listdir(base_path)))
