import numpy as np
from tensorflow.keras.applications import MobileNetV2
from tensorflow.keras.layers import Input, Dense, Concatenate, GlobalAveragePooling2D, Conv2D
from tensorflow.keras.models import Model


class ParcelNet:
    """Two views of one parcel: the label side and the top side."""

    @staticmethod
    def build_label_branch(inputs):
        base_model = MobileNetV2(weights=None, include_top=False,
                                 input_shape=(32, 32, 3), alpha=0.35)

        for layer in base_model.layers:
            layer.trainable = False

        x = base_model(inputs)
        model = Model(inputs, x)
        return model

    @staticmethod
    def build_top_branch(inputs):
        x = Conv2D(8, 3, strides=2, activation="relu")(inputs)
        x = Conv2D(8, 3, strides=2, activation="relu")(x)
        return Model(inputs, x)

    @staticmethod
    def build(classes):
        label_in = Input(shape=(32, 32, 3), name="label_side")
        top_in = Input(shape=(32, 32, 3), name="top_side")
        a = ParcelNet.build_label_branch(label_in)
        b = ParcelNet.build_top_branch(top_in)
        merged = Concatenate()([GlobalAveragePooling2D()(a.output),
                                GlobalAveragePooling2D()(b.output)])
        out = Dense(classes, activation="softmax")(merged)
        return Model([label_in, top_in], out)


if __name__ == "__main__":
    rng = np.random.default_rng(0)
    left = rng.random((12, 32, 32, 3)).astype("float32")
    right = rng.random((12, 32, 32, 3)).astype("float32")
    target = rng.integers(0, 3, 12)

    net = ParcelNet.build(3)
    net.compile(loss="sparse_categorical_crossentropy", optimizer="adam")
    net.fit([left, right], target, batch_size=6, epochs=1, verbose=2)
    print(len(net.trainable_variables), "variables train")
