import dataclasses
import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import tensorflow as tf


@dataclasses.dataclass
class Data:
    clips: int = 3000
    frames: int = 16
    side: int = 64
    batch: int = 8
    buffer: int = 100


def pipeline(data):
    def clip(number):
        return tf.random.stateless_uniform((data.frames, data.side, data.side, 3), (number, 1)), number % 2

    clips = tf.data.Dataset.range(data.clips).map(clip)
    return clips.shuffle(buffer_size=data.buffer).batch(data.batch).take(10)


def network(data):
    layers = tf.keras.layers
    return tf.keras.Sequential(
        [
            tf.keras.Input((data.frames, data.side, data.side, 3)),
            layers.AveragePooling3D((2, 8, 8)),
            layers.Flatten(),
            layers.Dense(1, activation="sigmoid"),
        ]
    )


def main():
    data = Data()
    model = network(data)
    model.compile("adam", "binary_crossentropy")
    model.fit(pipeline(data), epochs=1, verbose=2)


main()
