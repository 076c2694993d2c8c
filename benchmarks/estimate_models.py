"""The programs of `benchmarks/estimate.py`: `python estimate_models.py NAME OPTIMIZER BATCH` trains one for five steps.

Each is an ordinary program: it makes data, a model, and trains. The data are the same for each batch. With
`ESTIMATE_MEASURE=FILE` the allocator counts from the import of TensorFlow on, and the file gets what it counted
after the five steps, and the highest memory of the process. `ESTIMATE_ROWS` are the rows that `fit` gets,
`ESTIMATE_STEPS` the steps, for `estimate_verify.py`.
"""

from __future__ import annotations

import json
import math
import os
import sys
from collections.abc import Callable
from typing import Any, NamedTuple

STEPS = int(os.environ.get("ESTIMATE_STEPS", "5"))
LARGEST = 64
"""The largest batch: there are data for five steps of it."""
ROWS = int(os.environ.get("ESTIMATE_ROWS", "0")) or LARGEST * STEPS


class Case(NamedTuple):
    """A model with the shapes of a row of its data, and how it is trained."""

    model: Any
    inputs: tuple[tuple[tuple[int, ...], str], ...]
    target: tuple[tuple[int, ...], str] | None = ((), "int32")
    loss: Any = "sparse_categorical_crossentropy"
    by: str = "fit"


def _application(name: str, size: int, by: str = "fit") -> Callable[[Any], Case]:
    def build(keras: Any) -> Case:
        model = getattr(keras.applications, name)(weights=None, classes=10, input_shape=(size, size, 3))
        return Case(model, (((size, size, 3), "float32"),), by=by)

    return build


def _sequential(
    layers: Callable[[Any], list[Any]], shape: tuple[int, ...], dtype: str = "float32", by: str = "fit", **kept: Any
) -> Callable[[Any], Case]:
    def build(keras: Any) -> Case:
        model = keras.Sequential([keras.layers.Input(shape, dtype=dtype), *layers(keras.layers)])
        return Case(model, ((shape, dtype),), by=by, **kept)

    return build


def _mlp(nn: Any) -> list[Any]:
    hidden = [nn.Dense(1024, activation="relu"), nn.Dropout(0.2), nn.Dense(1024, activation="relu"), nn.Dropout(0.2)]
    return [*hidden, nn.Dense(10, activation="softmax")]


def _wide_mlp(nn: Any) -> list[Any]:
    return [nn.Dense(4096, activation="gelu"), nn.LayerNormalization(), nn.Dense(4096, activation="gelu"), nn.Dense(10)]


def _cnn(nn: Any) -> list[Any]:
    layers = [nn.Conv2D(32, 3, activation="relu"), nn.Conv2D(64, 3, activation="relu"), nn.MaxPooling2D(), nn.Flatten()]
    return [*layers, nn.Dense(128, activation="relu"), nn.Dense(10, activation="softmax")]


def _cnn_norm(nn: Any) -> list[Any]:
    layers: list[Any] = [nn.Rescaling(1 / 255)]
    for filters in (32, 64, 128):
        layers += [nn.Conv2D(filters, 3, padding="same", use_bias=False), nn.BatchNormalization(), nn.ReLU()]
        layers += [nn.MaxPooling2D()]
    return [*layers, nn.GlobalAveragePooling2D(), nn.Dense(10, activation="softmax")]


def _separable(nn: Any) -> list[Any]:
    layers = [nn.SeparableConv2D(filters, 3, padding="same", activation="swish") for filters in (32, 64, 128)]
    return [*layers, nn.AveragePooling2D(4), nn.Flatten(), nn.Dropout(0.5), nn.Dense(10, activation="softmax")]


def _lstm(nn: Any) -> list[Any]:
    return [
        nn.Embedding(20000, 128),
        nn.LSTM(128, return_sequences=True),
        nn.LSTM(64),
        nn.Dense(10, activation="softmax"),
    ]


def _gru(nn: Any) -> list[Any]:
    return [nn.GRU(128, return_sequences=True), nn.GRU(128), nn.Dense(10, activation="softmax")]


def _bidirectional(nn: Any) -> list[Any]:
    return [
        nn.Embedding(5000, 64),
        nn.Bidirectional(nn.LSTM(64, return_sequences=True)),
        nn.GlobalMaxPooling1D(),
        nn.Dense(64, activation="relu"),
        nn.Dense(10, activation="softmax"),
    ]


