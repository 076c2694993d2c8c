"""U-net for scans with several classes of tissue."""
import numpy as np
from tensorflow.keras.layers import Conv2D, Cropping2D, Dropout, Input, MaxPooling2D, UpSampling2D, concatenate
from tensorflow.keras.models import Model
from tensorflow.keras.optimizers import Adam


class Unet:
    def __init__(self, rows=64, cols=64, classes=3):
        self.rows = rows
        self.cols = cols
        self.classes = classes

    def load_data(self, n=12):
        rng = np.random.default_rng(2)
        scans = rng.normal(size=(n, self.rows, self.cols, 1)).astype("float32")
        masks = np.zeros((n, self.rows, self.cols, self.classes), "float32")
        kinds = np.clip(np.digitize(scans[..., 0], [-0.5, 0.5]), 0, self.classes - 1)
        for c in range(self.classes):
            masks[..., c] = kinds == c
        return scans, masks

    def get_unet(self):
        inputs = Input((self.rows, self.cols, 1))
        conv1 = Conv2D(8, 3, activation="relu", padding="same")(inputs)
        conv1 = Conv2D(8, 3, activation="relu", padding="same")(conv1)
        pool1 = MaxPooling2D(pool_size=(2, 2))(conv1)
        conv2 = Conv2D(16, 3, activation="relu", padding="same")(pool1)
        pool2 = MaxPooling2D(pool_size=(2, 2))(conv2)
        conv3 = Conv2D(32, 3, activation="relu", padding="same")(pool2)
        drop3 = Dropout(0.5)(conv3)
        pool3 = MaxPooling2D(pool_size=(2, 2))(drop3)
        conv4 = Conv2D(64, 3, activation="relu", padding="same")(pool3)
        drop4 = Dropout(0.5)(conv4)

        up5 = Conv2D(32, 2, activation="relu", padding="same")(UpSampling2D(size=(2, 2))(drop4))
        up5 = Cropping2D(cropping=((1, 0), (0, 0)))(up5)  # <- cause
        merge5 = concatenate([drop3, up5], axis=3)
        conv5 = Conv2D(32, 3, activation="relu", padding="same")(merge5)
        up6 = Conv2D(16, 2, activation="relu", padding="same")(UpSampling2D(size=(2, 2))(conv5))
        merge6 = concatenate([conv2, up6], axis=3)
        conv6 = Conv2D(16, 3, activation="relu", padding="same")(merge6)
        up7 = Conv2D(8, 2, activation="relu", padding="same")(UpSampling2D(size=(2, 2))(conv6))
        merge7 = concatenate([conv1, up7], axis=3)
        conv7 = Conv2D(8, 3, activation="relu", padding="same")(merge7)
        outputs = Conv2D(self.classes, 1, activation="softmax")(conv7)
        model = Model(inputs=inputs, outputs=outputs)
        model.compile(optimizer=Adam(learning_rate=1e-4), loss="categorical_crossentropy", metrics=["accuracy"])
        return model

    def train(self):
        scans, masks = self.load_data()
        model = self.get_unet()
        model.fit(scans, masks, batch_size=4, epochs=2, verbose=2)
        print("mean of the prediction:", model.predict(scans[:2], verbose=0).mean())


if __name__ == "__main__":
    Unet().train()