def _conv1d(nn: Any) -> list[Any]:
    layers = [nn.Conv1D(64 * 2**number, 5, strides=2, activation="relu") for number in range(3)]
    return [*layers, nn.GlobalAveragePooling1D(), nn.Dense(10, activation="softmax")]


def _conv3d(nn: Any) -> list[Any]:
    layers = [nn.Conv3D(16, 3, activation="relu"), nn.MaxPooling3D(), nn.Conv3D(32, 3, activation="relu")]
    return [*layers, nn.GlobalAveragePooling3D(), nn.Dense(10, activation="softmax")]


def _convlstm(nn: Any) -> list[Any]:
    return [nn.ConvLSTM2D(16, 3, padding="same"), nn.Flatten(), nn.Dense(10, activation="softmax")]


def _embedding(keras: Any) -> Case:
    nn = keras.layers
    user, item = nn.Input((), dtype="int32"), nn.Input((), dtype="int32")
    left, right = nn.Embedding(200_000, 64)(user), nn.Embedding(50_000, 64)(item)
    hidden = nn.Dense(256, activation="relu")(nn.Concatenate()([left, right, left * right]))
    model = keras.Model([user, item], nn.Dense(1)(hidden))
    return Case(model, (((), "int32"), ((), "int32")), ((), "float32"), "mse")


def _transformer(keras: Any) -> Case:
    nn = keras.layers
    given = nn.Input((128,), dtype="int32")
    x = nn.Embedding(10000, 128)(given)
    for _ in range(4):
        x = nn.LayerNormalization()(x + nn.MultiHeadAttention(4, 32, dropout=0.1)(x, x))
        x = nn.LayerNormalization()(x + nn.Dropout(0.1)(nn.Dense(128)(nn.Dense(512, activation="gelu")(x))))
    model = keras.Model(given, nn.Dense(10, activation="softmax")(nn.GlobalAveragePooling1D()(x)))
    return Case(model, (((128,), "int32"),), by="train_on_batch")


def _language_model(keras: Any) -> Case:
    nn = keras.layers
    given = nn.Input((64,), dtype="int32")
    x = nn.Embedding(8000, 128)(given)
    for _ in range(2):
        x = nn.LayerNormalization()(x + nn.MultiHeadAttention(4, 32)(x, x, use_causal_mask=True))
        x = nn.LayerNormalization()(x + nn.Dense(128)(nn.Dense(256, activation="relu")(x)))
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    return Case(keras.Model(given, nn.Dense(8000)(x)), (((64,), "int32"),), ((64,), "int32"), loss)


def _unet(keras: Any) -> Case:
    nn = keras.layers

    def block(x: Any, filters: int) -> Any:
        for _ in range(2):
            x = nn.ReLU()(nn.BatchNormalization()(nn.Conv2D(filters, 3, padding="same", use_bias=False)(x)))
        return x

    given = nn.Input((96, 96, 3))
    skips, x = [], given
    for filters in (16, 32, 64):
        x = block(x, filters)
        skips.append(x)
        x = nn.MaxPooling2D()(x)
    x = block(x, 128)
    for filters in (64, 32, 16):
        x = nn.Conv2DTranspose(filters, 2, strides=2, padding="same")(x)
        x = block(nn.Concatenate()([x, skips.pop()]), filters)
    model = keras.Model(given, nn.Conv2D(3, 1, activation="softmax")(x))
    return Case(model, (((96, 96, 3), "float32"),), ((96, 96), "int32"))


def _autoencoder(nn: Any) -> list[Any]:
    down = [nn.Conv2D(filters, 3, strides=2, padding="same", activation="relu") for filters in (32, 64, 128)]
    up = [nn.Conv2DTranspose(filters, 3, strides=2, padding="same", activation="relu") for filters in (64, 32, 16)]
    return [*down, *up, nn.Conv2D(3, 3, padding="same", activation="sigmoid")]


def _vae(keras: Any) -> Case:
    import tensorflow as tf

    nn = keras.layers

    class Vae(keras.Model):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.encoder = keras.Sequential(
                [nn.Conv2D(32, 3, strides=2, padding="same", activation="relu"), nn.Flatten(), nn.Dense(64)]
            )
            self.decoder = keras.Sequential(
                [
                    nn.Dense(16 * 16 * 64, activation="relu"),
                    nn.Reshape((16, 16, 64)),
                    nn.Conv2DTranspose(32, 3, strides=2, padding="same", activation="relu"),
                    nn.Conv2DTranspose(3, 3, strides=2, padding="same"),
                ]
            )

        def call(self, x: Any) -> Any:
            mean, scale = tf.split(self.encoder(x), 2, axis=1)
            drawn = mean + tf.exp(0.5 * scale) * tf.random.normal(tf.shape(mean))
            self.add_loss(-0.5 * tf.reduce_mean(1 + scale - mean**2 - tf.exp(scale)))
            return self.decoder(drawn)

    return Case(Vae(), (((64, 64, 3), "float32"),), ((64, 64, 3), "float32"), "mse")


def _gan(keras: Any) -> Case:
    import tensorflow as tf

    nn = keras.layers

    class Gan(keras.Model):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.critic = keras.Sequential(
                [nn.Input((32, 32, 3))]
                + [nn.Conv2D(n, 4, strides=2, padding="same", activation="leaky_relu") for n in (64, 128, 256)]
                + [nn.Flatten(), nn.Dense(1)]
            )
            self.maker = keras.Sequential(
                [nn.Input((128,)), nn.Dense(4 * 4 * 256), nn.Reshape((4, 4, 256))]
                + [nn.Conv2DTranspose(n, 4, strides=2, padding="same", activation="relu") for n in (256, 128, 64)]
                + [nn.Conv2D(3, 5, padding="same", activation="tanh")]
            )

        def compile(self, optimizer: Any, **kept: Any) -> None:
            super().compile(optimizer, **kept)
            self.second = keras.optimizers.get(type(optimizer)(1e-4))

        def train_step(self, data: Any) -> Any:
            real = data[0] if isinstance(data, tuple) else data
            noise = tf.random.normal((tf.shape(real)[0], 128))
            cross = keras.losses.BinaryCrossentropy(from_logits=True)
            with tf.GradientTape() as tape:
                judged = self.critic(tf.concat([real, self.maker(noise)], 0), training=True)
                truth = tf.concat([tf.ones((tf.shape(real)[0], 1)), tf.zeros((tf.shape(real)[0], 1))], 0)
                loss = cross(truth, judged)
            own = self.critic.trainable_variables
            self.optimizer.apply_gradients(zip(tape.gradient(loss, own), own, strict=True))
            with tf.GradientTape() as tape:
                fooled = cross(tf.ones((tf.shape(real)[0], 1)), self.critic(self.maker(noise), training=True))
            own = self.maker.trainable_variables
            self.second.apply_gradients(zip(tape.gradient(fooled, own), own, strict=True))
            return {"critic": loss, "maker": fooled}

    return Case(Gan(), (((32, 32, 3), "float32"),), None, None)


def _siamese(keras: Any) -> Case:
    nn = keras.layers
    arm = keras.Sequential(
        [
            nn.Input((64, 64, 1)),
            nn.Conv2D(32, 5, activation="relu"),
            nn.MaxPooling2D(),
            nn.Conv2D(64, 5, activation="relu"),
            nn.MaxPooling2D(),
            nn.Flatten(),
            nn.Dense(256),
        ]
    )
    left, right = nn.Input((64, 64, 1)), nn.Input((64, 64, 1))
    apart = keras.ops.abs(arm(left) - arm(right))
    model = keras.Model([left, right], nn.Dense(1, activation="sigmoid")(apart))
    rows = ((64, 64, 1), "float32")
    return Case(model, (rows, rows), ((1,), "float32"), "binary_crossentropy")


def _custom_loop(keras: Any) -> Case:
    nn = keras.layers
    layers = [nn.Conv2D(48, 3, activation="relu"), nn.Conv2D(48, 3, activation="relu"), nn.MaxPooling2D(), nn.Flatten()]
    model = keras.Sequential([nn.Input((48, 48, 3)), *layers, nn.Dense(256, activation="relu"), nn.Dense(10)])
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    return Case(model, (((48, 48, 3), "float32"),), ((), "int32"), loss, by="loop")


def _residual_loop(keras: Any) -> Case:
    nn = keras.layers
    given = nn.Input((256,))
    x = nn.Dense(1024)(given)
    for _ in range(6):
        x = x + nn.Dense(1024, activation="relu")(nn.BatchNormalization()(x))
    return Case(keras.Model(given, nn.Dense(10, activation="softmax")(x)), (((256,), "float32"),), by="loop")


CASES: dict[str, Callable[[Any], Case]] = {
    "mlp": _sequential(_mlp, (784,)),
    "wide_mlp": _sequential(_wide_mlp, (512,), loss="mse", target=((10,), "float32"), by="train_on_batch"),
    "cnn": _sequential(_cnn, (28, 28, 1)),
    "cnn_norm": _sequential(_cnn_norm, (64, 64, 3)),
    "separable": _sequential(_separable, (48, 48, 3), by="train_on_batch"),
    "lstm": _sequential(_lstm, (100,), "int32"),
    "gru": _sequential(_gru, (50, 32)),
    "bidirectional": _sequential(_bidirectional, (80,), "int32", by="train_on_batch"),
    "conv1d": _sequential(_conv1d, (2000, 4)),
    "conv3d": _sequential(_conv3d, (24, 24, 24, 1)),
    "convlstm": _sequential(_convlstm, (8, 32, 32, 3)),
    "embedding": _embedding,
    "transformer": _transformer,
    "language_model": _language_model,
    "unet": _unet,
    "autoencoder": _sequential(_autoencoder, (64, 64, 3), target=((64, 64, 3), "float32"), loss="mse"),
    "vae": _vae,
    "gan": _gan,
    "siamese": _siamese,
    "custom_loop": _custom_loop,
    "residual_loop": _residual_loop,
    "MobileNetV2": _application("MobileNetV2", 96),
    "MobileNetV3Small": _application("MobileNetV3Small", 96, "train_on_batch"),
    "ResNet50": _application("ResNet50", 64),
    "EfficientNetB0": _application("EfficientNetB0", 64),
    "DenseNet121": _application("DenseNet121", 64),
    "VGG16": _application("VGG16", 48),
    "Xception": _application("Xception", 71),
    "InceptionV3": _application("InceptionV3", 75),
    "NASNetMobile": _application("NASNetMobile", 64),
    "ConvNeXtTiny": _application("ConvNeXtTiny", 64),
}


def main(name: str, optimizer: str, batch: int) -> None:
    target = os.environ.get("ESTIMATE_MEASURE")
    import tensorflow as tf

    if target:
        _count(tf)
    import keras
    import numpy

    keras.utils.set_random_seed(0)
    case = CASES[name](keras)
    random = numpy.random.default_rng(0)
    rows = ROWS if case.by == "fit" else batch
    parts = [_data(random, rows, *one) for one in case.inputs]
    x = parts[0] if len(parts) == 1 else parts
    y = _data(random, rows, *case.target) if case.target else None
    chosen = keras.optimizers.get(optimizer)
    if case.by == "loop":
        _loop(tf, keras, case, chosen, x, y)
    else:
        case.model.compile(chosen, loss=case.loss)
        if case.by == "fit":
            each = max(1, min(STEPS, rows // batch))
            case.model.fit(x, y, batch_size=batch, steps_per_epoch=each, epochs=math.ceil(STEPS / each), verbose=0)
        else:
            for _ in range(STEPS):
                case.model.train_on_batch(x, y)
    if target:
        _tell(tf, target)


def _data(random: Any, rows: int, shape: tuple[int, ...], dtype: str) -> Any:
    if dtype == "int32":
        return random.integers(0, 3, (rows, *shape), dtype)
    return random.random((rows, *shape), dtype)


def _loop(tf: Any, keras: Any, case: Case, optimizer: Any, x: Any, y: Any) -> None:
    model, loss = case.model, keras.losses.get(case.loss)

    @tf.function  # type: ignore[untyped-decorator]
    def train(images: Any, labels: Any) -> Any:
        with tf.GradientTape() as tape:
            value = tf.reduce_mean(loss(labels, model(images, training=True)))
        gradients = tape.gradient(value, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
        return value

    images, labels = tf.constant(x), tf.constant(y)
    for _ in range(STEPS):
        train(images, labels)


def _count(tf: Any) -> None:
    import ctypes

    library = ctypes.CDLL(os.path.join(os.path.dirname(tf.__file__), "libtensorflow_framework.so.2"))
    library._ZN3tsl23EnableCPUAllocatorStatsEv()


def _tell(tf: Any, target: str) -> None:
    counted = tf.config.experimental.get_memory_info("CPU:0")
    with open("/proc/self/status") as file:
        status = dict(line.split(":", 1) for line in file)
    found = {"peak": counted["peak"], "current": counted["current"], "hwm": int(status["VmHWM"].split()[0]) << 10}
    with open(target, "w") as file:
        json.dump(found, file)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
